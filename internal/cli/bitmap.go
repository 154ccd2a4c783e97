package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/mdv"
)

// maxBitmapBytes is longer than any bitmap, and than its hex digits.
const maxBitmapBytes = 1 << 20

// bitmapCommand works on Mumbling bitmaps.
func (a *app) bitmapCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "bitmap",
		Short:   "Encode, decode and show Mumbling bitmaps",
		GroupID: groupRead,
		Long: `Encode, decode and show Mumbling bitmaps, the manifest deletion vectors of v4 tables.

Positions are written as 0,7,9-12, bytes as hex digits, with or without 0x in front. An argument that is all hex digits is
no file: name such a file ./NAME. A file holds the bytes, or their hex digits; - is standard input.`,
		Args: a.subcommand,
		RunE: needsSubcommand,
	}
	c.AddCommand(
		a.command(cobra.Command{
			Use: "encode POSITIONS", Short: "Print the bytes of a set of positions", Args: words(1, 1),
		}, a.bitmapEncode),
		a.command(cobra.Command{
			Use: "decode HEX|FILE", Short: "Print the positions of a bitmap", Args: words(1, 1),
		}, a.bitmapDecode),
		a.command(cobra.Command{
			Use: "show HEX|FILE", Short: "Print the header and the containers of a bitmap", Args: words(1, 1),
		}, a.bitmapShow),
	)
	return c
}

func (a *app) bitmapEncode(_ context.Context, args []string) error {
	if err := a.textOnly("bitmap"); err != nil {
		return err
	}
	b, err := mdv.ParseText(args[0])
	if err != nil {
		return &target.UsageError{Err: err}
	}
	data, err := b.AppendBinary(nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, hex.EncodeToString(data))
	return err
}

func (a *app) bitmapDecode(ctx context.Context, args []string) error {
	data, err := a.bitmapBytes(ctx, args[0])
	if err != nil {
		return err
	}
	b, err := mdv.Parse(data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, b)
	return err
}

func (a *app) bitmapShow(ctx context.Context, args []string) error {
	data, err := a.bitmapBytes(ctx, args[0])
	if err != nil {
		return err
	}
	l, err := mdv.Describe(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "version %d, %s, %s, %s, ", l.Version, count(l.Cardinality, "position", "positions"),
		count(l.ContainerCount, "container", "containers"), count(len(data), "byte", "bytes"))
	if l.Canonical {
		fmt.Fprintln(a.out, "canonical")
	} else {
		fmt.Fprintln(a.out, "not canonical")
	}
	for _, c := range l.Chunks {
		fmt.Fprintf(a.out, "byte %d: %s in %s: base %d, %s, %s of %s\n",
			c.Offset, count(c.Values, "descriptor", "descriptors"), count(c.SizeBytes, "byte", "bytes"), c.Base,
			count(c.LowBits, "low bit", "low bits"), count(c.Exceptions, "exception", "exceptions"),
			count(c.HighBits, "high bit", "high bits"))
	}
	for _, c := range l.Containers {
		form := "sparse"
		if c.IsDense() {
			form = "dense"
		}
		fmt.Fprintf(a.out, "byte %d: container %d (positions from %d), %s, %s in %s\n",
			c.Offset, c.Number, c.Number*256, form, count(c.Cardinality, "position", "positions"),
			count(c.SizeBytes, "byte", "bytes"))
	}
	return nil
}

// bitmapBytes returns the bytes that an argument gives or names.
func (a *app) bitmapBytes(ctx context.Context, arg string) ([]byte, error) {
	if err := a.textOnly("bitmap"); err != nil {
		return nil, err
	}
	if digits := strings.TrimPrefix(arg, "0x"); isHex(digits) {
		data, err := hex.DecodeString(digits)
		if err != nil {
			return nil, fmt.Errorf("bitmap: %w: an odd number of hex digits", errMalformed)
		}
		return data, nil
	}
	data, err := a.read(ctx, arg, maxBitmapBytes)
	if err != nil {
		return nil, err
	}
	if text, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(data)), "0x")); err == nil {
		return text, nil
	}
	return data, nil
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
