package treetext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/firn-io/firn/tree"
)

// maxTypeDepth is the deepest foreign type that is read.
const maxTypeDepth = 100

var foreignAccess = value(func(e *tree.Entry) *[]tree.ForeignField { return &e.Foreign }, printForeign, parseForeign)

// printForeign prints foreign columns: [{in=147,type={id=900,name=extra,rep=2,physical=INT32},cells=[0/0/1/0x05000000]}].
func printForeign(columns []tree.ForeignField) (string, bool) {
	var parts []string
	for _, c := range columns {
		var members []string
		if c.Parent != tree.InEntry {
			members = append(members, fmt.Sprintf("in=%d", c.Parent))
		}
		if c.Type != nil {
			members = append(members, "type="+printType(c.Type))
		}
		if len(c.Cells) > 0 {
			members = append(members, "cells="+printCells(c.Cells))
		}
		parts = append(parts, "{"+strings.Join(members, ",")+"}")
	}
	return "[" + strings.Join(parts, ",") + "]", len(columns) > 0
}

// attributes are the parts of a foreign type that are numbers and texts; the ones that are zero are left out.
func attributes(t *tree.ForeignType) (numbers map[string]*int, texts map[string]*string) {
	numbers = map[string]*int{"id": &t.ID, "length": &t.TypeLength, "precision": &t.Precision, "scale": &t.Scale}
	texts = map[string]*string{"name": &t.Name, "physical": &t.Physical, "logical": &t.Logical, "converted": &t.Converted}
	return numbers, texts
}

func printType(t *tree.ForeignType) string {
	var members []string
	numbers, texts := attributes(t)
	for _, name := range []string{"id", "name", "physical", "length", "logical", "converted", "precision", "scale"} {
		if n := numbers[name]; n != nil && *n != 0 {
			members = append(members, fmt.Sprintf("%s=%d", name, *n))
		}
		if s := texts[name]; s != nil && *s != "" {
			members = append(members, name+"="+strconv.Quote(*s))
		}
	}
	if t.Repetition != 0 {
		members = append(members, fmt.Sprintf("rep=%d", t.Repetition))
	}
	if len(t.Children) > 0 {
		var children []string
		for _, child := range t.Children {
			children = append(children, printType(child))
		}
		members = append(members, "children=["+strings.Join(children, ",")+"]")
	}
	return "{" + strings.Join(members, ",") + "}"
}

// printCells prints cells as leaf/rep/def, and the value if it has one.
func printCells(cells []tree.ForeignCell) string {
	var parts []string
	for _, c := range cells {
		text := fmt.Sprintf("%d/%d/%d", c.Leaf, c.Rep, c.Def)
		if c.Value != "" {
			text += "/" + formatBytes([]byte(c.Value))
		}
		parts = append(parts, text)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func parseForeign(text string) ([]tree.ForeignField, error) {
	return parseList(text, func(text string) (tree.ForeignField, error) {
		var c tree.ForeignField
		err := eachMember(text, "=", func(name, text string) (err error) {
			switch name {
			case "in":
				err = parseSmall(&c.Parent, text)
			case "type":
				c.Type, err = parseType(text, maxTypeDepth)
			case "cells":
				c.Cells, err = parseList(text, parseCell)
			default:
				err = errNoMember
			}
			return err
		})
		return c, err
	})
}

var errNoMember = errors.New("there is no such member")

// parseList reads the items of [item,...]; none gives nil.
func parseList[T any](text string, parse func(string) (T, error)) ([]T, error) {
	items, err := list(text, '[', ']')
	if err != nil {
		return nil, err
	}
	var all []T
	for _, item := range items {
		v, err := parse(item)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func parseType(text string, depth int) (*tree.ForeignType, error) {
	if depth == 0 {
		return nil, errors.New("the type is nested too deeply")
	}
	t := &tree.ForeignType{}
	numbers, texts := attributes(t)
	err := eachMember(text, "=", func(name, text string) (err error) {
		switch {
		case numbers[name] != nil:
			err = parseSmall(numbers[name], text)
		case texts[name] != nil:
			*texts[name], err = unquote(text)
		case name == "rep":
			var n int
			err = parseSmall(&n, text)
			t.Repetition = tree.Repetition(n)
		case name == "children":
			t.Children, err = parseList(text, func(text string) (*tree.ForeignType, error) {
				return parseType(text, depth-1)
			})
		default:
			err = errNoMember
		}
		return err
	})
	return t, err
}

func parseCell(text string) (tree.ForeignCell, error) {
	var c tree.ForeignCell
	parts := strings.Split(text, "/")
	if len(parts) < 3 || len(parts) > 4 {
		return c, errors.New("want leaf/rep/def and a value")
	}
	for i, at := range []*int{&c.Leaf, &c.Rep, &c.Def} {
		if err := parseSmall(at, parts[i]); err != nil {
			return c, err
		}
	}
	if len(parts) == 4 {
		data, err := parseBytes(parts[3])
		c.Value = string(data)
		return c, err
	}
	return c, nil
}

func parseSmall(at *int, text string) error {
	n, err := parseInt(text, 32)
	*at = int(n)
	return err
}
