// Package kill holds the test that lets several processes, with several writers each, append to one table while they are
// killed at random moments and started again (B38). With FIRN_KILL=full it makes as many appends as the case asks for.
package kill
