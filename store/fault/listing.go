package fault

import (
	"iter"

	"github.com/firn-io/firn/store"
)

// listing disturbs a listing as the fault says. Failure is the error of a listing that breaks.
func listing(whole iter.Seq2[store.Info, error], f Fault, failure error) iter.Seq2[store.Info, error] {
	switch f.Outcome {
	case Break:
		return broken(whole, f.Number, failure)
	case Stale:
		return stale(whole)
	default:
		return whole
	}
}

// broken ends a listing with the failure after so many objects, or at its end.
func broken(whole iter.Seq2[store.Info, error], objects int, failure error) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		left := objects
		for info, err := range whole {
			if left == 0 {
				break
			}
			left--
			if !yield(info, err) || err != nil {
				return
			}
		}
		yield(store.Info{}, failure)
	}
}

// stale leaves the newest object out.
func stale(whole iter.Seq2[store.Info, error]) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		var infos []store.Info
		var end error
		newest := -1
		for info, err := range whole {
			if err != nil {
				end = err
				break
			}
			if newest < 0 || !info.Modified.Before(infos[newest].Modified) {
				newest = len(infos)
			}
			infos = append(infos, info)
		}
		for n, info := range infos {
			if n != newest && !yield(info, nil) {
				return
			}
		}
		if end != nil {
			yield(store.Info{}, end)
		}
	}
}
