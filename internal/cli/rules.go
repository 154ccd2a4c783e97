package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/oracle"
)

var ruleColumns = []string{
	"id", "severity", "scope", "firmness", "spec_rule", "statement", "symptom", "advice", "needs", "implies",
}

// rulesCommand explains what check checks.
func (a *app) rulesCommand() *cobra.Command {
	var noHeader bool
	c := a.command(cobra.Command{
		Use:     "rules [ID]",
		Short:   "List the rules that check checks, or explain one",
		GroupID: groupRead,
		Long: `List the rules that firn check checks, or explain one: what must hold, the rule of the specification that it comes from,
how bad a violation is, what it looks like, and what to do about it.`,
		Args: words(0, 1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
	}, func(_ context.Context, args []string) error { return a.rules(args, !noHeader) })
	c.Flags().BoolVar(&noHeader, "no-header", false, "leave out the line of column names")
	return c
}

// ruleIDs returns the ids of all rules, each with its statement for the shell to show.
func ruleIDs() []string {
	var ids []string
	for _, rule := range oracle.Rules() {
		ids = append(ids, cobra.CompletionWithDesc(rule.ID, rule.Statement))
	}
	return ids
}

// ruleOf finds a rule by its id, in upper or lower case.
func ruleOf(id string) (oracle.Rule, error) {
	rule, ok := oracle.Lookup(strings.ToUpper(id))
	if !ok {
		return rule, usagef("no rule %q: firn rules lists them", id)
	}
	return rule, nil
}

func (a *app) rules(args []string, header bool) error {
	rules := oracle.Rules()
	if len(args) > 0 {
		rule, err := ruleOf(args[0])
		if err != nil {
			return err
		}
		if a.format == formatText {
			return a.explain(rule)
		}
		rules = []oracle.Rule{rule}
	}
	if a.format == formatText {
		t := a.newTable(header, "id", "severity", "statement")
		for _, r := range rules {
			t.row(textCell(r.ID), textCell(string(r.Severity)), textCell(r.Statement))
		}
		return t.end()
	}
	t := a.newTable(header, ruleColumns...)
	for _, r := range rules {
		t.row(textCell(r.ID), textCell(string(r.Severity)), textCell(r.Scope.String()), textCell(r.Firmness.String()),
			textCell(r.SpecRule), textCell(r.Statement), textCell(r.Symptom), textCell(r.Advice),
			textCell(r.Needs()), textCell(strings.Join(r.Implies, ",")))
	}
	return t.end()
}

// explain prints all that is known of one rule.
func (a *app) explain(r oracle.Rule) error {
	_, err := fmt.Fprintf(a.out, "%s\n%s\n\n%s", r.ID, r.Statement, strings.Join([]string{
		"severity  " + string(r.Severity) + "\n",
		"rule      " + r.SpecRule + ", " + r.Firmness.String() + "\n",
		"scope     " + scopeOf(r) + "\n",
		"violated  " + r.Symptom + "\n",
		"to do     " + r.Advice + "\n",
		implied(r),
	}, ""))
	return err
}

// scopeOf names the scope of a rule, and what a check needs for it.
func scopeOf(r oracle.Rule) string {
	if needs := r.Needs(); needs != "" {
		return r.Scope.String() + ", checked with " + needs
	}
	return r.Scope.String()
}

func implied(r oracle.Rule) string {
	if len(r.Implies) == 0 {
		return ""
	}
	return "implies   " + strings.Join(r.Implies, ", ") + "\n"
}
