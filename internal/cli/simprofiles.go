package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/sim"
)

// simProfilesCommand prints workloads.
func (a *app) simProfilesCommand() *cobra.Command {
	return a.command(cobra.Command{
		Use:   "profiles [NAME]",
		Short: "List the named workloads, or print one as a file to start from",
		Long: `List the named workloads with the weights that are not zero, or print one as JSON: a file to start from, which the flag
--profile of firn sim run and firn sim soak takes.`,
		Example:           "  firn sim profiles cdc > mine.json\n  firn sim run --profile ./mine.json",
		Args:              words(0, 1),
		ValidArgsFunction: cobra.FixedCompletions(profileNames(), cobra.ShellCompDirectiveNoFileComp),
	}, func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return a.listProfiles()
		}
		p, err := sim.ProfileByName(args[0])
		if err != nil {
			return usagef("%w", err)
		}
		text, err := json.MarshalIndent(p, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(a.out, "%s\n", text)
		}
		return err
	})
}

func profileNames() []string {
	var names []string
	for _, p := range sim.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

func (a *app) listProfiles() error {
	out := a.newTable(true, "name", "fields")
	for _, p := range sim.Profiles() {
		data, err := json.Marshal(p)
		if err != nil {
			return err
		}
		out.row(textCell(p.Name), cell{text: weightsText(data), json: string(data)})
	}
	return out.end()
}

// weightsText prints the numbers of a profile that are not zero, in the order of its fields.
func weightsText(profile []byte) string {
	var words []string
	decoder := json.NewDecoder(bytes.NewReader(profile))
	key := ""
	for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
		switch t := token.(type) {
		case string:
			key = t
		case float64:
			if t != 0 {
				words = append(words, key+" "+shortFloat(t))
			}
		}
	}
	return strings.Join(words, ", ")
}

// maxProfileBytes is longer than any profile.
const maxProfileBytes = 1 << 20

// workload returns the profile that the flags name.
func (f workloadFlags) workload() (sim.Profile, error) {
	p, err := namedProfile(f.profile)
	if err != nil {
		return p, err
	}
	for _, set := range f.sets {
		if p, err = setField(p, set); err != nil {
			return p, err
		}
	}
	if err := (sim.Config{Profile: p}).Validate(); err != nil {
		return p, usagef("%w", err)
	}
	return p, nil
}

// namedProfile returns a profile by its name, or by the path of its file.
func namedProfile(name string) (sim.Profile, error) {
	if !strings.HasSuffix(name, ".json") && !strings.ContainsRune(name, '/') {
		p, err := sim.ProfileByName(name)
		if err != nil {
			return p, usagef("%w, or the path of a FILE.json", err)
		}
		return p, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return sim.Profile{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxProfileBytes))
	if err != nil {
		return sim.Profile{}, err
	}
	p := sim.Profile{Name: strings.TrimSuffix(filepath.Base(name), ".json")}
	err = decodeStrictly(data, &p)
	switch {
	case err != nil:
	case p.Name == "":
		err = errors.New("a profile without a name")
	default:
		err = sim.Config{Profile: p}.Validate()
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w: %w", name, errMalformed, err)
	}
	return p, nil
}

// decodeStrictly reads one JSON value that has known fields only.
func decodeStrictly(data []byte, to any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(to); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("there is more behind the value")
	}
	return nil
}

// setField returns the profile with one of its numbers set, as FIELD=N says, with a point before a field of victims.
func setField(p sim.Profile, set string) (sim.Profile, error) {
	path, text, _ := strings.Cut(set, "=")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return p, usagef("--set %s: FIELD=N is needed", set)
	}
	field := fmt.Sprintf(`{%q:%d}`, path, n)
	if outer, inner, nested := strings.Cut(path, "."); nested {
		field = fmt.Sprintf(`{%q:{%q:%d}}`, outer, inner, n)
	}
	if err := decodeStrictly([]byte(field), &p); err != nil {
		return p, usagef("--set %s: no such field of a profile with a number: firn sim profiles mixed prints them", set)
	}
	return p, nil
}
