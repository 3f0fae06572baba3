package casefile

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// variants is the table of copies that differ from the first.
type variants struct {
	lookup, add, improve *sqlite.Stmt
	next                 int64
}

func newVariants(c *sqlite.Conn) (*variants, error) {
	last, err := c.Number("SELECT coalesce(max(variant), 0) FROM variants")
	if err != nil {
		return nil, err
	}
	v := &variants{next: last + 1}
	err = c.PrepareAll(map[**sqlite.Stmt]string{
		&v.lookup:  "SELECT variant, fidelity FROM variants WHERE log = ? AND sequence = ? AND digest = ?",
		&v.add:     "INSERT INTO variants VALUES " + sqlite.Parameters(variantColumns+columnCount-colHash),
		&v.improve: "UPDATE variants SET fidelity = ? WHERE variant = ?",
	})
	return v, err
}

func (r *row) digest() chain.Hash {
	l := r.arrival.Line
	return facts.CopyDigest(l.Recorded, l.Link, &l.Signature, l.KeyID)
}

// find returns the number of a copy that is there already.
func (v *variants) find(log int64, r *row) (number int64, known bool, err error) {
	d := r.digest()
	v.lookup.Bind(log, int64(r.arrival.Line.Link.Sequence), d[:])
	known, err = v.lookup.Step()
	fidelity := facts.Fidelity(0)
	if known {
		number, fidelity = v.lookup.Int(0), facts.Fidelity(v.lookup.Int(1))
	}
	v.lookup.Reset()
	if r.arrival.Fidelity < fidelity && err == nil {
		v.improve.Bind(int64(r.arrival.Fidelity), number)
		err = v.improve.Do()
	}
	return number, known, err
}

func (v *variants) insert(log int64, r *row) (number int64, err error) {
	d := r.digest()
	number = v.next
	v.next++
	v.add.Bind(number, log, int64(r.arrival.Line.Link.Sequence), d[:])
	bindCopy(v.add, variantColumns-colHash, r)
	return number, v.add.Do()
}

func (v *variants) close() {
	if v != nil {
		sqlite.CloseAll(v.lookup, v.add, v.improve)
	}
}
