package partview

import (
	"context"
	"fmt"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/part"
)

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

// find calls f with the copy of a reference, which is valid during the call.
func (v *View) find(ctx context.Context, ref casefile.Ref, f func(name, *part.Copy) error) error {
	n, ok := v.names.of(ref)
	if !ok || n.log > int64(len(v.logs)) {
		return fmt.Errorf("the parts have no event %d", ref)
	}
	at := 0
	for c, err := range v.content.Copies(ctx, v.logs[n.log-1], n.sequence) {
		if err != nil {
			return err
		}
		if c.Sequence != n.sequence {
			break
		}
		if at == n.variant {
			return f(n, c)
		}
		if at++; at%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("the parts no longer have copy %d of event %d of %s", n.variant, n.sequence, v.logs[n.log-1].LogID)
}

// maxAny is above all sequences.
const maxAny = 1<<63 - 1
