package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
)

// maxTokenBytes bounds a token.
const maxTokenBytes = 1 << 20

// outcomeCommand asks what became of a commit.
func (a *app) outcomeCommand() *cobra.Command {
	return a.command(cobra.Command{
		Use:     "outcome TABLE TOKEN.json",
		Short:   "Ask what became of a commit whose outcome was unknown",
		GroupID: groupWrite,
		Long: `Ask what became of a commit that ended with code 4: committed, not committed, or still unknown, code 4. TOKEN.json holds what
that command printed, the JSON object alone; - is standard input.`,
		Args: words(2, 2),
	}, a.outcome)
}

func (a *app) outcome(ctx context.Context, args []string) error {
	data, err := a.read(ctx, args[1], maxTokenBytes)
	if err != nil {
		return err
	}
	var token commit.Token
	if err := json.Unmarshal(data, &token); err != nil {
		return fmt.Errorf("token %s: %w: %w", args[1], errMalformed, err)
	}
	named, err := a.table(ctx, args[0])
	if err != nil {
		return err
	}
	if token.Table != named.ID {
		return usagef("the token is of table %s, not %s", token.Table, named.ID)
	}
	outcome, err := openTable(named).Outcome(ctx, token)
	if err != nil {
		return named.Blame(ctx, err)
	}
	if err := a.printOutcome(outcome, token); err != nil {
		return err
	}
	if outcome == commit.Unknown {
		return fmt.Errorf("%w: ask again later", commit.ErrUnknown)
	}
	return nil
}

func (a *app) printOutcome(outcome commit.Outcome, token commit.Token) error {
	if a.format == formatText {
		_, err := fmt.Fprintln(a.out, outcome)
		return err
	}
	id := nullCell
	if token.SnapshotID != 0 {
		id = numberCell(token.SnapshotID)
	}
	t := a.newTable(true, "outcome", "snapshot_id")
	t.row(textCell(outcome.String()), id)
	return t.end()
}
