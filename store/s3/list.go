package s3

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/firn-io/firn/store"
)

// List implements [store.Objects]. The prefix is s3://BUCKET/ with any beginning of a key. The order is the server's;
// a listing that is not in the order of bytes ends with an error (OS4).
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		err := ctx.Err()
		var at object
		if err == nil {
			at, err = parse(prefix)
		}
		if err == nil {
			err = s.list(ctx, at, func(info store.Info) bool { return yield(info, nil) })
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(store.Info{}, store.NameError("list", prefix, err))
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// list yields the objects page by page.
func (s *Store) list(ctx context.Context, at object, yield func(store.Info) bool) error {
	input := &s3.ListObjectsV2Input{
		Bucket: &at.bucket, Prefix: &at.key, EncodingType: types.EncodingTypeUrl, MaxKeys: s.pageKeys,
	}
	for last := ""; ; {
		page, err := s.client.ListObjectsV2(ctx, input)
		if err != nil {
			return s.explain(ctx, listAction, err)
		}
		for _, entry := range page.Contents {
			key, err := listedKey(page, entry, at.key, last)
			if err != nil {
				return err
			}
			last = key
			info := store.Info{
				Name:      object{at.bucket, key}.name(),
				SizeBytes: aws.ToInt64(entry.Size), Modified: aws.ToTime(entry.LastModified),
			}
			if !yield(info) {
				return errStopped
			}
		}
		if !aws.ToBool(page.IsTruncated) {
			return nil
		}
		if aws.ToString(page.NextContinuationToken) == "" {
			return errors.New("the server says that there is more, and not how to go on")
		}
		input.ContinuationToken = page.NextContinuationToken
	}
}

// listedKey returns the key of an entry. It must have the prefix and come after the last one.
func listedKey(page *s3.ListObjectsV2Output, entry types.Object, prefix, last string) (string, error) {
	key := aws.ToString(entry.Key)
	if page.EncodingType == types.EncodingTypeUrl {
		decoded, err := url.QueryUnescape(key)
		if err != nil {
			return "", fmt.Errorf("the server lists a key that cannot be decoded: %w", err)
		}
		key = decoded
	}
	if !strings.HasPrefix(key, prefix) {
		return "", fmt.Errorf("the server lists %q under the prefix %q", key, prefix)
	}
	if key <= last && last != "" {
		return "", fmt.Errorf("the server lists %q after %q, not in the order of bytes: use a general-purpose bucket", key, last)
	}
	return key, nil
}
