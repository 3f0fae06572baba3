package partview

import "iter"

// stream yields what f yields, and then its error, if it is not errStop.
func stream[T any](f func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := f(func(v T) error {
			if !yield(v, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && err != errStop {
			var none T
			yield(none, err)
		}
	}
}

// maxAny is above all sequences.
const maxAny = 1<<63 - 1
