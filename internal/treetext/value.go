package treetext

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/firn-io/firn/tree"
	"github.com/google/uuid"
)

// maxDigits is the longest unscaled decimal that is read: reading one takes more time than its length.
const maxDigits = 1000

// formatValue prints a value with its kind: "eu", int(5), date(20000), decimal(12345,2), null.
func formatValue(v tree.Value) string {
	switch v.Kind() {
	case tree.KindNull:
		return "null"
	case tree.KindString:
		return strconv.Quote(v.Bytes())
	}
	return v.Kind().String() + "(" + formatContent(v) + ")"
}

func formatContent(v tree.Value) string {
	switch v.Kind() {
	case tree.KindBool:
		return strconv.FormatBool(v.Number() != 0)
	case tree.KindFloat:
		return formatFloat(v.Float64(), 32, uint64(uint32(v.Number())))
	case tree.KindDouble:
		return formatFloat(v.Float64(), 64, uint64(v.Number()))
	case tree.KindDecimal:
		n, scale := v.Unscaled()
		return fmt.Sprintf("%s,%d", n, scale)
	case tree.KindUUID:
		if id, err := uuid.FromBytes([]byte(v.Bytes())); err == nil {
			return id.String()
		}
	case tree.KindGeo:
		if len(v.Bytes()) == 32 {
			return formatCorner(v.GeoCorner())
		}
	case tree.KindInt, tree.KindLong, tree.KindDate, tree.KindTime, tree.KindTimestamp, tree.KindTimestampNano:
		return strconv.FormatInt(v.Number(), 10)
	}
	return formatBytes([]byte(v.Bytes()))
}

// formatCorner prints the coordinates of a corner, NaN for those that its box lacks.
func formatCorner(coordinates ...float64) string {
	var all []string
	for _, f := range coordinates {
		all = append(all, formatFloat(f, 64, math.Float64bits(f)))
	}
	return strings.Join(all, ",")
}

// formatFloat prints a float so that it reads back bit by bit: a NaN other than the usual one by its bits.
func formatFloat(f float64, size int, bits uint64) string {
	if math.IsNaN(f) && bits != nanBits(size) {
		return fmt.Sprintf("0x%x", bits)
	}
	return strconv.FormatFloat(f, 'g', -1, size)
}

func nanBits(size int) uint64 {
	if size == 32 {
		return uint64(math.Float32bits(float32(math.NaN())))
	}
	return math.Float64bits(math.NaN())
}

// parseValue reads what formatValue printed.
func parseValue(text string) (tree.Value, error) {
	if text == "null" {
		return tree.Value{}, nil
	}
	if strings.HasPrefix(text, `"`) {
		s, err := unquote(text)
		return tree.String(s), err
	}
	name, content, found := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if found && strings.HasSuffix(text, ")") {
		for kind := tree.KindBool; kind <= tree.KindGeo; kind++ {
			if kind.String() == name && kind != tree.KindString {
				v, err := parseContent(kind, content)
				if err != nil {
					return tree.Value{}, fmt.Errorf("%.40q is no %s", content, name)
				}
				return v, nil
			}
		}
	}
	return tree.Value{}, fmt.Errorf(`%.40q is no value: want null, a quoted string, or a kind and its content as in int(5)`, text)
}

func parseContent(kind tree.Kind, text string) (tree.Value, error) {
	switch kind {
	case tree.KindBool:
		b, err := strconv.ParseBool(text)
		return tree.Bool(b), err
	case tree.KindFloat:
		bits, err := parseFloat(text, 32)
		return tree.NumberValue(kind, int64(bits)), err
	case tree.KindDouble:
		bits, err := parseFloat(text, 64)
		return tree.NumberValue(kind, int64(bits)), err
	case tree.KindInt, tree.KindDate:
		n, err := strconv.ParseInt(text, 10, 32)
		return tree.NumberValue(kind, n), err
	case tree.KindLong, tree.KindTime, tree.KindTimestamp, tree.KindTimestampNano:
		n, err := strconv.ParseInt(text, 10, 64)
		return tree.NumberValue(kind, n), err
	case tree.KindDecimal:
		return parseDecimal(text)
	}
	if data, err := parseBytes(text); err == nil {
		return tree.BytesValue(kind, string(data)), nil
	}
	switch kind {
	case tree.KindUUID:
		id, err := uuid.Parse(text)
		return tree.UUID(id), err
	case tree.KindGeo:
		return parseCorner(text)
	}
	return tree.Value{}, errBytes
}

func parseDecimal(text string) (tree.Value, error) {
	digits, after, _ := strings.Cut(text, ",")
	n, ok := new(big.Int), false
	if len(digits) <= maxDigits {
		_, ok = n.SetString(digits, 10)
	}
	scale, err := strconv.ParseUint(after, 10, 8)
	if !ok || err != nil {
		return tree.Value{}, errors.New("want the unscaled value and the scale")
	}
	return tree.Decimal(n, int(scale)), nil
}

func parseCorner(text string) (tree.Value, error) {
	parts := strings.Split(text, ",")
	var f [4]float64
	if len(parts) != len(f) {
		return tree.Value{}, errors.New("want x, y, z and m")
	}
	for i, part := range parts {
		bits, err := parseFloat(part, 64)
		if err != nil {
			return tree.Value{}, err
		}
		f[i] = math.Float64frombits(bits)
	}
	return tree.Geo(f[0], f[1], f[2], f[3]), nil
}

// parseFloat returns the bits of a float.
func parseFloat(text string, size int) (uint64, error) {
	if digits, isBits := strings.CutPrefix(text, "0x"); isBits {
		return strconv.ParseUint(digits, 16, size)
	}
	f, err := strconv.ParseFloat(text, size)
	switch {
	case err != nil:
		return 0, err
	case math.IsNaN(f):
		return nanBits(size), nil
	case size == 32:
		return uint64(math.Float32bits(float32(f))), nil
	}
	return math.Float64bits(f), nil
}

// errBytes says how bytes are written.
var errBytes = errors.New("want bytes as in 0x00ff")

func formatBytes(data []byte) string { return "0x" + hex.EncodeToString(data) }

func parseBytes(text string) ([]byte, error) {
	digits, found := strings.CutPrefix(text, "0x")
	data, err := hex.DecodeString(digits)
	if !found || err != nil {
		return nil, errBytes
	}
	return data, nil
}
