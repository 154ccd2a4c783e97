package tree_test

import (
	"testing"

	"github.com/firn-io/firn/tree"
)

func TestStatusNumbersAndNames(t *testing.T) {
	names := []string{"EXISTING", "ADDED", "DELETED", "REPLACED", "MODIFIED"}
	alive := []bool{true, true, false, false, true}
	for n, name := range names {
		s, err := tree.StatusFromFormat(int32(n))
		if err != nil || s.String() != name || s.Format() != int32(n) || s.Live() != alive[n] {
			t.Errorf("status %d is %s, number %d, live %v, error %v", n, s, s.Format(), s.Live(), err)
		}
		if parsed, err := tree.ParseStatus(name); err != nil || parsed != s {
			t.Errorf("ParseStatus(%q) = %s, %v", name, parsed, err)
		}
	}
	for _, n := range []int32{-1, 5, 255, 256} {
		if s, err := tree.StatusFromFormat(n); err == nil {
			t.Errorf("status %d is taken as %s", n, s)
		}
	}
	if _, err := tree.ParseStatus("existing"); err == nil {
		t.Error("a lower case status is taken")
	}
	if zero := tree.Status(0); zero.Live() || zero.Format() != -1 || zero.String() != "status(0)" {
		t.Errorf("the zero status is %s", zero)
	}
}

func TestContentNumbersAndNames(t *testing.T) {
	names := []string{"DATA", "POSITION_DELETES", "EQUALITY_DELETES", "DATA_MANIFEST", "DELETE_MANIFEST"}
	for n, name := range names {
		c, err := tree.ContentFromFormat(int32(n))
		if err != nil || c.String() != name || c.Format() != int32(n) || c.IsManifest() != (n > 2) {
			t.Errorf("content %d is %s, number %d, manifest %v, error %v", n, c, c.Format(), c.IsManifest(), err)
		}
	}
	for _, n := range []int32{-1, 5} {
		if c, err := tree.ContentFromFormat(n); err == nil {
			t.Errorf("content %d is taken as %s", n, c)
		}
	}
	if zero := tree.Content(0); zero.Format() != -1 || zero.String() != "content(0)" {
		t.Errorf("the zero content is %s", zero)
	}
}
