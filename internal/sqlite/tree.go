package sqlite

import "encoding/binary"

// Tree reads the rows of a table from the pages of its b-tree (SQLite's file
// format, sections 1.6 and 2.1). It needs an open transaction, so that all pages
// are of one state.
type Tree struct {
	page   *Stmt      // the bytes of a page by its number
	root   int64      // the page that the table begins with
	spare  int        // bytes at the end of each page that are not used
	to     int64      // the last row that is asked for
	from   int64      // all rows from here on have not been read
	ahead  [][]uint32 // the pages that are still to be visited, at each level
	leaf   []byte     // the engine's own memory, until the next page is read
	leaves int        // that were read
	at, of int        // of the cells of the leaf
}

// OpenTree opens the b-tree of a table.
func OpenTree(c *Conn, table string) (*Tree, error) {
	t := &Tree{}
	err := c.TakeAll(map[**Stmt]string{&t.page: readPage})
	if err != nil {
		return nil, err
	}
	if t.root, err = c.Number("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", table); err != nil {
		t.Close()
		return nil, err
	}
	first, err := takePage(t.page, 1)
	if err != nil {
		t.Close()
		return nil, err
	}
	t.spare = Header(first).Reserved()
	return t, nil
}

// Close gives back the statement. It does nothing for a nil Tree.
func (t *Tree) Close() {
	if t != nil {
		t.page.c.KeepAll(t.page)
	}
}

// Between restarts the tree at the first row that is at least from. It ends with
// the last row that is at most to.
func (t *Tree) Between(from, to int64) {
	t.from, t.to = from, to
	t.ahead = append(t.ahead[:0], []uint32{uint32(t.root)})
	t.leaves, t.at, t.of = 0, 0, 0
}

// Next returns the next row and its record, which is valid until the next call. The
// record is nil if it continues on other pages; more is false at the end.
func (t *Tree) Next() (row int64, record []byte, more bool, err error) {
	for {
		for t.at == t.of {
			if more, err := t.turn(); err != nil || !more {
				return 0, nil, false, err
			}
		}
		row, record, ok := t.cell()
		t.at++
		switch {
		case !ok:
			return 0, nil, false, ErrDamaged
		case row > t.to:
			return 0, nil, false, nil
		case row >= t.from:
			t.from = row + 1
			return row, record, true, nil
		case t.leaves > 1: // each row stands but once, so that there is an end
			return 0, nil, false, ErrDamaged
		}
	}
}

// turn goes on to the next leaf.
func (t *Tree) turn() (more bool, err error) {
	for len(t.ahead) > 0 {
		level := &t.ahead[len(t.ahead)-1]
		if len(*level) == 0 {
			t.ahead = t.ahead[:len(t.ahead)-1]
			continue
		}
		number := (*level)[0]
		*level = (*level)[1:]
		if leaf, err := t.open(number); leaf || err != nil {
			return leaf, err
		}
	}
	return false, nil
}

// open reads a page. Of an interior one it puts those below it ahead.
func (t *Tree) open(number uint32) (leaf bool, err error) {
	page, err := takePage(t.page, number)
	if err != nil {
		return false, err
	}
	cells := int(binary.BigEndian.Uint16(page[3:]))
	switch {
	case page[0] == leafPage && leafHeader+2*cells <= len(page):
		t.leaf, t.at, t.of = page, 0, cells
		t.leaves++
		return true, nil
	case page[0] == interiorPage && interiorHeader+2*cells <= len(page) && len(t.ahead) < mostLevels:
		if below, ok := t.below(page, cells); ok {
			t.ahead = append(t.ahead, below)
			return false, nil
		}
	}
	return false, ErrDamaged
}

// below returns the pages below an interior one, from that on in which the next
// row can be.
func (t *Tree) below(page []byte, cells int) ([]uint32, bool) {
	var all []uint32
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[interiorHeader+2*i:]))
		if at+4 > len(page) {
			return nil, false
		}
		last, _, ok := varint(page[at+4:])
		if !ok {
			return nil, false
		}
		if int64(last) >= t.from {
			all = append(all, binary.BigEndian.Uint32(page[at:]))
		}
	}
	return append(all, binary.BigEndian.Uint32(page[8:])), true
}

// cell reads the cell that the tree stands at. A record is nil if only its
// beginning is in the page.
func (t *Tree) cell() (row int64, record []byte, ok bool) {
	at := int(binary.BigEndian.Uint16(t.leaf[leafHeader+2*t.at:]))
	if at > len(t.leaf) {
		return 0, nil, false
	}
	size, rest, ok1 := varint(t.leaf[at:])
	key, rest, ok2 := varint(rest)
	switch {
	case !ok1 || !ok2:
		return 0, nil, false
	case size > uint64(len(t.leaf)-t.spare-notLocal):
		return int64(key), nil, true
	case size > uint64(len(rest)):
		return 0, nil, false
	}
	return int64(key), rest[:size], true
}
