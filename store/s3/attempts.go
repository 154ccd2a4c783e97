package s3

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
)

// conflicts are the codes for a write that did not happen because another of the same name was under way.
var conflicts = []string{"ConditionalRequestConflict", "OperationAborted"}

// attempts watches the attempts that the SDK makes for one call: its result tells of the last one only. The SDK
// makes them one after the other.
type attempts struct {
	// doubtful says that an attempt may have had its effect though it did not report success.
	doubtful bool
}

// watch is an option of a call. Its layer is the innermost that sees the answer decoded, and so sees every attempt.
func (a *attempts) watch(o *s3.Options) {
	layer := middleware.DeserializeMiddlewareFunc("firn.attempts", func(
		ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleDeserialize(ctx, in)
		a.doubtful = a.doubtful || mayHaveLanded(err)
		return out, metadata, err
	})
	o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(layer, middleware.Before)
	})
}

// mayHaveLanded reports whether a write may have had its effect though the attempt ended with err. A server that
// answers with a refusal did nothing; of its inner failures, and of connections that broke, nothing is known, unless
// the connection never came about.
func mayHaveLanded(err error) bool {
	status := statusOf(err)
	switch {
	case err == nil || refusedAsPresent(err):
		return false
	case status == 0:
		return !neverConnected(err)
	case status == http.StatusNotImplemented:
		return false
	}
	return status < http.StatusMultipleChoices || status >= http.StatusInternalServerError
}

// neverConnected reports whether no connection came about, so that nothing was sent.
func neverConnected(err error) bool {
	var called *net.OpError
	return errors.As(err, &called) && called.Op == "dial"
}

// refusedAsPresent reports whether the server refused a write because the object is there.
func refusedAsPresent(err error) bool {
	return statusOf(err) == http.StatusPreconditionFailed || codeOf(err) == "PreconditionFailed"
}

// isConflict reports whether a write did not happen because another of the same name was under way.
func isConflict(err error) bool { return slices.Contains(conflicts, codeOf(err)) }
