package block

import (
	"fmt"

	"github.com/svc-edge/svc-verify/chain/event"
)

// Body is where the salt, the transaction and the data of an event are kept: from a byte
// on in a row of bodies. The zero Body is in no row: in a part, and where another block has
// the same copy.
type Body struct{ Row, Start int64 }

// keptWriter makes the columns that a store keeps in addition to a block: the places of the
// bodies, and the signatures.
type keptWriter struct {
	last       Body
	rows       []uint64
	starts     []uint64
	signatures []byte
}

func (w *keptWriter) reset() {
	w.last, w.rows, w.starts, w.signatures = Body{}, w.rows[:0], w.starts[:0], w.signatures[:0]
}

// addCopy adds a copy. A start is measured from the start of the copy before in the same row.
func (w *keptWriter) addCopy(c *Copy) {
	before := int64(0)
	if c.Body.Row == w.last.Row {
		before = w.last.Start
	}
	w.rows = append(w.rows, zigzag(c.Body.Row-w.last.Row))
	w.starts = append(w.starts, zigzag(c.Body.Start-before))
	w.signatures = append(w.signatures, c.Signature[:]...)
	w.last = c.Body
}

// AppendKept appends the kept columns of the block: two columns, each with its length, and the
// signatures of all copies.
func (w *Writer) AppendKept(b []byte) []byte {
	var column []byte
	for _, numbers := range [][]uint64{w.kept.rows, w.kept.starts} {
		column = appendColumn(column[:0], numbers)
		b = AppendText(b, column)
	}
	return append(b, w.kept.signatures...)
}

// kept has the kept columns of the block that is read.
type kept struct {
	rows, starts column
	signatures   []byte
	last         Body
}

// OpenKept adds the kept columns of the opened block: its copies have signatures then, and
// places of bodies.
func (c *Reader) OpenKept(b []byte, at int64) error {
	r := Decoder{B: b, At: at}
	c.kept = &c.keptMemory
	*c.kept = kept{rows: column{b: r.Octets(MaxContent)}, starts: column{b: r.Octets(MaxContent)}}
	if size := c.count * event.SignatureSize; r.Fault == nil && len(r.B) != size {
		r.Fail(fmt.Sprintf("%d octets of signatures", size), fmt.Sprint(len(r.B)))
	}
	if r.Fault != nil {
		return r.Fault
	}
	c.kept.signatures = r.B
	return nil
}

// next sets the kept values of the copy at an index.
func (k *kept) next(v *Copy, i int) bool {
	v.Signature = [event.SignatureSize]byte(k.signatures[i*event.SignatureSize:])
	row := k.last.Row + unzigzag(k.rows.next())
	start := unzigzag(k.starts.next())
	if row == k.last.Row {
		start += k.last.Start
	}
	k.last = Body{row, start}
	v.Body = k.last
	return row >= 0 && start >= 0
}

// done reports whether all was used.
func (k *kept) done() bool { return k.rows.done() && k.starts.done() }
