package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/store"
)

// registerCommand puts a table under the catalog.
func (a *app) registerCommand() *cobra.Command {
	return a.command(cobra.Command{
		Use:     "register NAMESPACE.NAME METADATA.json",
		Short:   "Put an existing table under the catalog",
		GroupID: groupWrite,
		Long: `Put an existing table of any format version under the catalog, by its metadata file, and print the location of that file.

Nothing is written but the catalog entry: with --map, locations stay as they are in the metadata, and --map is needed again
to use the table. METADATA.json may have any name here; without a catalog a table is opened only by one that ends in
.metadata.json.`,
		Args: words(2, 2),
	}, a.register)
}

func (a *app) register(ctx context.Context, args []string) error {
	id, err := target.ParseNewID(args[0])
	if err != nil {
		return err
	}
	access, err := a.open()
	if err != nil {
		return err
	}
	location, err := access.MetadataFile(ctx, args[1])
	if err != nil {
		return err
	}
	catalog, err := access.Catalog(ctx, true)
	if err != nil {
		return err
	}
	if err := checkFree(ctx, catalog, id); err != nil {
		return err
	}
	if err := enter(ctx, catalog, id, location); err != nil {
		return fmt.Errorf("register table %s: %w", id, err)
	}
	return a.printCreated(id, location)
}

// enter makes the catalog entry. An error of the swap is no proof that it was not made.
func enter(ctx context.Context, catalog store.Catalog, id store.TableID, location string) error {
	err := catalog.Swap(ctx, id, "", location)
	if err == nil {
		return nil
	}
	looking, cancel := sysenv.Detach(ctx, cleanUpMillis)
	defer cancel()
	now, lookErr := catalog.Load(looking, id)
	switch {
	case lookErr == nil && now == location:
		return nil
	case errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrRefused):
		return err
	}
	return fmt.Errorf("%w: %w", errOutcome, err)
}
