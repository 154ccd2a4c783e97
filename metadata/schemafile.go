package metadata

import "github.com/apache/iceberg-go"

// ParseSchema reads a schema that a person wrote: the JSON of an Iceberg schema, or only {"fields": [...]}.
// The ids of all fields may be left out, then they are assigned from 1 as by [AssignIDs]; a field that does
// not say whether it is required is optional. Members that a schema does not have are errors, as they are most
// often misspelled ones. The schema is checked as that of a new table (MD9).
func ParseSchema(data []byte, l Limits) (*iceberg.Schema, error) {
	l = l.withDefaults()
	data, err := unpack(data, l.MaxBytes)
	if err != nil {
		return nil, err
	}
	d := newDecoder(data, l)
	d.draft = true
	schema := d.schema()
	d.end()
	switch ids := d.fieldIDs; {
	case ids.absent > 0 && len(ids.given) > 0:
		d.fail("%d fields have no id and others have one: give all ids or none", ids.absent)
	case ids.absent > 0 && schema != nil && len(schema.IdentifierFieldIDs) > 0:
		d.fail("identifier-field-ids need fields with ids")
	}
	if d.err != nil {
		return nil, d.err
	}
	if d.fieldIDs.absent > 0 {
		if schema, err = AssignIDs(schema); err != nil {
			return nil, err
		}
	}
	if err := refusal("the schema", checkSchema(schema).complaints); err != nil {
		return nil, err
	}
	return schema, nil
}
