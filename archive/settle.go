package archive

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/outcome"
)

// settleRead decides the result of an object that was examined.
func (c *check) settleRead(x *examined) error {
	it := &x.item
	if x.fault != "" {
		return c.settleFault(x.index, it, x.fault)
	}
	if !it.known {
		if from := c.gone.takeOctets(x.sha256); from != nil {
			return c.settleMoved(x, from.index, false)
		}
		if from := c.gone.takePacked(x.judged); from != nil {
			return c.settleMoved(x, from.index, true)
		}
	}
	repacked, err := c.isRepacked(x)
	if err != nil {
		return err
	}
	kind, verdict, said := it.row.kind, it.row.verdict, it.row.said
	if x.judged != nil {
		kind, verdict, said = x.judged.Kind, x.judged.Verdict, x.judged.Facts.Tally()
	}
	b := became{kind: kind, verdict: verdict, said: said, octets: x.size, read: true, reused: x.judged == nil,
		class: Classify(Observed{Known: it.known, Wrong: it.row.wrong, There: true, Read: true, Same: x.same,
			Repacked: repacked, Continues: x.continues,
			Verified: verdict == outcome.Verified, Changed: verdict != it.row.verdict})}
	loses := it.row.verdict == outcome.Verified && verdict != outcome.Verified && b.class != Intact
	b.lost = b.class.goesOn() && (loses || it.row.lost && verdict != outcome.Verified)
	b.accepted = x.same && it.row.accepted && !b.lost
	if b.class == Intact && x.judged == nil && it.row.wrong == "" && !c.keeps(&b) {
		return errors.Join(c.count(it.path, &b, nil), c.touch(x))
	}
	row, err := c.rowOf(it)
	if err != nil {
		return err
	}
	return c.settleWhole(x, row, b)
}

// settleWhole continues with the whole row of an object, which is empty if it is new.
func (c *check) settleWhole(x *examined, row *ledger.Object, b became) error {
	old := *row
	c.enter(row, x, b.class)
	if b.class == Replaced {
		b.unlike = !Alike(&old, &row.Found.Judgement)
	}
	if b.lost || b.class == Grown {
		row.Accepted = false
	}
	if b.class.goesOn() {
		row.Lost = b.lost
	}
	return c.concludeObject(x.index, row, &old, &b)
}

// concludeObject counts, records and writes the result of an object. Old is its row from
// before.
func (c *check) concludeObject(index uint32, row, old *ledger.Object, b *became) error {
	err := errors.Join(c.count(row.Path, b, row), c.tell(index, b, func() *Record { return recordOf(row, old, b) }))
	before, after, moved := stateOf(old), stateOf(row), old.Path != row.Path
	if err != nil || !c.writes || before == nil && after == nil { // an object that was never read has no row
		return err
	}
	change := &run.Change{Path: row.Path, Class: string(b.class), Before: before, After: after}
	if moved {
		change.From = old.Path
	}
	err = c.begin(3)
	if err == nil && (moved || after == nil) {
		err = c.ledger.Remove(old.Path)
	}
	if err == nil && after != nil {
		err = c.ledger.Put(row)
	}
	if err == nil && (moved || before == nil || after == nil || *before != *after) {
		err = c.ledger.Note(change)
	}
	return err
}

// settleMoved decides about an object that is at a new path, as it was or packed again.
func (c *check) settleMoved(x *examined, from uint32, repacked bool) error {
	it, err := c.plan.at(from)
	if err != nil {
		return err
	}
	row, err := c.row(it.path)
	if err != nil {
		return err
	}
	if x.judged == nil {
		return fmt.Errorf("%s was not judged", object.PathText(x.item.path)) // it is new
	}
	c.settled[from] = true
	old := *row
	b := became{class: Classify(Observed{Known: true, Elsewhere: true, Repacked: repacked}),
		kind: x.judged.Kind, verdict: x.judged.Verdict, said: x.judged.Facts.Tally(), octets: x.size, read: true}
	b.lost = (old.Judgement.Verdict == outcome.Verified || old.Lost) && b.verdict != outcome.Verified
	b.accepted = old.Accepted && !b.lost
	row.Path, row.Accepted, row.Lost = x.item.path, b.accepted, b.lost
	c.enter(row, x, b.class)
	return c.concludeObject(x.index, row, &old, &b)
}

// count counts an object, and lists its facts. Row is nil if it was not read.
func (c *check) count(path string, b *became, row *ledger.Object) error {
	c.result.Counts.add(*b)
	if b.verdict == "" {
		return nil
	}
	return c.result.Said.Add(path, b.said, func() (_ *object.Facts, err error) {
		if row == nil {
			if row, err = c.row(path); err != nil {
				return nil, err
			}
		}
		is := row.Present()
		return &is.Judgement.Facts, nil
	})
}

// enter enters the result of a reading into the row of an object.
func (c *check) enter(row *ledger.Object, x *examined, class Class) {
	at := c.now(x.at)
	if class == Replaced || class == Altered {
		row.Wrong = string(class)
		row.Found = ledger.Found{Size: x.size, SHA256: x.sha256, Modified: x.modified, ReadIn: c.number, ReadAt: at}
		if x.judged != nil {
			row.Found.Judgement = *x.judged
		}
		return
	}
	row.Wrong, row.Found = "", ledger.Found{}
	row.Size, row.SHA256, row.Modified, row.ReadIn, row.ReadAt = x.size, x.sha256, x.modified, c.number, at
	if row.AddedIn == 0 {
		row.AddedIn = c.number
	}
	if x.judged == nil {
		return
	}
	row.Judgement, row.Context = *x.judged, c.o.Judge.Context()
	row.VerifiedIn, row.VerifiedAt = c.number, at
	if row.Judgement.Verdict == "" {
		row.VerifiedIn, row.VerifiedAt = 0, 0
	}
}

// settleFault decides about an object that could not be read.
func (c *check) settleFault(index uint32, it *item, fault string) error {
	b := became{class: Classify(Observed{Known: it.known, Wrong: it.row.wrong, There: true, Fault: true}),
		kind: it.row.kind, fault: fault}
	c.result.fault(fault)
	row, err := c.rowOf(it)
	if err != nil {
		return err
	}
	old := *row
	row.Wrong, row.Found = ledger.Unreadable, ledger.Found{}
	return c.concludeObject(index, row, &old, &b)
}

// settleUnread decides about an object that was not read in this run, or before it was
// interrupted.
func (c *check) settleUnread(index uint32, it *item) error {
	if it.leaves {
		return c.settleIgnored(index, it)
	}
	if it.there && it.fault != "" {
		return c.settleFault(index, it, it.fault)
	}
	o := Observed{Known: it.known && (!it.done || it.row.addedIn != c.number), Wrong: it.row.wrong, There: it.there,
		Read: it.done, Same: it.done, Old: c.o.isStale(it.row.readAt)}
	b := became{class: Classify(o), kind: it.row.kind, verdict: it.row.verdict, said: it.row.said, octets: it.size,
		accepted: it.row.accepted, read: it.done}
	switch b.class {
	case Missing, Unreadable:
		b.verdict, b.octets, b.accepted = "", 0, false
	case Altered, Replaced:
		b.verdict, b.accepted = it.row.foundIs, false
	default:
		b.lost = it.row.lost
	}
	b.oldContext = b.verdict != "" && !it.row.current
	row := &ledger.Object{Path: it.path}
	var whole *ledger.Object
	if it.known && (c.keeps(&b) || b.class == Missing || b.class == Replaced) {
		var err error
		if row, err = c.row(it.path); err != nil {
			return err
		}
		whole = row
		b.unlike = b.class == Replaced && !Alike(row, &row.Found.Judgement)
	}
	if b.class == Missing {
		old := *row
		row.Wrong, row.Found = ledger.Missing, ledger.Found{}
		return c.concludeObject(index, row, &old, &b)
	}
	return errors.Join(c.count(it.path, &b, whole), c.tell(index, &b, func() *Record { return recordOf(row, row, &b) }))
}

// Alike reports whether the file in the place of an object proves something about the same
// transaction, no earlier than before: a revocation is not undone.
func Alike(was *ledger.Object, is *object.Judgement) bool {
	a, b := &was.Judgement.Facts, &is.Facts
	return a.TransactionID != "" && a.TransactionID == b.TransactionID && a.TenantID == b.TenantID &&
		b.CheckpointSequence >= a.CheckpointSequence && (a.Status != "revoked" || b.Status == "revoked")
}

// row returns the whole row of an object that the ledger has.
func (c *check) row(path string) (*ledger.Object, error) {
	row, found, err := c.ledger.Object(path)
	if err == nil && !found {
		err = &ledger.AlteredError{Path: path, Detail: "it went away while it was in use"}
	}
	return &row, err
}

// rowOf returns the whole row of an item. It is empty but for the path if the ledger does
// not have the object.
func (c *check) rowOf(it *item) (*ledger.Object, error) {
	if !it.known {
		return &ledger.Object{Path: it.path}, nil
	}
	return c.row(it.path)
}

// touch notes that an object was read, and is as it was.
func (c *check) touch(x *examined) error {
	if !c.writes {
		return nil
	}
	if err := c.begin(1); err != nil {
		return err
	}
	return c.ledger.Touch(x.item.path, x.modified, c.now(x.at))
}

// stateOf returns the state of an object for a change: the present bytes, as far as they were
// read. It is nil for an object that the ledger does not have.
func stateOf(o *ledger.Object) *run.State {
	if o.AddedIn == 0 {
		return nil
	}
	is := o.Present()
	return &run.State{Size: is.Size, SHA256: is.SHA256, Verdict: is.Judgement.Verdict,
		Code: string(is.Judgement.Code), Wrong: o.Wrong}
}
