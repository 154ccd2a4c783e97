package s3

import (
	"bytes"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// tidyTime bounds a request that tidies up after a call, which is sent even when the call's context has ended.
const tidyTime = 10 * time.Second

// sendParts sends the upload in parts, one after the other. The object appears as a whole with the last request,
// which carries the condition. After a conflict S3 asks for all parts again; here that is left to the caller (OS6).
func (s *Store) sendParts(ctx context.Context, u upload) outcome {
	created, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &u.bucket, Key: &u.key, Metadata: u.metadata(),
	})
	if err != nil {
		return outcome{err: err}
	}
	parts, err := s.uploadParts(ctx, u, created.UploadId)
	if err != nil {
		s.abort(ctx, u, created.UploadId)
		return outcome{err: err}
	}
	var seen attempts
	_, err = s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &u.bucket, Key: &u.key, UploadId: created.UploadId, IfNoneMatch: aws.String(absent),
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	}, seen.watch)
	if err != nil && !seen.doubtful {
		s.abort(ctx, u, created.UploadId)
	}
	return outcome{err, seen.doubtful}
}

// uploadParts uploads the content; an empty one is one empty part.
func (s *Store) uploadParts(ctx context.Context, u upload, id *string) ([]types.CompletedPart, error) {
	var parts []types.CompletedPart
	size := partSize(int64(len(u.data)), s.partBytes)
	for rest := u.data; len(parts) == 0 || len(rest) > 0; {
		part := rest[:min(int64(len(rest)), size)]
		rest = rest[len(part):]
		number := aws.Int32(int32(len(parts) + 1))
		done, err := s.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &u.bucket, Key: &u.key, UploadId: id, PartNumber: number,
			Body: bytes.NewReader(part), ContentLength: aws.Int64(int64(len(part))), ContentMD5: sum(part),
		})
		if err != nil {
			return nil, err
		}
		parts = append(parts, types.CompletedPart{ETag: done.ETag, PartNumber: number})
	}
	return parts, nil
}

// partSize returns the size of the parts for an object: the one that was asked for, or a larger one where there
// would be too many parts.
func partSize(sizeBytes, askedBytes int64) int64 {
	return max(askedBytes, (sizeBytes+maxParts-1)/maxParts)
}

// abort gives up an upload that can make no object any more. When it fails, what was uploaded stays, invisible, until
// the bucket's lifecycle rule removes it; the caller has an error to report already.
func (s *Store) abort(ctx context.Context, u upload, id *string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_, _ = s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &u.bucket, Key: &u.key, UploadId: id})
}
