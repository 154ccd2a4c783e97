// Package attack keeps the attempts to commit a broken tree and to crash or mislead a reader. It has tests only;
// docs/attacks.md lists them with what came of each.
package attack
