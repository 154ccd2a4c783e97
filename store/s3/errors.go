package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/firn-io/firn/store"
)

// Errors of the environment. The message that wraps one of them says what happened and what to do.
var (
	// ErrNoConditionalWrites says that the bucket's server passes over If-None-Match or refuses it: two writers
	// of one name could destroy each other's work there.
	ErrNoConditionalWrites = errors.New("no conditional writes")
	// ErrCredentials says that there are no credentials, or that the server takes them as invalid or expired.
	ErrCredentials = errors.New("bad credentials")
	// ErrDenied says that the credentials do not permit the call.
	ErrDenied = errors.New("access denied")
	// ErrNoBucket says that there is no such bucket.
	ErrNoBucket = errors.New("no such bucket")
	// ErrRegion says that the bucket is in another region.
	ErrRegion = errors.New("wrong region")
	// ErrUnreachable says that no connection led to an answer of the server.
	ErrUnreachable = errors.New("server unreachable")
)

// The permissions that calls need.
const (
	putAction    = "s3:PutObject"
	readAction   = "s3:GetObject"
	listAction   = "s3:ListBucket"
	deleteAction = "s3:DeleteObject"
)

// failure is an error whose chain is chosen: what the SDK wraps does not get in, because a connection that ends
// looks like the end of an object there (io.EOF), and a missing file of credentials like a missing object.
type failure struct {
	text  string
	kinds []error
}

// Error implements error.
func (f *failure) Error() string { return f.text }

// Unwrap returns the kinds of the failure, and the server's own error if there is one.
func (f *failure) Unwrap() []error { return f.kinds }

// because returns a failure of one kind; format and args say what happened and what to do.
func because(kind error, format string, args ...any) *failure {
	return &failure{text: fmt.Sprintf("%v: %s", kind, fmt.Sprintf(format, args...)), kinds: []error{kind}}
}

// explain turns an error of the SDK into one of this package, or of package store. nil stays nil.
func (s *Store) explain(ctx context.Context, action string, err error) error {
	var bad credentialsError
	var response *smithyhttp.ResponseError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &bad):
		return because(ErrCredentials,
			"%v: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or give the machine a role", bad.error)
	case errors.As(err, &response) && response.HTTPStatusCode() != 0:
		return s.explainAnswer(action, err, response)
	case sent(err):
		return because(ErrUnreachable, "%s: no answer from %s: check the network, and AWS_ENDPOINT_URL or the endpoint in the options",
			plain(err), s.host())
	}
	return errors.New(err.Error())
}

// explainAnswer explains an answer of the server that is an error.
func (s *Store) explainAnswer(action string, err error, response *smithyhttp.ResponseError) error {
	status, code, answer := response.HTTPStatusCode(), codeOf(err), answerText(err, response)
	region := response.Response.Header.Get("X-Amz-Bucket-Region")
	var found *failure
	switch {
	case code == "NoSuchBucket":
		found = because(ErrNoBucket, "%s: make it, or mend its name, AWS_REGION or the endpoint", answer)
	case slices.Contains(expired, code):
		found = because(ErrCredentials, "%s: get new ones, for instance by signing in again", answer)
	case slices.Contains(skewed, code):
		found = because(ErrCredentials, "%s: set this machine's clock", answer)
	case slices.Contains(invalid, code):
		found = because(ErrCredentials, "%s: check the keys, and that they are this server's", answer)
	case region != "" && region != s.region || slices.Contains(elsewhere, code) || status == http.StatusMovedPermanently:
		found = because(ErrRegion, "%s: this store uses %q, the bucket is in %q: set AWS_REGION", answer, s.region, region)
	case status == http.StatusForbidden:
		found = because(ErrDenied, "%s: the credentials need %s here; without s3:ListBucket a missing object is denied too",
			answer, action)
	case status == http.StatusNotFound && code != "NoSuchUpload":
		found = because(store.ErrNotFound, "%s", answer)
	default:
		found = &failure{text: "the server answers " + answer}
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		found.kinds = append(found.kinds, api)
	}
	return found
}

// The codes of S3 by what they mean for the user.
var (
	expired   = []string{"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"}
	skewed    = []string{"RequestTimeTooSkewed"}
	invalid   = []string{"InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidClientTokenId"}
	elsewhere = []string{"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}
)

// host names the server for messages.
func (s *Store) host() string {
	if s.endpoint != "" {
		return s.endpoint
	}
	return "Amazon S3 in " + s.region
}

// answerText shows an answer of the server.
func answerText(err error, response *smithyhttp.ResponseError) string {
	text := fmt.Sprintf("what cannot be read: %v", response.Err)
	var api smithy.APIError
	if errors.As(err, &api) {
		text = api.ErrorCode()
		if message := api.ErrorMessage(); message != "" && message != text {
			text += ": " + message
		}
	}
	text = fmt.Sprintf("%s (HTTP %d", text, response.HTTPStatusCode())
	if id := response.Response.Header.Get("X-Amz-Request-Id"); id != "" {
		text += ", request " + id
	}
	return text + ")"
}

// codeOf returns the server's code of an error, or "".
func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// statusOf returns the HTTP status of the answer that an error is about; 0 if there was no answer, or no error.
func statusOf(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

// sent reports whether the error is about a request that was to be sent and got no answer.
func sent(err error) bool {
	var send *smithyhttp.RequestSendError
	return errors.As(err, &send)
}

// plain shows the cause of a request that got no answer, without the layers around it.
func plain(err error) string {
	var called *url.Error
	if errors.As(err, &called) {
		return called.Err.Error()
	}
	return err.Error()
}
