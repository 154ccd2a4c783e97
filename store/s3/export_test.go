package s3

import "github.com/aws/aws-sdk-go-v2/aws"

// AlwaysInParts makes the store upload every object in parts.
func (s *Store) AlwaysInParts() { s.multipartAbove = -1 }

// PageKeys sets how many keys a page of a listing has.
func (s *Store) PageKeys(n int32) { s.pageKeys = aws.Int32(n) }

// Endpoint returns where requests go, "" for Amazon's servers, and how they name the bucket.
func (s *Store) Endpoint() (endpoint string, pathStyle bool) {
	return s.endpoint, s.client.Options().UsePathStyle
}

// PartSize is the size of the parts for an object.
var PartSize = partSize
