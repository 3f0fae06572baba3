package store

import (
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// checkedEvents compares an index of events with the copies that it is of. Nil is for a case
// without one.
type checkedEvents struct {
	f     *File
	c     *sqlite.Conn
	find  *sqlite.Stmt
	count int64
}

// openEvents begins to compare the index of a case.
func openEvents(c *sqlite.Conn, f *File) (*checkedEvents, error) {
	if !f.indexed {
		return nil, nil
	}
	find, err := c.Prepare("SELECT container, offset, length, copy, occurred_at, type, coalesce(transaction_id, '') " +
		"FROM events WHERE log = ? AND sequence = ? AND source = ? AND record = ?")
	return &checkedEvents{f: f, c: c, find: find}, err
}

func (e *checkedEvents) closeStatement() {
	if e != nil {
		sqlite.CloseAll(e.find)
	}
}

// checkCopy compares the rows of the arrivals of a copy.
func (e *checkedEvents) checkCopy(log facts.Log, c *part.Copy, transaction string) error {
	if e == nil {
		return nil
	}
	for i := range c.Arrivals {
		a := &c.Arrivals[i]
		e.find.BindInt(0, e.f.numbers[log])
		e.find.BindInt(1, int64(c.Sequence))
		e.find.BindInt(2, e.f.order[a.Share])
		e.find.BindInt(3, a.Record)
		found, err := e.find.Step()
		s := e.find
		same := found && s.Int(0) == int64(a.Container) && s.Int(1) == a.Offset && s.Int(2) == a.Length &&
			s.Int(3) == copyNumber(c.Digest) && s.Int(4) == c.OccurredAt && string(s.Blob(5)) == c.Type &&
			string(s.Blob(6)) == transaction
		s.Reset()
		if err != nil {
			return err
		}
		if !same {
			return alteredError("the index of events has %s in another way", nameOfCopy(log, c))
		}
		e.count++
	}
	return nil
}

// checkCount reports rows that are of no copy.
func (e *checkedEvents) checkCount() error {
	if e == nil {
		return nil
	}
	n, err := e.c.Number("SELECT count(*) FROM events")
	if err == nil && n != e.count {
		err = alteredError("the index of events has an event that is not there")
	}
	return err
}
