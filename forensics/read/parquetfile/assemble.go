package parquetfile

import (
	"encoding/binary"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// assembler makes rows of columns: their levels say which lists and groups a value is
// in, and which of these are null.
type assembler struct {
	columns []*column
	t       *rows.Text
	largest int
	err     error
}

// row writes the next row. more is false if no column has one.
func (a *assembler) row(root *node) (more bool, err error) {
	for _, c := range a.columns {
		c.begun = false
		ok, err := c.peek()
		if err != nil {
			return false, err
		}
		more = more || ok
	}
	if !more {
		return false, nil
	}
	a.t.Open()
	a.fields(root)
	for _, c := range a.columns { // what a damaged column has too much of the row
		for a.inRow(c) && a.err == nil {
			c.take()
		}
	}
	return true, a.err
}

// inRow reports whether the next value of a column is of the row.
func (a *assembler) inRow(c *column) bool {
	ok, err := c.peek()
	if err != nil {
		a.err = err
	}
	return ok && (!c.begun || c.rep > 0)
}

// guide returns the first column below a node that has a value in the row, nil if none
// has. Its levels are those of the node.
func (a *assembler) guide(n *node) *column {
	for _, leaf := range n.leaves {
		if c := a.columns[leaf]; a.inRow(c) {
			return c
		}
	}
	return nil
}

// fields writes the fields of a group. Those that are null are left out.
func (a *assembler) fields(n *node) {
	for _, field := range n.fields {
		guide := a.guide(field)
		switch {
		case guide == nil || a.err != nil:
		case field.repetition == repeated:
			a.t.Name(field.name)
			a.list(field, nil)
		case guide.def < field.def || guide.gap:
			a.pass(field)
		default:
			a.t.Name(field.name)
			a.value(field)
		}
	}
}

// pass passes a node that is null: one value of each column below it.
func (a *assembler) pass(n *node) {
	for _, leaf := range n.leaves {
		if c := a.columns[leaf]; a.inRow(c) {
			c.take()
		}
	}
}

// value writes a value that is there.
func (a *assembler) value(n *node) {
	switch {
	case len(n.fields) == 0:
		c := a.columns[n.leaves[0]]
		v, ok := c.take()
		if !ok {
			a.t.Null()
			return
		}
		a.leaf(n, v)
	case n.isMap():
		a.object(n.fields[0])
	case n.isList():
		a.list(n.fields[0], n.only())
	default:
		a.t.Begin('{')
		a.fields(n)
		a.t.End('}')
	}
}

// list writes a list of what is repeated, or of the only field in it.
func (a *assembler) list(again, only *node) {
	a.t.Begin('[')
	a.each(again, func() {
		switch {
		case only == nil:
			a.value(again)
		case only.repetition == repeated:
			a.list(only, nil)
		default:
			guide := a.guide(only)
			if guide == nil || guide.def < only.def || guide.gap {
				a.pass(only)
				a.t.Null()
				return
			}
			a.value(only)
		}
	})
	a.t.End(']')
}

// each calls do for each element of what is repeated, with the columns at it.
func (a *assembler) each(again *node, do func()) {
	guide := a.guide(again)
	if guide == nil {
		return
	}
	if guide.def < again.def || guide.gap {
		a.pass(again)
		return
	}
	for a.err == nil && a.t.Size() <= a.largest {
		before := guide.left + guide.inPage
		do()
		if guide.ready && guide.left+guide.inPage == before {
			guide.take() // so that it comes to an end
		}
		if !a.inRow(guide) || guide.rep < again.rep {
			return
		}
	}
}

// object writes a map.
func (a *assembler) object(pair *node) {
	a.t.Begin('{')
	n := 0
	a.each(pair, func() {
		name, held := pair.fields[0], pair.fields[1]
		var key []byte
		if c := a.guide(name); c != nil && len(name.fields) == 0 {
			v, _ := c.take()
			if key = v.b; name.kind != typeBytes && name.kind != typeFixed {
				key = fmt.Append(nil, v.n)
			}
		} else {
			a.pass(name)
			key = fmt.Appendf(nil, "key %d", n)
		}
		n++
		a.t.Name(key)
		guide := a.guide(held)
		switch {
		case guide == nil:
			a.t.Null()
		case held.repetition == repeated:
			a.list(held, nil)
		case guide.def < held.def || guide.gap:
			a.pass(held)
			a.t.Null()
		default:
			a.value(held)
		}
	})
	a.t.End('}')
}

// leaf writes a value of a column.
func (a *assembler) leaf(n *node, v value) {
	switch n.kind {
	case typeBoolean:
		a.t.Bool(v.n != 0)
	case typeInt32, typeInt64:
		unit := n.second()
		if unit == 0 {
			a.t.Int(v.n)
			return
		}
		seconds := v.n / unit
		if v.n%unit < 0 {
			seconds--
		}
		a.t.Time(seconds, (v.n-seconds*unit)*(1e9/unit))
	case typeInt96: // the nanoseconds of a day, and the day
		const daysTo1970, daySeconds = 2440588, 86400
		nanos, day := binary.LittleEndian.Uint64(v.b), int64(binary.LittleEndian.Uint32(v.b[8:]))
		a.t.Time((day-daysTo1970)*daySeconds+int64(nanos/1e9), int64(nanos%1e9))
	case typeFloat, typeDouble:
		a.t.Float(v.f)
	default:
		if n.isText() {
			a.t.String(v.b)
		} else {
			a.t.Octets(v.b)
		}
	}
}
