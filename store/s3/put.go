package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/firn-io/firn/store"
)

// tokenKey is the object's metadata that holds the token of the Put that made it.
const tokenKey = "firn-put"

// absent is the condition that no object of the name is there.
const absent = "*"

// upload is what one Put writes. All its attempts have the same token.
type upload struct {
	object
	data  []byte
	token string
}

// newUpload returns an upload with a token of its own.
func newUpload(at object, data []byte) upload {
	return upload{object: at, data: data, token: rand.Text()}
}

// metadata returns what the object is marked with.
func (u upload) metadata() map[string]string { return map[string]string{tokenKey: u.token} }

// outcome is what came of sending an upload: the last error, and whether an attempt may have landed whose answer
// did not say so.
type outcome struct {
	err      error
	doubtful bool
}

// Put implements [store.Objects]. The first Put to a bucket probes it, see [Store.Probe]. With an error that wraps
// neither [store.ErrExists] nor [store.ErrUnknown], nothing was written.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	return store.NameError("put", name, s.put(ctx, name, data))
}

func (s *Store) put(ctx context.Context, name string, data []byte) error {
	at, err := locate(ctx, name)
	if err != nil {
		return err
	}
	multipart := s.partBytes > 0 && int64(len(data)) > s.multipartAbove
	if !s.skipProbe {
		if err := s.prove(ctx, at, bucket{puts: true, multiparts: multipart}); err != nil {
			return err
		}
	}
	u := newUpload(at, data)
	if multipart {
		return s.judge(ctx, u, s.sendParts(ctx, u))
	}
	return s.judge(ctx, u, s.sendWhole(ctx, u))
}

// sendWhole sends the upload in one request. The SDK repeats it after errors that may pass; S3 asks for that, too,
// after a conflict with another request that was under way.
func (s *Store) sendWhole(ctx context.Context, u upload) outcome {
	var seen attempts
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &u.bucket, Key: &u.key, Metadata: u.metadata(), IfNoneMatch: aws.String(absent),
		Body: bytes.NewReader(u.data), ContentLength: aws.Int64(int64(len(u.data))), ContentMD5: sum(u.data),
	}, seen.watch, func(o *s3.Options) { o.Retryer = retry.AddWithErrorCodes(o.Retryer, conflicts...) })
	return outcome{err, seen.doubtful}
}

// sum returns the checksum of a request's content, for the server to compare. Every server knows this one, and
// buckets with object lock ask for it (OS5).
func sum(data []byte) *string {
	digest := md5.Sum(data)
	return aws.String(base64.StdEncoding.EncodeToString(digest[:]))
}

// judge says what became of an upload.
func (s *Store) judge(ctx context.Context, u upload, out outcome) error {
	switch {
	case out.err == nil:
		return nil
	case !out.doubtful && refusedAsPresent(out.err):
		return store.ErrExists
	case out.doubtful, isConflict(out.err):
		return s.settle(ctx, u, s.explainPut(ctx, out.err))
	}
	return s.explainPut(ctx, out.err)
}

// explainPut explains why an upload failed.
func (s *Store) explainPut(ctx context.Context, err error) error {
	if statusOf(err) == http.StatusNotImplemented {
		return because(ErrNoConditionalWrites, "the server answers %s (HTTP %d): %s", codeOf(err), statusOf(err), useAnother)
	}
	return s.explain(ctx, putAction, err)
}

// settle looks at the object to find out what became of an upload whose outcome is in doubt (OS2). If another made
// the object, this upload cannot land any more while the object is there.
func (s *Store) settle(ctx context.Context, u upload, cause error) error {
	head, err := s.head(ctx, u.object)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("%w: no object is there yet, but a request may still be under way: %w", store.ErrUnknown, cause)
	case err != nil:
		return fmt.Errorf("%w: %w; looking at the object: %w", store.ErrUnknown, cause, err)
	}
	switch head.Metadata[tokenKey] {
	case u.token:
		return nil
	case "":
		return s.compare(ctx, u, aws.ToInt64(head.ContentLength), cause)
	}
	return store.ErrExists
}

// compare settles by content: the object that is there has no token.
func (s *Store) compare(ctx context.Context, u upload, sizeBytes int64, cause error) error {
	if sizeBytes != int64(len(u.data)) {
		return store.ErrExists
	}
	there, err := s.get(ctx, u.name(), sizeBytes)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w; reading the object: %w", store.ErrUnknown, cause, err)
	case !bytes.Equal(there, u.data):
		return store.ErrExists
	}
	return nil
}
