package sqlite

import (
	"context"
	"encoding/binary"
)

// Pages visits whole b-trees, page by page. It needs an open transaction.
type Pages struct {
	page *Stmt
	most int64 // pages of the file; more are read only in a circle
	read int64
}

// pagesEvery is how many pages are read between two looks at the context.
const pagesEvery = 128

// OpenPages prepares to visit b-trees.
func OpenPages(c *Conn) (*Pages, error) {
	most, err := c.Number("PRAGMA page_count")
	if err != nil {
		return nil, err
	}
	page, err := c.Take(readPage)
	return &Pages{page: page, most: most}, err
}

// Close gives the statement back.
func (p *Pages) Close() { p.page.c.Keep(p.page) }

// Visit calls f with every page of the b-tree that begins at root, including
// overflow pages. The page is valid during the call. Visit returns [ErrDamaged] if
// all visits together read more pages than the file has.
func (p *Pages) Visit(ctx context.Context, root uint32, f func(number uint32, page []byte) error) error {
	v := visitor{ctx, p, f}
	return v.visitTree(root, 0)
}

type visitor struct {
	ctx context.Context
	*Pages
	f func(number uint32, page []byte) error
}

// readPage reads a page. It is valid until the next one.
func (v *visitor) readPage(number uint32) ([]byte, error) {
	if v.read++; v.read > v.most {
		return nil, ErrDamaged
	}
	if v.read%pagesEvery == 0 && v.ctx.Err() != nil {
		return nil, v.ctx.Err()
	}
	page, err := takePage(v.page, number)
	if err != nil {
		return nil, err
	}
	return page, v.f(number, page)
}

// visitTree visits the page of a b-tree and all that hangs from it.
func (v *visitor) visitTree(number uint32, level int) error {
	page, err := v.readPage(number)
	if err != nil {
		return err
	}
	if level > mostLevels {
		return ErrDamaged
	}
	below, over, ok := hangingPages(page)
	if !ok {
		return ErrDamaged
	}
	for _, number := range over {
		if err := v.visitChain(number); err != nil {
			return err
		}
	}
	for _, number := range below {
		if err := v.visitTree(number, level+1); err != nil {
			return err
		}
	}
	return nil
}

// visitChain visits a list of overflow pages.
func (v *visitor) visitChain(number uint32) error {
	for number != 0 {
		page, err := v.readPage(number)
		if err != nil {
			return err
		}
		number = binary.BigEndian.Uint32(page)
	}
	return nil
}

// hangingPages returns the pages below one of a b-tree, and where its cells go on
// (SQLite's file format, section 1.6). No byte at the end of a page is
// reserved: see shape.
func hangingPages(page []byte) (below, over []uint32, ok bool) {
	kind, cells := page[0], int(binary.BigEndian.Uint16(page[3:]))
	header := leafHeader
	if kind == interiorPage || kind == interiorIndex {
		header = interiorHeader
		below = append(below, binary.BigEndian.Uint32(page[8:]))
	}
	if header+2*cells > len(page) {
		return nil, nil, false
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[header+2*i:]))
		if at+4 > len(page) {
			return nil, nil, false
		}
		cell := page[at:]
		if header == interiorHeader {
			below, cell = append(below, binary.BigEndian.Uint32(cell)), cell[4:]
		}
		if kind == interiorPage {
			continue
		}
		next, ok := overflowPage(cell, kind, len(page))
		if !ok {
			return nil, nil, false
		}
		if next != 0 {
			over = append(over, next)
		}
	}
	return below, over, kind == interiorPage || kind == leafPage || kind == interiorIndex || kind == leafIndex
}

// overflowPage returns the page on which the payload of a cell continues; 0 if it is in the
// cell as a whole.
func overflowPage(cell []byte, kind byte, usable int) (next uint32, ok bool) {
	size, rest, ok := readVarint(cell)
	most := usable - notLocal
	if kind == leafPage && ok {
		_, rest, ok = readVarint(rest) // the row
	} else {
		most = (usable-12)*64/255 - 23
	}
	if !ok || size <= uint64(most) {
		return 0, ok
	}
	least := (usable-12)*32/255 - 23
	local := least + int((size-uint64(least))%uint64(usable-4))
	if local > most {
		local = least
	}
	if local+4 > len(rest) {
		return 0, false
	}
	return binary.BigEndian.Uint32(rest[local:]), true
}

// readVarint reads an integer as the engine writes them: seven bits in each of up to
// eight bytes, the highest first, and eight in a ninth. ok is false if b ends
// within it.
func readVarint(b []byte) (v uint64, rest []byte, ok bool) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), b[9:], true
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}
