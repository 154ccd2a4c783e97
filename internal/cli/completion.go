package cli

import "github.com/spf13/cobra"

// complete tells the shell the words that a flag takes.
func (a *app) complete(c *cobra.Command, flag string, words []string) {
	// The only error is a flag that is not there.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// prepareCompletion adds the command that prints completion scripts, which the flag library makes, and lets it answer
// wrong use as the other commands do.
func (a *app) prepareCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args, c.RunE = a.subcommand, needsSubcommand
		for _, shell := range c.Commands() {
			shell.Args = words(0, 0)
		}
	}
}
