package share

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// blockEntries is how many entries stay where they are together.
const blockEntries = 4096

// run is the records that are in memory.
type run struct {
	judges     *judges
	blocks     [][]entry
	spare      [][]entry // empty blocks
	logs       []*log    // by number
	logNumbers map[facts.Log]uint32
	lastLog    uint32
	names      *names
	statements []said
	texts      []byte // of the statements
	documents  map[chain.Hash]*part.Document
	size       int  // of all other records
	batched    bool // some event came under a batch id
}

// log is the arrivals of one log, in the order in which they came until seal.
type log struct {
	facts.Log
	entries []uint32
	sorted  bool // by sequence and digest, as far as it is known
}

// said is what a statement says, in the texts of the run.
type said struct{ transaction, said span }

// place is where a chunk belongs.
type place struct {
	source     uint32
	containers []uint32 // the numbers of the chunk's
}

func newRun(j *judges) *run {
	return &run{judges: j, logNumbers: map[facts.Log]uint32{}, names: newNames(),
		documents: map[chain.Hash]*part.Document{}}
}

// next returns an empty run, which takes over the memory of this one.
func (r *run) next() *run {
	n := newRun(r.judges)
	for i := range r.blocks {
		n.spare = append(n.spare, r.blocks[i][:0])
	}
	n.spare = append(n.spare, r.spare...)
	n.statements, n.texts = r.statements[:0], r.texts[:0]
	return n
}

// octets returns how much memory the records take.
func (r *run) octets() int {
	const ofLog, ofStatement = 200, 16
	return int(r.count())*entrySize + len(r.texts) + len(r.statements)*ofStatement + len(r.logs)*ofLog + r.size
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

// keep keeps an entry, which stays where it is.
func (r *run) keep(e *entry) uint32 {
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

// add adds the events and documents of a chunk.
func (r *run) add(c *casefile.Chunk, at *place) error {
	p, ok := c.Prepared.(*prepared)
	if !ok {
		return nil // what is said of a source as a whole
	}
	defer preparations.Put(p)
	c.Prepared = nil
	r.addEvents(c, p, at)
	for i := range c.Documents {
		r.addDocument(&c.Documents[i], p.documents[i], at)
	}
	return p.err
}

func (r *run) addEvents(c *casefile.Chunk, p *prepared, at *place) {
	statements, first := p.statements, r.count()
	for i := range p.entries {
		e, a := &p.entries[i], &c.Events[i]
		e.source, e.container = at.source, at.containers[a.Container]
		e.log = r.log(a.Line)
		e.key, e.kind, e.batch = r.name(a.Line.KeyID), r.name(a.Line.Type), r.name([]byte(a.Batch))
		r.batched = r.batched || a.Batch != ""
		if len(statements) > 0 && statements[0].at == i {
			r.statements = append(r.statements, said{r.copy(p, statements[0].transaction), r.copy(p, statements[0].said)})
			e.statement = uint32(len(r.statements))
			statements = statements[1:]
		}
		r.logs[e.log].add(r, r.keep(e))
	}
	for _, i := range p.left {
		g := &p.groups.all[i]
		for n, at := range g.at {
			r.judges.add(g.log, g.events[n], r.entry(first+uint32(at)))
		}
	}
}

// add adds an entry to a log.
func (l *log) add(r *run, n uint32) {
	if k := len(l.entries); k > 0 && l.sorted && r.compare(l.entries[k-1], n) > 0 {
		l.sorted = false
	}
	l.entries = append(l.entries, n)
}

// copy copies octets that were prepared.
func (r *run) copy(p *prepared, s span) span {
	start := uint32(len(r.texts))
	r.texts = append(r.texts, p.octets[s.start:s.end]...)
	return span{start, uint32(len(r.texts))}
}

func (r *run) name(text []byte) uint32 {
	n, cost := r.names.number(text)
	r.size += cost
	return n
}

// log returns the number of an event's log, most often that of the event before it.
func (r *run) log(l *event.Line) uint32 {
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

// addDocument adds a document, or another place of one that is there.
func (r *run) addDocument(d *casefile.FoundDocument, said part.Document, at *place) {
	const ofDocument, ofPlace = 200, 48
	known := r.documents[said.SHA256]
	if known == nil {
		known = &said
		r.documents[said.SHA256] = known
		r.size += ofDocument + len(said.Walk) + len(said.Cross)
	}
	known.Places = append(known.Places, at.of(&d.Found))
	r.size += ofPlace
}

// of returns the place of what was found in the chunk, with the numbers of the worker.
func (p *place) of(f *casefile.Found) part.Place {
	return part.Place{Share: int(p.source), Container: int(p.containers[f.Container]), Offset: f.Offset, Length: f.Length,
		Record: f.Record}
}
