package s3

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/firn-io/firn/store"
)

// probeName begins the last segment of the names of probe objects.
const probeName = ".firn-probe-"

// useAnother is the advice for a bucket without conditional writes.
const useAnother = "use a bucket, or a newer version of the server, that honors If-None-Match"

// Probe finds out whether a bucket honors conditional writes, both in one request and, unless [Options.PartBytes]
// turns them off, of multipart uploads. It writes an object of a new name, .firn-probe-…, below the prefix
// (s3://BUCKET/ or with a folder), tries to write it again, which must fail, and deletes it; where the credentials
// do not permit to delete, it stays. [ErrNoConditionalWrites] if the second write did not fail.
//
// The first Put to a bucket does the same in the object's folder, and the first Put of a multipart upload for
// those, so there is no need to call it; a bucket is probed once in the life of a Store (OS3).
func (s *Store) Probe(ctx context.Context, prefix string) error {
	at, err := parse(prefix)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = s.prove(ctx, at, bucket{puts: true, multiparts: s.partBytes > 0})
	}
	return store.NameError("probe", prefix, err)
}

// prove makes sure that the wanted kinds of conditional writes are honored in a bucket. One call at a time probes,
// others wait for what it finds.
func (s *Store) prove(ctx context.Context, at object, want bucket) error {
	if s.bucket(at.bucket).covers(want) {
		return nil
	}
	select {
	case s.probing <- struct{}{}:
		defer func() { <-s.probing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	known := s.bucket(at.bucket)
	if known.covers(want) {
		return nil
	}
	folder := at.key[:strings.LastIndexByte(at.key, '/')+1]
	return s.probe(ctx, object{bucket: at.bucket, key: folder + probeName + rand.Text()}, known, want)
}

// covers reports whether all that is wanted is known.
func (b bucket) covers(want bucket) bool {
	return (b.puts || !want.puts) && (b.multiparts || !want.multiparts)
}

// probe writes a new object and tries to write it again in the wanted ways.
func (s *Store) probe(ctx context.Context, at object, known, want bucket) error {
	first := newUpload(at, []byte("firn probes conditional writes\n"))
	if err := s.judge(ctx, first, s.sendWhole(ctx, first)); err != nil {
		return err
	}
	defer s.removeProbe(ctx, at)
	second := newUpload(at, first.data)
	if want.puts && !known.puts {
		if err := s.refuses(ctx, s.sendWhole(ctx, second), "a second write replaced the first: "+useAnother); err != nil {
			return err
		}
		s.learn(at.bucket, bucket{puts: true})
	}
	if want.multiparts && !known.multiparts {
		const advice = "a multipart upload replaced an object: " + useAnother + ", or set PartBytes to -1"
		if err := s.refuses(ctx, s.sendParts(ctx, second), advice); err != nil {
			return err
		}
		s.learn(at.bucket, bucket{multiparts: true})
	}
	return nil
}

// refuses returns an error unless the upload was refused because the object is there.
func (s *Store) refuses(ctx context.Context, out outcome, advice string) error {
	switch {
	case out.err == nil:
		return because(ErrNoConditionalWrites, "%s", advice)
	case refusedAsPresent(out.err):
		return nil
	}
	return s.explainPut(ctx, out.err)
}

// removeProbe deletes a probe object. Writers need no permission to delete, so a failure is none of the probe.
func (s *Store) removeProbe(ctx context.Context, at object) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_, _ = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &at.bucket, Key: &at.key})
}
