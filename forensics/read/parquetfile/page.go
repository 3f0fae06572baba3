package parquetfile

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/read/blocks"
)

// readDictionary reads the page of the dictionary.
func (c *column) readDictionary(h pageHeader) error {
	var err error
	c.known = c.known[:0]
	if c.dictionary, err = c.unpack(c.dictionary[:0], c.file.octets, h.uncompressed); err != nil {
		return c.wrong(err)
	}
	d := &plain{b: c.dictionary, kind: c.leaf.kind, size: int(c.leaf.size)}
	for range h.values {
		v, ok := d.next()
		if !ok {
			c.damaged("a dictionary with fewer values than it says")
			break
		}
		if len(c.known) == cap(c.known) {
			const size = 48
			if err := c.file.hold(size * max(len(c.known), 64)); err != nil {
				return c.wrong(err)
			}
		}
		c.known = append(c.known, v)
	}
	return nil
}

// unpack decompresses the octets of a page.
func (c *column) unpack(dst, octets []byte, size int64) ([]byte, error) {
	if size > int64(c.file.decoder.Limit) {
		return dst, blocks.ErrLimit
	}
	if err := c.file.grow(int(size)); err != nil {
		return dst, err
	}
	before := cap(dst)
	dst, err := c.file.decoder.Decode(dst, c.codec, octets)
	if more := cap(dst) - before; more > 0 && err == nil {
		err = c.file.hold(more)
	}
	return dst, err
}

// data starts the values of a page.
func (c *column) data(h pageHeader) error {
	b := c.file.octets
	var err error
	if h.kind == pageDataV2 {
		if h.repSize < 0 || h.defSize < 0 || h.repSize+h.defSize > int64(len(b)) {
			return fault{"levels that are not within their page"}
		}
		reps, defs := b[:h.repSize], b[h.repSize:h.repSize+h.defSize]
		c.startLevels(bytes.Clone(reps), bytes.Clone(defs))
		b = b[h.repSize+h.defSize:]
		if h.plain {
			c.page = append(c.page[:0], b...)
		} else if c.page, err = c.unpack(c.page[:0], b, h.uncompressed); err != nil {
			return err
		}
		return c.startValues(c.page, h.encoding)
	}
	if c.page, err = c.unpack(c.page[:0], b, h.uncompressed); err != nil {
		return err
	}
	reps, b, ok := prefixedLevels(c.page, c.leaf.rep, h.repEncoding)
	defs, b, ok2 := prefixedLevels(b, c.leaf.def, h.defEncoding)
	if !ok || !ok2 {
		return fault{"levels that are not within their page, or in an encoding that is not known here"}
	}
	c.startLevels(reps, defs)
	return c.startValues(b, h.encoding)
}

// prefixedLevels takes the levels of a first version, which have their size before
// them, if there are any.
func prefixedLevels(b []byte, most int, encoding int64) (levels, rest []byte, ok bool) {
	const prefix = 4
	if most == 0 {
		return nil, b, true
	}
	if len(b) < prefix || encoding != encRLE {
		return nil, nil, false
	}
	size := binary.LittleEndian.Uint32(b)
	if b = b[prefix:]; uint64(size) > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:size], b[size:], true
}

func (c *column) startLevels(reps, defs []byte) {
	c.reps = hybrid{b: reps, width: width(c.leaf.rep)}
	c.defs = hybrid{b: defs, width: width(c.leaf.def)}
}

// width returns how many bits a level has.
func width(most int) (n int) {
	for ; most > 0; most >>= 1 {
		n++
	}
	return n
}

// startValues starts the decoder of an encoding.
func (c *column) startValues(b []byte, encoding int64) error {
	kind, ok := c.leaf.kind, true
	c.values = nil
	switch encoding {
	case encPlain:
		c.values = &plain{b: b, kind: kind, size: int(c.leaf.size)}
	case encDictionary, encIndexed:
		if len(b) == 0 { // all are null
			b = []byte{0}
		}
		if ok = b[0] <= 32; ok {
			c.values = &indexed{hybrid: hybrid{b: b[1:], width: int(b[0])}, values: c.known}
		}
	case encRLE:
		const prefix = 4
		if ok = kind == typeBoolean && len(b) >= prefix; ok {
			c.values = &booleans{hybrid{b: b[prefix:], width: 1}}
		}
	case encDelta:
		if ok = kind == typeInt32 || kind == typeInt64; ok {
			c.values, ok = newDelta(b)
		}
	case encLengths:
		if ok = kind == typeBytes; ok {
			c.values, ok = newLengths(b)
		}
	case encPrefixed:
		if ok = kind == typeBytes || kind == typeFixed; ok {
			c.values, ok = newPrefixed(b)
		}
	case encSplit:
		size := sizeOf(kind, int(c.leaf.size))
		if ok = kind != typeBytes && kind != typeBoolean && size > 0; ok {
			c.values = &split{b: b, kind: kind, size: size}
		}
	default:
		return fault{fmt.Sprintf("the encoding %d, which is not known here", encoding)}
	}
	if !ok {
		return fault{"a page that does not begin as its encoding does"}
	}
	return nil
}
