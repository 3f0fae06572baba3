package partview

import (
	"context"
	"fmt"
	"hash/maphash"
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

// arrived appends the arrivals of a copy.
func (v *View) arrived(all []casefile.Arrived, c *part.Copy, ref casefile.Ref) []casefile.Arrived {
	best := casefile.Fidelity(fidelity(c))
	for i := range c.Arrivals {
		a := &c.Arrivals[i]
		in := &v.shares[a.Share]
		all = append(all, casefile.Arrived{Ref: ref, Sequence: c.Sequence, OccurredAt: c.OccurredAt,
			ObservedAt: a.ObservedAt, Fidelity: best, Container: in.containers[a.Container], Source: in.source,
			Record: in.record + a.Record, Batch: batchNumber(a.Batch), Offset: a.Offset, Rank: in.source})
	}
	return all
}

var batchSeed = maphash.MakeSeed()

// batchNumber returns a number that is equal for equal batch ids; 0 without any.
func batchNumber(batch string) int64 {
	if batch == "" {
		return 0
	}
	return int64(maphash.String(batchSeed, batch) | 1)
}
