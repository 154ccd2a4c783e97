// Package parquetguard checks Parquet bytes before the decoders of a library see them. Libraries make room for
// whatever a list, a page, a run or a frame claims to hold; the functions here look at those claims first, so that
// what is allocated afterwards is bounded by the input and by explicit limits:
//
//   - [Reader] reads Thrift's compact protocol and believes no length that exceeds the bytes left.
//   - [DecodeFooter] walks a footer, then has parquet-go decode it, and adds what parquet-go's types lose.
//   - [Pages] cuts a column chunk into pages, decompressed into no more than their stated size.
//   - [Levels], [Indexes], [Runs] and [Delta] check run lengths and delta headers against the values expected.
//
// Errors tell the fault and not the file, which the caller knows. Where the caller may need the kind, an error is
// one of [ErrTruncated], [ErrUnsupported] and [LimitError]; all others say that the bytes contradict the format.
package parquetguard
