package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// ErrNothingToAccept reports an object that is as it should be, or that is not known.
var ErrNothingToAccept = errors.New("there is nothing to accept")

// ErrOtherDigest reports that an object is to be accepted with a digest that it has not.
var ErrOtherDigest = errors.New("it has another digest")

// Accept accepts an object as it is, and commits that. The digest is of the present bytes, or
// of the former bytes of a missing object. From now on, an altered or replaced object has the
// state that was found, and a missing one is forgotten. One that does not verify stays so, and
// fails no check. An unreadable one cannot be accepted: there is nothing to compare later
// bytes with.
func (w *Writer) Accept(path string, digest [sha256.Size]byte, by run.Acceptance) (run.Change, error) {
	fail := func(err error) (run.Change, error) {
		return run.Change{}, fmt.Errorf("%s: %w", safetext.Quote(path), err)
	}
	if !run.IsText(by.By) || !run.IsText(by.Reason) {
		return run.Change{}, fmt.Errorf("name and reason: expected 1 to %d octets without control characters", run.MaxText)
	}
	o, found, err := w.Object(path)
	switch {
	case err != nil:
		return run.Change{}, err
	case !found || o.Wrong == "" && !o.Doubtful():
		return fail(ErrNothingToAccept)
	case o.Wrong == Unreadable:
		return fail(fmt.Errorf("%w: it cannot be read", ErrNothingToAccept))
	}
	c := run.Change{Path: path, Class: run.Accepted, Before: o.State(), Acceptance: &by}
	if has := o.Present().SHA256; has != digest {
		return fail(fmt.Errorf("%w: %x", ErrOtherDigest, has))
	}
	if o.Wrong == Missing {
		err = w.Remove(path)
	} else {
		o.Rebase()
		o.Lost, o.Accepted = false, true
		c.After = o.State()
		err = w.Put(&o)
	}
	return c, errors.Join(err, w.Note(&c), w.Commit())
}

// Doubtful reports whether an object lost its verdict or does not verify, and its owner has
// not accepted that.
func (o *Object) Doubtful() bool {
	v := o.Judgement.Verdict
	return o.Lost || !o.Accepted && (v == outcome.Rejected || v == outcome.Inconclusive)
}

// Rebase replaces the recorded state of an altered or replaced object with the found state.
// The judgement on the found bytes then belongs to no context: they are verified again.
func (o *Object) Rebase() {
	if f := &o.Found; o.HasOther() {
		o.Size, o.SHA256, o.Modified, o.ReadIn, o.ReadAt = f.Size, f.SHA256, f.Modified, f.ReadIn, f.ReadAt
		o.Judgement, o.Context, o.VerifiedIn, o.VerifiedAt = f.Judgement, object.Context{}, 0, 0
	}
	o.Wrong, o.Found = "", Found{}
}
