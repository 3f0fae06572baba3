package share

import (
	"bytes"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/part"
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
	fidelity   casefile.Fidelity
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
