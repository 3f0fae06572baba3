package index

import (
	"context"
	"iter"
)

// Superseded is an entry whose status does not count, since another proof of its
// transaction is of a later checkpoint (SPEC 14.2).
type Superseded struct{ Entry, By uint32 }

// Superseded yields the superseded entries in ascending order, after [Index.Settle].
// An error is the last thing that it yields.
func (x *Index) Superseded(ctx context.Context) iter.Seq2[Superseded, error] {
	return func(yield func(Superseded, error) bool) {
		if x.err != nil {
			yield(Superseded{}, x.err)
			return
		}
		d := deciding{index: x}
		for n, by := range x.answers.newer {
			if by == 0 {
				continue
			}
			if n%cancelEvery == 0 && ctx.Err() != nil {
				yield(Superseded{}, ctx.Err())
				return
			}
			same, err := d.sameTransaction(uint32(n), by-1) // #nosec G115 -- a number of a bundle
			if err == nil && !same {
				continue // two hashes are equal by chance
			}
			if !yield(Superseded{x.bundles[n].entry, x.bundles[by-1].entry}, err) || err != nil {
				return
			}
		}
	}
}

// sameTransaction reports whether two bundles are of one transaction of one tenant.
func (d *deciding) sameTransaction(n, by uint32) (bool, error) {
	newer, err := d.facts(by)
	if err != nil {
		return false, err
	}
	older, err := d.index.read(n)
	if err != nil {
		return false, err
	}
	return older.Tenant == newer.Tenant && older.Transaction == newer.Transaction, nil
}
