package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/firn-io/firn/store"
)

// errReset is what a connection ends with that the other side has dropped.
var errReset = errors.New("connection reset")

// answers are what a catalog behind HTTP may send to a swap, with the error that its client has to report (B22).
// Only 400 to 404 promise that the swap did not happen, whatever the cell holds, and only 409 and 412 that the
// cell held something else. 429 promises that nothing was done and that the same swap may be sent again.
var answers = []struct {
	status string
	err    error
}{
	{"200-cut", fmt.Errorf("%w: http 200: %w", store.ErrUnknown, io.ErrUnexpectedEOF)},
	{"400", fmt.Errorf("%w: http 400", store.ErrRefused)},
	{"401", fmt.Errorf("%w: http 401", store.ErrRefused)},
	{"403", fmt.Errorf("%w: http 403", store.ErrRefused)},
	{"404", fmt.Errorf("%w: http 404", store.ErrRefused)},
	{"409", fmt.Errorf("%w: http 409", store.ErrConflict)},
	{"412", fmt.Errorf("%w: http 412", store.ErrConflict)},
	{"429", fmt.Errorf("%w: http 429", store.ErrThrottled)},
	{"500", fmt.Errorf("%w: http 500", store.ErrUnknown)},
	{"502", fmt.Errorf("%w: http 502", store.ErrUnknown)},
	{"503", fmt.Errorf("%w: http 503", store.ErrUnknown)},
	{"504", fmt.Errorf("%w: http 504", store.ErrUnknown)},
	{"reset", fmt.Errorf("%w: %w", store.ErrUnknown, errReset)},
	{"deadline", fmt.Errorf("%w: %w", store.ErrUnknown, context.DeadlineExceeded)},
}

// HTTPStatuses returns what a catalog behind HTTP may send to a swap: the codes of refusals and failures;
// 200-cut, a success whose body ends too early; reset and deadline, no answer at all.
func HTTPStatuses() []string {
	var statuses []string
	for _, a := range answers {
		statuses = append(statuses, a.status)
	}
	return statuses
}

// HTTPError returns the error that a client has to report for one of [HTTPStatuses]; of any other status it is
// not known what it means, which is [store.ErrUnknown].
func HTTPError(status string) error {
	for _, a := range answers {
		if a.status == status {
			return a.err
		}
	}
	return fmt.Errorf("%w: http %s", store.ErrUnknown, status)
}

// HTTP returns the outcome of a swap that has no effect and is answered with one of [HTTPStatuses], as in
// http-503.
func HTTP(status string) Outcome { return Outcome("http-" + status) }

// LandHTTP returns the outcome of a swap that has its effect and is answered with one of [HTTPStatuses], as in
// land-http-503.
func LandHTTP(status string) Outcome { return "land-" + HTTP(status) }

// httpBehaviors returns the outcomes of [HTTP] and [LandHTTP].
func httpBehaviors() []behavior {
	var found []behavior
	for _, a := range answers {
		failed := behavior{outcome: HTTP(a.status), ops: []Op{Swap}, err: a.err}
		landed := failed
		landed.outcome, landed.lands = LandHTTP(a.status), true
		found = slices.Concat(found, []behavior{failed, landed})
	}
	return found
}
