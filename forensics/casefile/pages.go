package casefile

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/svc-edge/svc-verify/chain"
)

// evidenceTables are the tables that cannot be made again from the others.
// Their indexes belong to them: a forged index hides rows.
const evidenceTables = `'sources', 'paths', 'unread', 'containers', 'logs', 'words', 'batches', 'events', 'variants',
	'deliveries', 'blocks', 'skips', 'documents', 'document_places', 'readings'`

// pages goes through whole b-trees, page by page, and digests them under a key.
type pages struct {
	ctx  context.Context
	key  *Key
	page *stmt
	most int64 // pages of the file; a tree that has more runs in a circle
	read int64
	sum  hash.Hash
	tag  []byte
}

// evidence digests, under a key, every page of the tables and indexes of the
// evidence, so that no octet of them changes unnoticed. The other tables are
// left out, so that the walks of other users do not change it. It needs an open
// transaction.
func (c *conn) evidence(ctx context.Context, k *Key) (sum chain.Hash, err error) {
	most, err := c.number("PRAGMA page_count")
	if err != nil {
		return sum, err
	}
	p := &pages{ctx: ctx, key: k, most: most, sum: hmac.New(sha256.New, k.rows[:])}
	if err := c.takeAll(map[**stmt]string{&p.page: readPage}); err != nil {
		return sum, err
	}
	defer c.keep(p.page)
	const roots = "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 AND tbl_name IN (" + evidenceTables + ") ORDER BY name"
	err = c.each(roots, nil, func(s *stmt) error {
		p.sum.Write(append(s.columnBlob(0), 0))
		return p.tree(uint32(s.columnInt(1)), 0)
	})
	p.sum.Sum(sum[:0])
	return sum, err
}

// take reads a page and digests it. It is valid until the next one.
func (p *pages) take(number uint32) ([]byte, error) {
	if p.read++; p.read > p.most {
		return nil, errDamaged
	}
	if p.read%contextEvery == 0 && p.ctx.Err() != nil {
		return nil, p.ctx.Err()
	}
	p.page.reset()
	p.page.int(0, int64(number))
	found, err := p.page.step()
	if err != nil {
		return nil, err
	}
	page := p.page.columnBlob(0)
	if !found || len(page) < smallestPage {
		return nil, errDamaged
	}
	p.tag = p.key.tag(append(p.tag[:0], 0, 0, 0, 0), number, page)
	binary.BigEndian.PutUint32(p.tag, number)
	p.sum.Write(p.tag)
	return page, nil
}

// tree digests the page of a b-tree and all that hangs from it.
func (p *pages) tree(number uint32, level int) error {
	page, err := p.take(number)
	if err != nil {
		return err
	}
	if level > mostLevels {
		return errDamaged
	}
	below, over, ok := hanging(page)
	if !ok {
		return errDamaged
	}
	for _, number := range over {
		if err := p.chain(number); err != nil {
			return err
		}
	}
	for _, number := range below {
		if err := p.tree(number, level+1); err != nil {
			return err
		}
	}
	return nil
}

// chain digests a list of overflow pages.
func (p *pages) chain(number uint32) error {
	for number != 0 {
		page, err := p.take(number)
		if err != nil {
			return err
		}
		number = binary.BigEndian.Uint32(page)
	}
	return nil
}

// The kinds of pages that an index is made of.
const interiorIndex, leafIndex = 0x02, 0x0a

// hanging returns the pages below one of a b-tree, and where its cells go on
// (SQLite's file format, section 1.6). No octet at the end of a page is
// reserved: see shape.
func hanging(page []byte) (below, over []uint32, ok bool) {
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
		next, ok := overflow(cell, kind, len(page))
		if !ok {
			return nil, nil, false
		}
		if next != 0 {
			over = append(over, next)
		}
	}
	return below, over, kind == interiorPage || kind == leafPage || kind == interiorIndex || kind == leafIndex
}

// overflow returns the page on which the payload of a cell goes on; 0 if it
// stands in the cell as a whole.
func overflow(cell []byte, kind byte, usable int) (next uint32, ok bool) {
	size, rest, ok := varint(cell)
	most := usable - notLocal
	if kind == leafPage && ok {
		_, rest, ok = varint(rest) // the row
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
