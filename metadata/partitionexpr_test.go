package metadata_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
)

func TestParsePartition(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "[]"},
		{"  ", "[]"},
		{"day(ts), identity(region)", "[\n\t1000: ts_day: day(2)\n\t1001: region: identity(4)\n]"},
		{"region", "[\n\t1000: region: identity(4)\n]"},
		{" Bucket( 8 ,id ),truncate(4,name)", "[\n\t1000: id_bucket: bucket[8](1)\n\t1001: name_trunc: truncate[4](3)\n]"},
		{"year(ts)", "[\n\t1000: ts_year: year(2)\n]"},
		{"month(ts)", "[\n\t1000: ts_month: month(2)\n]"},
		{"hour(ts)", "[\n\t1000: ts_hour: hour(2)\n]"},
		{"void(price)", "[\n\t1000: price_null: void(5)\n]"},
		{"where.city", "[\n\t1000: where.city: identity(7)\n]"},
		{"day(ts), bucket(2, ts)", "[\n\t1000: ts_day: day(2)\n\t1001: ts_bucket: bucket[2](2)\n]"},
	} {
		spec, err := metadata.ParsePartition(test.text, eventSchema())
		if err != nil || spec.String() != test.want || spec.ID() != 0 {
			t.Errorf("%s: %s, %v", test.text, spec, err)
		}
	}
}

func TestParsePartitionRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"weekly(ts)", `metadata: partition "weekly(ts)": unknown transform "weekly"; known are identity(column), year`},
		{"day(tz)", `metadata: partition "day(tz)": the schema has no column "tz"`},
		{"day(TS)", `the schema has no column "TS"`},
		{"day()", `the schema has no column ""`},
		{"day(name)", `metadata: partition "day(name)": partition field "name_day": day does not apply to column "name" of type string`},
		{"bucket(8, price)", `does not apply to column "price" of type double`},
		{"where", `identity does not apply to column "where"`},
		{"bucket(id)", "bucket takes a positive number and a column, as in bucket(8, column)"},
		{"bucket(id, 8)", "bucket takes a positive number"},
		{"bucket(0, id)", "bucket takes a positive number"},
		{"truncate(99999999999, name)", "truncate takes a positive number"},
		{"day(ts", "the parentheses do not match"},
		{"day(ts))", "the parentheses do not match"},
		{"day((ts))", "the parentheses do not match"},
		{"day(ts) region", "there is something after the closing parenthesis"},
		{"day(ts),,region", "there is nothing between two commas"},
		{"day(ts),", "there is nothing between two commas"},
		{"day(ts), hour(ts)", `partition field "ts_hour": "ts_day" partitions by the same column`},
		{"region, identity(region)", `partition field "region": the name is empty or stands twice`},
		{"bucket(8, id), bucket(16, id)", `partition field "id_bucket": the name is empty or stands twice`},
	} {
		_, err := metadata.ParsePartition(test.text, eventSchema())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}
