package interop_test

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/tree"
)

// jsonOf returns a value as the Python script prints it, nil for null.
func jsonOf(v tree.Value) any {
	switch v.Kind() {
	case tree.KindNull:
		return nil
	case tree.KindBool:
		return v.Number() != 0
	case tree.KindFloat:
		return fmt.Sprintf("0x%08x", uint32(v.Number()))
	case tree.KindDouble:
		return fmt.Sprintf("0x%016x", uint64(v.Number()))
	case tree.KindDecimal:
		unscaled, scale := v.Unscaled()
		return fmt.Sprintf("%de%d", unscaled, -scale)
	case tree.KindString:
		return v.Bytes()
	case tree.KindBinary, tree.KindFixed:
		return hexOf([]byte(v.Bytes()))
	case tree.KindUUID:
		return uuid.UUID([]byte(v.Bytes())).String()
	}
	return v.Number()
}

// hexOf returns bytes in hexadecimal, nil for null. Bytes without any are not null.
func hexOf(b []byte) any { return nilIf(b == nil, fmt.Sprintf("0x%x", b)) }

// anyOf returns the elements of a list, nil for null.
func anyOf[T any](elements []T) any {
	if elements == nil {
		return nil
	}
	list := []any{}
	for _, e := range elements {
		list = append(list, e)
	}
	return list
}

func nilIf(null bool, value any) any {
	if null {
		return nil
	}
	return value
}

func orNil[T any](o iceberg.Optional[T]) any { return nilIf(!o.Valid, o.Val) }
