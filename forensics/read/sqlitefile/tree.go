package sqlitefile

import (
	"encoding/binary"
	"errors"
)

// The kinds of pages of trees.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// mostLevels bounds the depth of a tree: far more than one of 2^32 pages has.
const mostLevels = 32

// walk is one pass over a tree.
type walk struct {
	*File
	table   bool // a tree of rows by their number, and not an index
	payload []byte
	row     func(number int64, payload []byte) error
	damage  func(page uint32, octets []byte, what string) error
}

// below walks over the rows of a page, and of the pages below it.
func (w *walk) below(number uint32, level int) error {
	if level > mostLevels {
		return w.damage(number, nil, "a tree of more levels than a file can have")
	}
	b := w.buffer(level)
	if err := w.page(number, b); err != nil {
		return w.wrong(number, nil, err)
	}
	header := b
	if number == 1 {
		header = b[HeaderSize:]
	}
	kind := header[0]
	leaf := kind == tableLeaf && w.table || kind == indexLeaf && !w.table
	if !leaf && !(kind == tableInterior && w.table) && !(kind == indexInterior && !w.table) {
		return w.damage(number, b, "a page of another kind than its tree")
	}
	pointers := 12
	if leaf {
		pointers = 8
	}
	if err := w.cells(number, b, header[pointers:], int(binary.BigEndian.Uint16(header[3:])),
		level, leaf); err != nil || leaf {
		return err
	}
	return w.below(binary.BigEndian.Uint32(header[8:]), level+1)
}

// cells walks over the cells of a page, whose pointers are given.
func (w *walk) cells(number uint32, b, pointers []byte, count, level int, leaf bool) error {
	if 2*count > len(pointers) {
		return w.damage(number, b, "a page of more rows than it can have")
	}
	room := len(b) // what all cells together can have: they do not overlap
	told := false  // of damage in the page
	for i := range count {
		at := int(binary.BigEndian.Uint16(pointers[2*i:]))
		if at >= w.usable {
			return w.damage(number, b, "a row outside of its page")
		}
		cell := b[at:w.usable]
		if !leaf {
			if len(cell) < 4 {
				return w.damage(number, b, "a row outside of its page")
			}
			if err := w.below(binary.BigEndian.Uint32(cell), level+1); err != nil {
				return err
			}
			if w.table { // its rows are in the leaves alone
				continue
			}
			cell = cell[4:]
		}
		size, err := w.cell(cell)
		if room -= size; room < 0 {
			return w.damage(number, b, "rows of a page that overlap")
		}
		if err != nil && !told {
			told, err = true, w.wrong(number, cell, err)
		}
		if err != nil && !errors.As(err, &damage{}) {
			return err
		}
	}
	return nil
}

// wrong reports damage of a page; another error ends the walk.
func (w *walk) wrong(number uint32, octets []byte, err error) error {
	var d damage
	if errors.As(err, &d) {
		return w.damage(number, octets, d.what)
	}
	return err
}

// cell reads a row, and returns how many octets of its page it has.
func (w *walk) cell(cell []byte) (int, error) {
	size, n := varint(cell)
	if n == 0 {
		return 0, damage{"a row outside of its page"}
	}
	row := uint64(0)
	if w.table {
		var more int
		if row, more = varint(cell[n:]); more == 0 {
			return 0, damage{"a row outside of its page"}
		}
		n += more
	}
	if size > uint64(w.largest) {
		return 0, damage{"a row larger than the limit"}
	}
	local := w.local(int(size))
	if n+local > len(cell) {
		return 0, damage{"a row outside of its page"}
	}
	payload := cell[n : n+local]
	if n += local; local < int(size) {
		if len(cell) < n+4 {
			return 0, damage{"a row outside of its page"}
		}
		var err error
		if payload, err = w.overflow(payload, binary.BigEndian.Uint32(cell[n:]), int(size)); err != nil {
			return 0, err
		}
		n += 4
	}
	return n, w.row(int64(row), payload)
}

// local returns how much of a row is in its page.
func (w *walk) local(size int) int {
	most := w.usable - 35
	if !w.table {
		most = (w.usable-12)*64/255 - 23
	}
	if size <= most {
		return size
	}
	least := (w.usable-12)*32/255 - 23
	if k := least + (size-least)%(w.usable-4); k <= most {
		return k
	}
	return least
}

// overflow collects a row that goes on in pages of its own.
func (w *walk) overflow(first []byte, next uint32, size int) ([]byte, error) {
	w.payload = append(w.payload[:0], first...)
	b := w.buffer(mostLevels + 1)
	for len(w.payload) < size {
		if err := w.page(next, b); err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(b)
		w.payload = append(w.payload, b[4:min(w.usable, 4+size-len(w.payload))]...)
	}
	return w.payload, nil
}
