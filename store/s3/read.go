package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/firn-io/firn/store"
)

// trustedBytes is how much memory is set aside on the word of the server alone.
const trustedBytes = 16 << 20

// errCut says that a connection ended in the middle of an object. It is no end of the object.
var errCut = errors.New("the connection ended in the middle of the object")

// again repeats a read whose connection was cut; the SDK repeats only requests that got no answer at all.
func (s *Store) again(ctx context.Context, read func() error) error {
	for left := s.readAttempts; ; left-- {
		if err := read(); !errors.Is(err, errCut) || left <= 1 || ctx.Err() != nil {
			return err
		}
	}
}

// cut returns the error of a read that ended too early, or that of the context if it has ended.
func cut(ctx context.Context, n, want int64, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w, after %d of %d bytes: %v", errCut, n, want, err)
}

// Get implements [store.Objects].
func (s *Store) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	data, err := s.get(ctx, name, limitBytes)
	return data, store.NameError("get", name, err)
}

func (s *Store) get(ctx context.Context, name string, limitBytes int64) (data []byte, err error) {
	at, err := locate(ctx, name)
	if err != nil {
		return nil, err
	}
	err = s.again(ctx, func() (err error) {
		data, err = s.fetch(ctx, at, limitBytes)
		return err
	})
	return data, err
}

// fetch reads an object once. Its size comes with the answer, ahead of the content.
func (s *Store) fetch(ctx context.Context, at object, limitBytes int64) ([]byte, error) {
	answer, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &at.bucket, Key: &at.key})
	if err != nil {
		return nil, s.explain(ctx, readAction, err)
	}
	defer answer.Body.Close()
	if answer.ContentLength == nil || *answer.ContentLength < 0 {
		return nil, errors.New("the server does not tell the object's size")
	}
	size := *answer.ContentLength
	if limitBytes > 0 && size > limitBytes {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", store.ErrTooLarge, size, limitBytes)
	}
	data := bytes.NewBuffer(make([]byte, 0, min(size, trustedBytes)+bytes.MinRead))
	n, err := data.ReadFrom(io.LimitReader(answer.Body, size))
	if err != nil || n < size {
		return nil, cut(ctx, n, size, err)
	}
	return data.Bytes(), nil
}

// GetRange implements [store.Objects].
func (s *Store) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	n, err := s.getRange(ctx, name, offset, p)
	return n, store.NameError("get", name, err)
}

func (s *Store) getRange(ctx context.Context, name string, offset int64, p []byte) (n int, err error) {
	at, err := locate(ctx, name)
	switch {
	case err != nil:
		return 0, err
	case offset < 0:
		return 0, fmt.Errorf("negative offset %d", offset)
	case len(p) == 0: // HTTP has no empty ranges
		_, err := s.head(ctx, at)
		return 0, err
	}
	err = s.again(ctx, func() (err error) {
		n, err = s.fetchRange(ctx, at, offset, p)
		return err
	})
	return n, err
}

// fetchRange reads a range once.
func (s *Store) fetchRange(ctx context.Context, at object, offset int64, p []byte) (int, error) {
	last := offset + min(int64(len(p))-1, math.MaxInt64-offset)
	answer, err := s.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &at.bucket, Key: &at.key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, last)),
	})
	if statusOf(err) == http.StatusRequestedRangeNotSatisfiable {
		return 0, io.EOF
	}
	if err != nil {
		return 0, s.explain(ctx, readAction, err)
	}
	defer answer.Body.Close()
	size, err := sizeOf(answer, offset)
	if err != nil {
		return 0, err
	}
	want := min(int64(len(p)), size-offset)
	n, err := io.ReadFull(answer.Body, p[:want])
	switch {
	case err != nil:
		return n, cut(ctx, int64(n), want, err)
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// sizeOf returns the size of the whole object from the answer to a read of a range, which must begin at the offset:
// a server that passes over ranges answers with the object from its start.
func sizeOf(answer *s3.GetObjectOutput, offset int64) (int64, error) {
	given := aws.ToString(answer.ContentRange)
	if given == "" && offset == 0 && answer.ContentLength != nil {
		return *answer.ContentLength, nil
	}
	bounds, total, _ := strings.Cut(strings.TrimPrefix(given, "bytes "), "/")
	first, _, _ := strings.Cut(bounds, "-")
	start, err := strconv.ParseInt(first, 10, 64)
	if err != nil || start != offset {
		return 0, fmt.Errorf("asked for a range from %d, the server gives %q", offset, given)
	}
	size, err := strconv.ParseInt(total, 10, 64)
	if err != nil || size <= offset {
		return 0, fmt.Errorf("the server gives the range %q without the object's size", given)
	}
	return size, nil
}
