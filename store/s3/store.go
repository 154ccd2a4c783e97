package s3

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/firn-io/firn/store"
)

// Store is a [store.Objects] in S3. Make it with [Open].
type Store struct {
	client   *s3.Client
	endpoint string // "" for Amazon's
	region   string
	// partBytes is the size of parts; objects longer than multipartAbove go in parts. If it is negative, none does.
	partBytes, multipartAbove int64
	readAttempts              int
	pageKeys                  *int32 // of a listing; nil for the server's
	skipProbe                 bool

	// probing is held by the one call that probes.
	probing chan struct{}
	mu      sync.Mutex
	buckets map[string]bucket
}

// bucket is what is known about a bucket: which kinds of conditional writes are honored.
type bucket struct {
	puts, multiparts bool
}

var _ store.Objects = (*Store)(nil)

// bucket returns what is known about a bucket.
func (s *Store) bucket(name string) bucket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buckets[name]
}

// learn adds to what is known about a bucket.
func (s *Store) learn(name string, news bucket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.buckets[name]
	s.buckets[name] = bucket{
		puts: known.puts || news.puts, multiparts: known.multiparts || news.multiparts,
	}
}

// Stat implements [store.Objects].
func (s *Store) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := s.stat(ctx, name)
	return info, store.NameError("stat", name, err)
}

func (s *Store) stat(ctx context.Context, name string) (store.Info, error) {
	at, err := locate(ctx, name)
	if err != nil {
		return store.Info{}, err
	}
	head, err := s.head(ctx, at)
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{
		Name: name, SizeBytes: aws.ToInt64(head.ContentLength), Modified: aws.ToTime(head.LastModified),
	}, nil
}

// head asks for an object's headers.
func (s *Store) head(ctx context.Context, at object) (*s3.HeadObjectOutput, error) {
	head, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &at.bucket, Key: &at.key})
	if err != nil {
		return nil, s.explain(ctx, readAction, s.reason(ctx, at, err))
	}
	return head, nil
}

// reason finds out why a HEAD was refused. The answer to one has no content, and so no room to say whether it is
// the object or the bucket that is missing, or what is wrong with the credentials; the answer to a GET has.
func (s *Store) reason(ctx context.Context, at object, refusal error) error {
	if status := statusOf(refusal); status < http.StatusMultipleChoices || status >= http.StatusInternalServerError {
		return refusal
	}
	answer, err := s.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &at.bucket, Key: &at.key, Range: aws.String("bytes=0-0"),
	})
	if err == nil {
		answer.Body.Close()
	}
	if statusOf(err) == statusOf(refusal) {
		return err
	}
	return refusal
}

// Delete implements [store.Objects]. In a bucket with versions it hides the object: older versions are the
// bucket's business.
func (s *Store) Delete(ctx context.Context, name string) error {
	return store.NameError("delete", name, s.delete(ctx, name))
}

func (s *Store) delete(ctx context.Context, name string) error {
	at, err := locate(ctx, name)
	if err != nil {
		return err
	}
	_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &at.bucket, Key: &at.key})
	if err = s.explain(ctx, deleteAction, err); errors.Is(err, store.ErrNotFound) {
		return nil // some servers answer 404, S3 answers 204
	}
	return err
}
