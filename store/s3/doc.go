// Package s3 keeps objects in buckets of Amazon S3 and of servers that are compatible with it.
//
// The name of an object is s3://BUCKET/KEY; KEY is taken literally, byte by byte: percent signs, plus signs, double
// slashes, dots and slashes at either end are part of the key, and go over the wire encoded (rules 12.2). Other
// spellings of the scheme, s3a:// or s3n://, are refused: who has a table with such names maps them with package
// mapped. Refused, too, are an empty key, keys that are not UTF-8 or have control characters, which a listing could
// not show, and directory buckets (their names end in --x-s3), which do not list in order (OS1).
//
// # What the server must give
//
// Conditional writes: a PutObject, and above [Options.PartBytes] a CompleteMultipartUpload, with If-None-Match: *
// has to fail when the object is there. A server that passes over the condition would let one writer destroy the
// work of another, so the store asks before its first Put to a bucket, see [Store.Probe], and refuses such a bucket
// with [ErrNoConditionalWrites]. Listings in the order of the bytes of UTF-8, as general-purpose buckets have them;
// the store holds every listing to that. Reads that see what was written.
//
// # How an answer that got lost is settled
//
// Each Put marks its object with a token of its own in the object's metadata (x-amz-meta-firn-put). When an attempt
// was sent and its answer got lost, a later attempt may find the object there because the first one made it. Then,
// and whenever an outcome is in doubt, the store looks at the object: the token tells its own from that of another.
// Where a server keeps no metadata, the content decides, byte by byte. What cannot be settled is
// [store.ErrUnknown] (OS2).
//
// A multipart upload that a crash or a lost answer leaves open is never visible, but it is stored: give the bucket a
// lifecycle rule that aborts incomplete multipart uploads after some days.
//
// # Configuration
//
// Credentials come from the default chain of the AWS SDK alone: environment, shared files and profiles, single
// sign-on, web identity, container and instance roles. Region, endpoint, profile, retry mode and the like come from
// the SDK's environment variables and files, where [Options] do not say otherwise; AWS_REQUEST_CHECKSUM_CALCULATION
// and AWS_RESPONSE_CHECKSUM_VALIDATION are not read (OS5). The store starts no goroutine of its own and logs
// nothing.
package s3
