package sqlite

import "encoding/binary"

// Index reads the first two columns of a table WITHOUT ROWID from the pages of its
// b-tree; they must be integers and begin its key. Like [Tree], it is several times
// faster than stepping a statement. Interior pages have rows too, between those
// below them. It needs an open transaction.
type Index struct {
	page     *Stmt
	root     uint32
	most     int64 // pages of the file: there is no end if more are read
	read     int64
	from, to int64   // the first columns that are asked for
	levels   []level // the pages that the index stands in, from the root
}

// level is a page of an index: its rows, and the pages below it, each before the
// row of the same number, and one behind the last. A leaf has none.
type level struct {
	rows  [][2]int64
	below []uint32
	at    int  // the next row
	down  bool // the page before that row was read
}

// OpenIndex opens the b-tree of a table WITHOUT ROWID.
func OpenIndex(c *Conn, table string) (*Index, error) {
	x := &Index{}
	if err := c.TakeAll(map[**Stmt]string{&x.page: readPage}); err != nil {
		return nil, err
	}
	root, err := c.Number("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", table)
	if err == nil {
		x.root = uint32(root)
		x.most, err = c.Number("PRAGMA page_count")
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Close gives back the statement. It does nothing for a nil Index.
func (x *Index) Close() {
	if x != nil {
		x.page.c.KeepAll(x.page)
	}
}

// Between restarts the index at the first row whose first column is at least from.
// It ends with the last row whose first column is at most to.
func (x *Index) Between(from, to int64) error {
	x.from, x.to, x.read = from, to, 0
	x.levels = x.levels[:0]
	return x.open(x.root)
}

// Next returns the first two columns of the next row; more is false at the end.
func (x *Index) Next() (row [2]int64, more bool, err error) {
	for len(x.levels) > 0 {
		l := &x.levels[len(x.levels)-1]
		passed := l.at < len(l.rows) && l.rows[l.at][0] < x.from
		switch {
		case len(l.below) > 0 && !l.down:
			l.down = true
			if !passed { // what is below is not above the row
				if err := x.open(l.below[l.at]); err != nil {
					return row, false, err
				}
			}
		case l.at == len(l.rows):
			x.levels = x.levels[:len(x.levels)-1]
		default:
			row = l.rows[l.at]
			l.at, l.down = l.at+1, false
			if row[0] > x.to {
				x.levels = x.levels[:0]
				return row, false, nil
			}
			if !passed {
				return row, true, nil
			}
		}
	}
	return row, false, nil
}

// open reads a page below the ones that the index stands in.
func (x *Index) open(number uint32) error {
	if x.read++; x.read > x.most || len(x.levels) == mostLevels {
		return ErrDamaged
	}
	page, err := takePage(x.page, number)
	if err != nil {
		return err
	}
	if len(x.levels) < cap(x.levels) { // with the memory of an earlier page
		x.levels = x.levels[:len(x.levels)+1]
	} else {
		x.levels = append(x.levels, level{})
	}
	if !x.levels[len(x.levels)-1].fill(page) {
		return ErrDamaged
	}
	return nil
}

// fill reads the cells of a page.
func (l *level) fill(page []byte) bool {
	*l = level{rows: l.rows[:0], below: l.below[:0]}
	header, cells := leafHeader, int(binary.BigEndian.Uint16(page[3:]))
	if page[0] == interiorIndex {
		header = interiorHeader
	}
	if page[0] != leafIndex && page[0] != interiorIndex || header+2*cells > len(page) {
		return false
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[header+2*i:]))
		if at+4 > len(page) {
			return false
		}
		cell := page[at:]
		if header == interiorHeader {
			l.below, cell = append(l.below, binary.BigEndian.Uint32(cell)), cell[4:]
		}
		row, ok := firstTwo(cell)
		if !ok {
			return false
		}
		l.rows = append(l.rows, row)
	}
	if header == interiorHeader {
		l.below = append(l.below, binary.BigEndian.Uint32(page[8:]))
	}
	return true
}

// firstTwo returns the first columns of a cell, which no row of integers is too
// large for.
func firstTwo(cell []byte) (row [2]int64, ok bool) {
	size, record, ok := varint(cell)
	if !ok || size > uint64(len(record)) {
		return row, false
	}
	var f [2]Field
	if !ReadFields(record[:size], f[:]) {
		return row, false
	}
	for i := range f {
		if row[i], ok = f[i].Int(); !ok {
			return row, false
		}
	}
	return row, true
}
