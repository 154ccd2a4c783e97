package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the comparison as one line.
func JSON(w io.Writer, c Comparison) error {
	return json.NewEncoder(w).Encode(c)
}

// Read reads what [JSON] wrote. Fields that it does not know are left out: another release may have written them.
func Read(r io.Reader) (Comparison, error) {
	d := json.NewDecoder(r)
	var c Comparison
	if err := d.Decode(&c); err != nil {
		return Comparison{}, fmt.Errorf("a comparison of policies: %w", err)
	}
	switch err := d.Decode(new(json.RawMessage)); {
	case err == nil:
		return Comparison{}, fmt.Errorf("a comparison of policies: more than one value")
	case err != io.EOF:
		return Comparison{}, fmt.Errorf("a comparison of policies: %w", err)
	}
	return c, nil
}
