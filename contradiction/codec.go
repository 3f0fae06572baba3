package contradiction

import (
	"encoding/binary"
	"errors"

	"github.com/svc-edge/svc-verify/chain"
)

// Append appends the binary form of the facts, which [Decode] reads. It is for
// one run of a program: it has no version.
func (f *Facts) Append(dst []byte) []byte {
	for _, h := range []*chain.Hash{&f.SHA256, &f.Checkpoint, &f.Manifest, &f.Issuer, &f.Certificate} {
		dst = append(dst, h[:]...)
	}
	dst = appendText(dst, f.Tenant)
	dst = appendText(dst, f.Transaction)
	dst = appendText(dst, f.Serial)
	dst = append(dst, boolByte(f.Legacy))
	dst = binary.AppendUvarint(dst, f.Issuance)
	dst = binary.AppendUvarint(dst, f.Revocation)
	dst = binary.AppendUvarint(dst, uint64(len(f.Way)))
	var above uint64
	for i, e := range f.Way {
		distance := e.Sequence
		if i > 0 {
			distance = above - e.Sequence
		}
		above = e.Sequence
		dst = binary.AppendUvarint(dst, distance<<1|uint64(boolByte(e.Link)))
		dst = append(dst, e.Hash[:]...)
	}
	return f.Keys.append(dst)
}

func (k *Keys) append(dst []byte) []byte {
	dst = appendText(dst, k.Checkpoint)
	for _, key := range []string{k.Status, k.Service, k.Issuance, k.Revocation} {
		dst = appendLike(dst, key, k.Checkpoint)
	}
	dst = appendText(dst, k.Receipt)
	dst = binary.AppendUvarint(dst, uint64(len(k.Witnesses)))
	for _, w := range k.Witnesses {
		dst = appendText(dst, w.Node)
		dst = appendLike(dst, w.Key, w.Node)
	}
	return dst
}

// appendText appends a text with its length.
func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendLike appends a text that is mostly the usual one, which uses one byte.
func appendLike(dst []byte, s, usual string) []byte {
	if s == usual {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(s))+1), s...)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

var errFacts = errors.New("contradiction: these octets are no facts of a bundle")

// Decode reads the binary form of facts. It keeps nothing of b.
func Decode(b []byte) (Facts, error) {
	d := decoder{rest: b, ok: true}
	var f Facts
	for _, h := range []*chain.Hash{&f.SHA256, &f.Checkpoint, &f.Manifest, &f.Issuer, &f.Certificate} {
		d.readHash(h)
	}
	f.Tenant, f.Transaction, f.Serial = d.readText(), d.readText(), d.readText()
	f.Legacy = d.readNumber() == 1
	f.Issuance, f.Revocation = d.readNumber(), d.readNumber()
	f.Way = d.way()
	f.Keys = d.readKeys()
	if _, found := f.findEvent(f.Issuance); !d.ok || !found || len(d.rest) > 0 {
		return Facts{}, errFacts
	}
	return f, nil
}

// decoder reads values from bytes. After a fault ok is false, and all further
// values are zero.
type decoder struct {
	rest []byte
	ok   bool
}

// readBytes returns the next n bytes, or nil.
func (d *decoder) readBytes(n uint64) []byte {
	if !d.ok || n > uint64(len(d.rest)) {
		d.ok = false
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) readNumber() uint64 {
	n, size := binary.Uvarint(d.rest)
	if !d.ok || size <= 0 {
		d.ok = false
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) readHash(h *chain.Hash) { copy(h[:], d.readBytes(uint64(len(h)))) }

func (d *decoder) readText() string { return string(d.readBytes(d.readNumber())) }

func (d *decoder) like(usual string) string {
	n := d.readNumber()
	if n == 0 {
		return usual
	}
	return string(d.readBytes(n - 1))
}

// way reads the events. Their sequences descend, and none is 0.
func (d *decoder) way() []Event {
	n := d.readNumber()
	if n > uint64(len(d.rest)) {
		d.ok = false
		return nil
	}
	events := make([]Event, n)
	var above uint64
	for i := range events {
		v := d.readNumber()
		e := &events[i]
		e.Link = v&1 == 1
		if e.Sequence = v >> 1; i > 0 {
			e.Sequence = above - v>>1
		}
		if e.Sequence == 0 || i > 0 && e.Sequence >= above {
			d.ok = false
		}
		if !d.ok {
			return nil
		}
		above = e.Sequence
		d.readHash(&e.Hash)
	}
	return events
}

func (d *decoder) readKeys() Keys {
	k := Keys{Checkpoint: d.readText()}
	k.Status, k.Service = d.like(k.Checkpoint), d.like(k.Checkpoint)
	k.Issuance, k.Revocation = d.like(k.Checkpoint), d.like(k.Checkpoint)
	k.Receipt = d.readText()
	for n := d.readNumber(); d.ok && n > 0; n-- {
		w := Witness{Node: d.readText()}
		w.Key = d.like(w.Node)
		k.Witnesses = append(k.Witnesses, w)
	}
	return k
}
