package cli

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
)

var policyColumns = []string{"name", "default", "summary", "settings"}

// policyListCommand lists the policies.
func (a *app) policyListCommand() *cobra.Command {
	var noHeader bool
	c := a.command(cobra.Command{
		Use:   "list",
		Short: "List the policies, with their settings",
		Long: `List the policies that a table can choose by its property firn.policy, or firn maintain --policy for one commit, with the
properties that tune each, their defaults and units. firn policy explain tells more of one.`,
		Args: words(0, 0),
	}, func(context.Context, []string) error { return a.policyList(!noHeader) })
	c.Flags().BoolVar(&noHeader, "no-header", false, "leave out the line of column names")
	return c
}

func (a *app) policyList(header bool) error {
	t := a.newTable(header, policyColumns...)
	for _, d := range choose.Descriptions() {
		t.row(textCell(d.Name), boolCell(d.Name == choose.Default), textCell(d.Summary), settingsCell(d, nil))
	}
	return t.end()
}

// boolCell prints yes or nothing for people, and a truth value for scripts.
func boolCell(v bool) cell {
	c := cell{text: "-", json: fmt.Sprint(v), tsv: fmt.Sprint(v)}
	if v {
		c.text = "yes"
	}
	return c
}

// settingsCell prints the settings of a policy, each with its default and what the properties make of it.
func settingsCell(d choose.Description, properties map[string]string) cell {
	var texts []string
	list := jsonList(d.Settings, func(dst []byte, s choose.Setting) []byte {
		o := object{dst: append(dst, '{')}
		o.text("property", s.Property)
		o.number("default", s.Default)
		o.number("least", s.Least)
		o.number("most", s.Most)
		o.text("unit", s.Unit)
		o.text("meaning", s.Meaning)
		texts = append(texts, fmt.Sprintf("%s=%d %s", s.Property, s.Default, s.Unit))
		if value, set := properties[s.Property]; set {
			o.text("value", value)
		}
		return append(o.dst, '}')
	})
	if len(texts) == 0 {
		return cell{text: "-", json: string(list), tsv: string(list)}
	}
	return cell{text: strings.Join(texts, ", "), json: string(list), tsv: string(list)}
}

// described returns a policy and its description, by its name.
func described(name string) (choose.Description, error) {
	d, known := choose.Describe(name)
	if !known {
		return d, usagef("no policy %q: known are %s", name, strings.Join(choose.Names(), ", "))
	}
	return d, nil
}

// tuned returns a policy with the settings that properties give it, those of a table and then those of --property. All that is wrong with
// them is reported at once.
func tuned(d choose.Description, table map[string]string, pairs []string) (policy.Policy, map[string]string, error) {
	properties := maps.Clone(table)
	if properties == nil {
		properties = make(map[string]string)
	}
	var wrong problems
	for _, pair := range pairs {
		switch key, value, ok := strings.Cut(pair, "="); {
		case !ok || key == "":
			wrong = append(wrong, usagef("property %q: KEY=VALUE is needed", pair))
		case !hasSetting(d, key):
			wrong = append(wrong, usagef("policy %s has no setting %s: firn policy list lists the settings", d.Name, key))
		default:
			properties[key] = value
		}
	}
	properties[choose.PropertyPolicy] = d.Name
	p, err := choose.ForTable(properties)
	if err != nil {
		wrong = append(wrong, &target.UsageError{Err: err})
	}
	if len(wrong) > 0 {
		return nil, nil, wrong
	}
	return p, properties, nil
}

func hasSetting(d choose.Description, property string) bool {
	for _, s := range d.Settings {
		if s.Property == property {
			return true
		}
	}
	return false
}

// policyWords completes the name of a policy as the first word.
func policyWords(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, d := range choose.Descriptions() {
		names = append(names, cobra.CompletionWithDesc(d.Name, d.Summary))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
