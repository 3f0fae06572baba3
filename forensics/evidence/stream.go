package evidence

import (
	"errors"
	"iter"
)

// ErrStop ends an iteration whose caller needs no more.
var ErrStop = errors.New("enough")

// Stream yields the values that f yields, and then its error, if it is not ErrStop.
func Stream[T any](f func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := f(func(v T) error {
			if !yield(v, nil) {
				return ErrStop
			}
			return nil
		})
		if err != nil && err != ErrStop {
			var none T
			yield(none, err)
		}
	}
}
