package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
)

// many is no bound on the words of a command.
const many = math.MaxInt

// words lets a command take so many words, and tells of another number what it takes.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			return nil
		}
		takes := operands(cmd.Use)
		if takes == "" {
			takes = "no words"
		}
		given := fmt.Sprintf("not %s", count(len(args), "word", "words"))
		if len(args) == 0 {
			given = "and nothing is given"
		}
		return usagef("%s takes %s, %s: see %s", cmd.CommandPath(), takes, given, helpOf(cmd))
	}
}

// operands returns what stands in a usage line between the name of the command and its flags.
func operands(use string) string {
	_, after, _ := strings.Cut(use, " ")
	before, _, _ := strings.Cut(after, "--")
	return strings.TrimRight(before, " ([")
}

// helpOf returns how a command is explained.
func helpOf(cmd *cobra.Command) string {
	name := cmd.Root().Name()
	return strings.TrimSpace(name + " help" + strings.TrimPrefix(cmd.CommandPath(), name))
}

// needsSubcommand is what a command does that only has others below it.
func needsSubcommand(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	list := names[0]
	if last := len(names) - 1; last > 0 {
		list = strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return usagef("%s needs %s: see %s", cmd.CommandPath(), list, helpOf(cmd))
}
