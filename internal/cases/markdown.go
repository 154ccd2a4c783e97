package cases

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes docs/cases.md.
func WriteMarkdown(w io.Writer, register []Case) error {
	var b strings.Builder
	b.WriteString(`# Cases

Generated from the register in internal/cases; do not edit.

S cases are scenarios of the tree, B cases restate faults that were found in other implementations of table formats.
A path is a scenario file, anything else a test. ` + "`go test ./internal/cases`" + ` fails when one of them is missing.
`)
	for _, k := range register {
		fmt.Fprintf(&b, "\n## %s: %s\n\n", k.ID, k.Title)
		for _, part := range k.Parts {
			fmt.Fprintf(&b, "- %s\n", part.Asks)
			for _, where := range part.Where {
				fmt.Fprintf(&b, "  - `%s`\n", where)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
