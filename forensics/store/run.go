package store

import (
	"bytes"
	"cmp"
	"slices"
	"unsafe"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

const (
	blockEntries = 1024 // entries that stay where they are together
	entrySize    = int(unsafe.Sizeof(entry{})) + 4

	// fullRun is the memory in bytes for a run.
	fullRun = 12 << 20
)

// run has the records that were read and are not written yet.
type run struct {
	blocks     [][]entry
	spare      [][]entry // empty blocks
	logs       []*log    // by number
	logNumbers map[facts.Log]uint32
	lastLog    uint32
	names      *names
	octets     []byte // kept of bodies
	statements []said
	texts      []byte // of the statements
	size       int    // of all other memory
	batched    bool   // some event came under a batch id
}

// log is the arrivals of one log, in the order in which they came until sort.
type log struct {
	facts.Log
	entries []uint32
	sorted  bool // by sequence and digest, as far as it is known
}

// said is the data of a statement, in the texts of the run.
type said struct{ transaction, said span }

func newRun() *run { return &run{logNumbers: map[facts.Log]uint32{}, names: newNames()} }

// emptyRun returns an empty run, which uses the memory of this one.
func (r *run) emptyRun() *run {
	n := newRun()
	for i := range r.blocks {
		n.spare = append(n.spare, r.blocks[i][:0])
	}
	n.spare = append(n.spare, r.spare...)
	n.octets, n.statements, n.texts = r.octets[:0], r.statements[:0], r.texts[:0]
	return n
}

// memory returns the memory of the run in bytes.
func (r *run) memory() int {
	const ofLog, ofStatement = 200, 16
	return int(r.count())*entrySize + len(r.octets) + len(r.texts) + len(r.statements)*ofStatement +
		len(r.logs)*ofLog + r.size
}

// entry returns an entry by its number.
func (r *run) entry(n uint32) *entry { return &r.blocks[n/blockEntries][n%blockEntries] }

// count returns the number of entries.
func (r *run) count() uint32 {
	if len(r.blocks) == 0 {
		return 0
	}
	return uint32((len(r.blocks)-1)*blockEntries + len(r.blocks[len(r.blocks)-1]))
}

// keepEntry keeps an entry, which stays where it is.
func (r *run) keepEntry(e *entry) uint32 {
	n := r.count()
	if n%blockEntries == 0 {
		r.blocks = append(r.blocks, r.block())
	}
	block := &r.blocks[len(r.blocks)-1]
	*block = append(*block, *e)
	return n
}

func (r *run) block() []entry {
	if last := len(r.spare) - 1; last >= 0 {
		b := r.spare[last]
		r.spare = r.spare[:last]
		return b
	}
	return make([]entry, 0, blockEntries)
}

// addChunk adds the events of a chunk of a source, whose containers have the numbers that are
// given.
func (r *run) addChunk(c *facts.Chunk, p *prepared, source uint32, containers []uint32) {
	statements, base := p.statements, uint32(len(r.octets))
	r.octets = append(r.octets, p.octets...)
	for i := range p.entries {
		e, a := &p.entries[i], &c.Events[i]
		e.source, e.container = source, containers[a.Container]
		e.log = r.logNumber(a.Line)
		e.key, e.kind, e.batch = r.nameNumber(a.Line.KeyID), r.nameNumber(a.Line.Type), r.nameNumber([]byte(a.Batch))
		e.kept.start, e.kept.end = e.kept.start+base, e.kept.end+base
		r.batched = r.batched || a.Batch != ""
		if len(statements) > 0 && statements[0].at == i {
			r.statements = append(r.statements, said{r.copy(p, statements[0].transaction), r.copy(p, statements[0].said)})
			e.statement = uint32(len(r.statements))
			statements = statements[1:]
		}
		r.logs[e.log].addEntry(r, r.keepEntry(e))
	}
}

// addEntry adds an entry to a log.
func (l *log) addEntry(r *run, n uint32) {
	if k := len(l.entries); k > 0 && l.sorted && r.compareEntries(l.entries[k-1], n) > 0 {
		l.sorted = false
	}
	l.entries = append(l.entries, n)
}

// copy copies bytes that were prepared.
func (r *run) copy(p *prepared, s span) span {
	start := uint32(len(r.texts))
	r.texts = append(r.texts, p.said[s.start:s.end]...)
	return span{start, uint32(len(r.texts))}
}

func (r *run) nameNumber(text []byte) uint32 {
	n, cost := r.names.numberOf(text)
	r.size += cost
	return n
}

// logNumber returns the number of an event's log, most often the same as for the event before it.
func (r *run) logNumber(l *event.Line) uint32 {
	if len(r.logs) > 0 {
		if last := r.logs[r.lastLog]; last.LogID == string(l.LogID) && last.TenantID == string(l.TenantID) {
			return r.lastLog
		}
	}
	id := facts.Log{TenantID: string(l.TenantID), LogID: string(l.LogID)}
	n, ok := r.logNumbers[id]
	if !ok {
		n = uint32(len(r.logs))
		r.logNumbers[id] = n
		r.logs = append(r.logs, &log{Log: id, sorted: true})
	}
	r.lastLog = n
	return n
}

// compareEntries orders the entries of a log. Arrivals of one copy are in the order in which they
// came.
func (r *run) compareEntries(a, b uint32) int {
	x, y := r.entry(a), r.entry(b)
	if x.sequence != y.sequence {
		return cmp.Compare(x.sequence, y.sequence)
	}
	return cmp.Or(bytes.Compare(x.digest[:], y.digest[:]), cmp.Compare(x.source, y.source),
		cmp.Compare(x.record, y.record), cmp.Compare(a, b))
}

// sort brings the entries into their order, and returns the logs in theirs.
func (r *run) sort() []*log {
	order := slices.Clone(r.logs)
	slices.SortFunc(order, func(a, b *log) int { return a.Compare(b.Log) })
	for _, l := range order {
		if !l.sorted {
			slices.SortFunc(l.entries, r.compareEntries)
			l.sorted = true
		}
	}
	return order
}
