package s3_test

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/store/s3"
)

// Credentials, region and endpoint come from where the AWS command line takes them; here the region is given.
// Nothing is sent before the first call about an object, and no call about a name that is none.
func Example() {
	ctx := context.Background()
	objects, err := s3.Open(ctx, s3.Options{Region: "eu-central-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = objects.Get(ctx, "s3a://bucket/table/data.parquet", 0)
	fmt.Println(err)
	// Output:
	// get s3a://bucket/table/data.parquet: "s3a://bucket/table/data.parquet" is no name in S3: s3://BUCKET/KEY is needed
}
