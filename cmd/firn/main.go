// Command firn makes, changes and checks Iceberg v4 tables.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/firn-io/firn/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
