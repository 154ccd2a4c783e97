package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
)

// duration is a flag that takes a length of time, such as 72h, 30m or 5d.
type duration struct{ value *optionalMillis }

// optionalMillis are milliseconds, if a flag gave them.
type optionalMillis struct {
	given  bool
	millis int64
}

// String implements the Value interface of the flag library.
func (d duration) String() string {
	if d.value == nil || !d.value.given {
		return ""
	}
	return (time.Duration(d.value.millis) * time.Millisecond).String()
}

// Set implements the Value interface of the flag library.
func (d duration) Set(text string) error {
	length, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int64
		n, err = strconv.ParseInt(days, 10, 32)
		length = time.Duration(min(n, 100_000)) * 24 * time.Hour
	}
	if err != nil || length < 0 {
		return usagef("a length of time such as 72h, 30m or 5d is needed")
	}
	*d.value = optionalMillis{true, length.Milliseconds()}
	return nil
}

// Type implements the Value interface of the flag library.
func (d duration) Type() string { return "duration" }

// optional returns the milliseconds, null if no flag gave them.
func (m optionalMillis) optional() iceberg.Optional[int64] {
	return iceberg.Optional[int64]{Val: m.millis, Valid: m.given}
}
