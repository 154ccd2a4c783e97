package oracle_test

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mapped"
)

// A table that another program wrote is checked where it was copied to.
func ExampleCheck() {
	copied, err := mapped.ParseRule("s3://firn-fixtures/row-ids=../testdata/interop/java-1.12.0/row-ids")
	if err != nil {
		fmt.Println(err)
		return
	}
	target := oracle.Target{
		Objects:  mapped.New(mapped.Schemes{"file": dir.New()}, copied),
		Metadata: "s3://firn-fixtures/row-ids/metadata/00003-3a72910a-b39a-3f22-812e-df5fdb518363.metadata.json",
	}
	for finding, err := range oracle.Check(context.Background(), target, oracle.Options{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(finding.Severity, finding.Rule, finding.Row, finding.Field, finding.Found)
	}
	// Output:
	// warning L-ROW-ID-NULL 7 tracking.first_row_id null
	// warning L-ROW-ID-NULL 8 tracking.first_row_id null
	// warning L-MIXED 3 tracking.status DELETED
}
