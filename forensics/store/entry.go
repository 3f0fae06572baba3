package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// entry is one arrival of a copy of an event. It has no pointers, so that many cost the
// garbage collector nothing. Numbers are the run's.
type entry struct {
	sequence   uint64
	digest     [block.DigestSize]byte
	recorded   chain.Hash
	computed   chain.Hash
	previous   chain.Hash
	skip       chain.Hash
	signature  [event.SignatureSize]byte
	occurredAt int64
	observedAt int64
	offset     int64
	length     int64
	record     int64
	body       block.Body // once it is written
	log        uint32
	key        uint32
	kind       uint32 // its type
	batch      uint32
	source     uint32
	container  uint32
	size       uint32       // of the body
	statement  uint32       // 1 and more: among the run's; 0 for none
	kept       span         // the kept form of the body, in the bytes of the run
	signed     event.Signed // if the store judges
	fidelity   facts.Fidelity
	held       bool // an earlier run keeps the body of the copy, and its statement
}

// span is a part of an array of bytes.
type span struct{ start, end uint32 }

// prepared is a worker's result for a chunk.
type prepared struct {
	entries    []entry
	octets     []byte // kept of bodies
	statements []statement
	said       []byte // by the statements
	judgement         // of a store that judges
}

// statement is an event that other logs must meet.
type statement struct {
	at          int // in the chunk
	transaction span
	said        span
}

var preparations = sync.Pool{New: func() any { return new(prepared) }}

// Prepare computes the facts that follow from the events of a chunk alone. Workers call it,
// several at once.
func (w *Writer) Prepare(c *facts.Chunk) {
	p, _ := preparations.Get().(*prepared)
	p.entries, p.octets, p.statements, p.said = p.entries[:0], p.octets[:0], p.statements[:0], p.said[:0]
	p.reset()
	for i := range c.Events {
		l := c.Events[i].Line
		p.addArrival(&c.Events[i])
		if w.judges == nil {
			p.entries[i].computed, p.entries[i].kept = l.Link.Hash(), appendKept(&p.octets, l)
		}
		p.keepStatement(w.judges, i, l)
	}
	if w.judges != nil {
		p.judgeChunk(w.judges, c)
	}
	c.Prepared = p
}

// addArrival adds the facts of an arrival by itself.
func (p *prepared) addArrival(a *facts.Arrival) {
	n, l := len(p.entries), a.Line
	p.entries = slices.Grow(p.entries, 1)[:n+1]
	e := &p.entries[n]
	e.sequence, e.recorded = l.Link.Sequence, l.Recorded
	e.previous, e.skip, e.signature = l.Link.Previous, l.Link.Skip, l.Signature
	e.occurredAt, e.observedAt, e.fidelity = l.OccurredAt, a.ObservedAt, a.Fidelity
	e.offset, e.length, e.record, e.size = a.Offset, a.Length, a.Record, uint32(len(l.Body))
	e.body, e.statement, e.kept, e.signed, e.held = block.Body{}, 0, span{}, event.Unjudged, false
	digest := facts.CopyDigest(l.Recorded, l.Link, &l.Signature, l.KeyID)
	copy(e.digest[:], digest[:])
}

// appendKept appends the kept form of a body: the salt's bytes, the transaction with its
// length, and the data. All else in it has one form (SPEC 4.2), and its values are known.
func appendKept(to *[]byte, l *event.Line) span {
	start := uint32(len(*to))
	b := append(*to, l.Salt[:]...)
	b = binary.AppendUvarint(b, uint64(len(l.TransactionID)))
	*to = append(append(b, l.TransactionID...), l.Data...)
	return span{start, uint32(len(*to))}
}

// keepStatement keeps the statement of an event, if other logs must meet it.
func (p *prepared) keepStatement(j *judges, at int, l *event.Line) {
	for _, t := range evidence.StatementTypes(string(l.LogID)) {
		if string(l.Type) != t {
			continue
		}
		s := statement{at: at, transaction: p.keepText(l.TransactionID)}
		if said, ok := evidence.ReadSaid(t, l.Data); ok {
			if j != nil && said.Report.Link.Sequence > 0 {
				p.err = errors.Join(p.err, j.judge.Reports(context.Background(), []*walk.Report{&said.Report}))
			}
			start := uint32(len(p.said))
			p.said = evidence.AppendSaid(p.said, &said)
			s.said = span{start, uint32(len(p.said))}
		}
		p.statements = append(p.statements, s)
		return
	}
}

func (p *prepared) keepText(b []byte) span {
	start := uint32(len(p.said))
	p.said = append(p.said, b...)
	return span{start, uint32(len(p.said))}
}

// names numbers the texts that repeat in events.
type names struct {
	numbers map[string]uint32
	texts   []string
	last    uint32
}

func newNames() *names { return &names{numbers: map[string]uint32{"": 0}, texts: []string{""}} }

// numberOf returns the number of a text, and the memory for a new one.
func (n *names) numberOf(text []byte) (uint32, int) {
	if string(text) == n.texts[n.last] {
		return n.last, 0
	}
	if at, ok := n.numbers[string(text)]; ok {
		n.last = at
		return at, 0
	}
	const cost = 64 // of a text, besides its bytes
	own := string(bytes.Clone(text))
	n.last = uint32(len(n.texts))
	n.numbers[own] = n.last
	n.texts = append(n.texts, own)
	return n.last, cost + len(own)
}
