package ledger

import (
	"context"

	"github.com/svc-edge/svc-verify/archive/run"
)

// Expectation is how a ledger stands to the digest of a record that was kept
// elsewhere.
type Expectation struct {
	Run    int64 // the run whose record has the digest; 0 if none has
	Newest bool  // it is the newest one: there is no run after it
	// Fits tells that the objects are those that the newest record commits to. They
	// are not after an interrupted run, whose objects no record has yet.
	Fits bool
}

// Expect looks for the record with a digest in the chain of records, and compares the
// objects with the newest one. The error is an AlteredError if the records are no
// chain.
func (l *Ledger) Expect(ctx context.Context, digest run.Digest) (e Expectation, err error) {
	var newest Run
	for r, err := range l.Runs(ctx) {
		if err != nil {
			return Expectation{}, err
		}
		if r.Digest == digest {
			e.Run = r.Number
		}
		newest = r
	}
	e.Newest = e.Run != 0 && e.Run == l.state.runs
	objects, octets, root, err := l.Root(ctx)
	if err != nil {
		return Expectation{}, err
	}
	e.Fits = newest.Number != 0 && objects == newest.Objects && octets == newest.Octets && root == newest.Root
	return e, nil
}
