package share

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// entry is one arrival of a copy of an event. It has no pointers, so that millions cost
// the garbage collector nothing. Numbers are those of the run's names.
type entry struct {
	sequence   uint64
	digest     [part.DigestSize]byte
	recorded   chain.Hash
	computed   chain.Hash
	previous   chain.Hash
	skip       chain.Hash
	occurredAt int64
	observedAt int64
	offset     int64
	length     int64
	record     int64
	log        uint32
	key        uint32
	kind       uint32 // its type
	batch      uint32
	source     uint32
	container  uint32
	size       uint32
	statement  uint32 // 1 and more: among the run's; 0 for none
	signed     event.Signed
	fidelity   facts.Fidelity
}

// prepared is what a worker makes of a chunk.
type prepared struct {
	entries    []entry
	statements []statement
	octets     []byte // of the statements
	documents  []part.Document
	groups     groups
	left       []int // the groups that are to be judged with others
	err        error
}

// statement is an event that other logs must meet.
type statement struct {
	at          int // in the chunk
	transaction span
	said        span
}

// span is a part of an array of octets.
type span struct{ start, end uint32 }

var preparations = sync.Pool{New: func() any { return new(prepared) }}

// Prepare computes what can be said of the events and documents of a chunk by
// themselves. It judges the events of those logs of which there are many.
func (w *worker) Prepare(c *casefile.Chunk) {
	p := preparations.Get().(*prepared)
	p.reset()
	for i := range c.Events {
		p.entries = append(p.entries, entryOf(&c.Events[i]))
		p.state(w, i, c.Events[i].Line)
	}
	p.judge(w, c.Events)
	for i := range c.Documents {
		p.documents = append(p.documents, w.document(&c.Documents[i]))
	}
	c.Prepared = p
}

func (p *prepared) reset() {
	p.entries, p.statements, p.octets, p.left, p.err = p.entries[:0], p.statements[:0], p.octets[:0], p.left[:0], nil
	p.documents = nil
	p.groups.reset()
}

// judge judges the events of those logs of which there are many.
func (p *prepared) judge(w *worker, events []casefile.Arrival) {
	p.groups.fill(events)
	for i := range p.groups.all {
		g := &p.groups.all[i]
		if len(g.events) < enough {
			p.left = append(p.left, i)
			continue
		}
		if err := w.judges.judge.Judge(g.log, g.events); err != nil {
			p.err = err
			return
		}
		for n, at := range g.at {
			p.entries[at].judged(g.events[n])
		}
	}
}

// document returns what a document says.
func (w *worker) document(d *casefile.FoundDocument) part.Document {
	out := part.Document{SHA256: sha256.Sum256(d.Bytes), Kind: d.Kind}
	var err error
	out.Walk, out.Cross, err = facts.TestimonyOf(d.Kind, d.Bytes, w.root, facts.ForWalk|facts.ForComparison).Documents()
	if err != nil {
		panic(err) // what is made here has a canonical form
	}
	return out
}

// entryOf returns what is known of an arrival by itself.
func entryOf(a *casefile.Arrival) entry {
	l := a.Line
	e := entry{sequence: l.Link.Sequence, recorded: l.Recorded, previous: l.Link.Previous,
		skip: l.Link.Skip, occurredAt: l.OccurredAt, observedAt: a.ObservedAt, offset: a.Offset, length: a.Length,
		record: a.Record, size: uint32(len(l.Body)), fidelity: a.Fidelity}
	digest := facts.CopyDigest(l.Recorded, l.Link, &l.Signature, l.KeyID)
	copy(e.digest[:], digest[:])
	return e
}

// state keeps what an event says, if other logs must meet it.
func (p *prepared) state(w *worker, at int, l *event.Line) {
	for _, t := range evidence.StatementTypes(string(l.LogID)) {
		if string(l.Type) != t {
			continue
		}
		s := statement{at: at, transaction: p.keep(l.TransactionID)}
		if said, ok := evidence.ReadSaid(t, l.Data); ok {
			if said.Report.Link.Sequence > 0 {
				p.err = errors.Join(p.err, w.judges.judge.Reports(context.Background(), []*walk.Report{&said.Report}))
			}
			start := uint32(len(p.octets))
			p.octets = evidence.AppendSaid(p.octets, &said)
			s.said = span{start, uint32(len(p.octets))}
		}
		p.statements = append(p.statements, s)
		return
	}
}

func (p *prepared) keep(b []byte) span {
	start := uint32(len(p.octets))
	p.octets = append(p.octets, b...)
	return span{start, uint32(len(p.octets))}
}

// names numbers the texts that repeat in events.
type names struct {
	numbers map[string]uint32
	texts   []string
	last    uint32
}

func newNames() *names { return &names{numbers: map[string]uint32{"": 0}, texts: []string{""}} }

// number returns the number of a text, and how much memory a new one takes.
func (n *names) number(text []byte) (uint32, int) {
	if string(text) == n.texts[n.last] {
		return n.last, 0
	}
	if at, ok := n.numbers[string(text)]; ok {
		n.last = at
		return at, 0
	}
	own := string(bytes.Clone(text))
	n.last = uint32(len(n.texts))
	n.numbers[own] = n.last
	n.texts = append(n.texts, own)
	return n.last, nameCost + len(own)
}

// nameCost is about what a text takes beside its octets.
const nameCost = 64

// valid reports whether a copy gives its own hash, and its log's owner signed that.
func (e *entry) valid() bool { return e.signed == event.OverContent && e.computed == e.recorded }
