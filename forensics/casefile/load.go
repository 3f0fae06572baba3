package casefile

import (
	"bytes"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// The key of an event's row packs its log and its sequence. What does not fit
// goes to the variants, which have room for both.
const (
	sequenceBits = 40
	maxSequence  = 1<<sequenceBits - 1
	maxLog       = 1<<23 - 1
)

// findCopy asks for what tells the copies of a sequence apart, and for the fidelity.
var findCopy = "SELECT event, " + only(colHash, colPrevious, colSkip, colBody, colSignature, colKey, colFidelity) +
	" FROM events WHERE event = ?"

// loader adds chunks within the writer's transaction.
type loader struct {
	c          *sqlite.Conn
	logs       *logs
	words      *names
	batches    *names
	containers *containers
	blocks     *blocks
	runs       *runs
	events     *sqlite.Bulk[row]
	deliveries *sqlite.Bulk[row]
	variants   *variants
	keyID      string // of the last event, most often that of the next one too
	key        int64
	find       *sqlite.Stmt // the copy in a row of events
	improve    *sqlite.Stmt // its fidelity
}

func (l *loader) open(c *sqlite.Conn) (err error) {
	l.c = c
	open := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	open(func() (err error) { l.logs, err = newLogs(c); return })
	open(func() (err error) { l.words, err = newNames(c, "words", "word", "text"); return })
	open(func() (err error) { l.batches, err = newNames(c, "batches", "batch", "ids"); return })
	open(func() (err error) { l.containers, err = newContainers(c); return })
	open(func() (err error) { l.blocks, err = newBlocks(c); return })
	open(func() (err error) { l.runs, err = newRuns(c); return })
	open(func() (err error) { l.events, err = sqlite.NewBulk(c, "events", columnCount, bindEvent); return })
	open(func() (err error) {
		l.deliveries, err = sqlite.NewBulk(c, "deliveries", deliveryColumns, bindDelivery)
		return
	})
	open(func() (err error) { l.variants, err = newVariants(c); return })
	open(func() (err error) {
		l.find, err = c.Prepare(findCopy)
		return
	})
	open(func() (err error) {
		l.improve, err = c.Prepare("UPDATE events SET fidelity = ? WHERE event = ?")
		return
	})
	return err
}

func (l *loader) close() {
	l.logs.close()
	l.words.close()
	l.batches.close()
	l.containers.close()
	l.blocks.close()
	l.runs.close()
	l.events.Close()
	l.deliveries.Close()
	l.variants.close()
	for _, s := range []*sqlite.Stmt{l.find, l.improve} {
		if s != nil {
			s.Close()
		}
	}
}

// add adds a chunk.
func (l *loader) add(chunk *Chunk) error {
	numbers := make([]int64, len(chunk.Containers))
	for i, c := range chunk.Containers {
		var err error
		if numbers[i], err = l.containers.number(chunk.Source, c); err != nil {
			return err
		}
	}
	return inOrder(
		func() error { return l.addEvents(chunk, numbers) },
		func() error { return l.addDocuments(chunk, numbers) },
		func() error { return l.addSkips(chunk, numbers) })
}

// addEvents adds the events of a chunk whose containers have these numbers.
func (l *loader) addEvents(chunk *Chunk, containers []int64) error {
	for at, runs := 0, chunk.Runs; at < len(chunk.Events); {
		run := Run{First: at, Count: 1}
		if len(runs) > 0 && runs[0].First == at {
			run, runs = runs[0], runs[1:]
		}
		if err := l.addRun(run, chunk.Events[at:at+run.Count], containers); err != nil {
			return err
		}
		at += run.Count
	}
	return inOrder(l.events.Flush, l.deliveries.Flush, l.blocks.end)
}

// addRun adds events one by one, unless the very same ones came together
// before.
func (l *loader) addRun(run Run, events []Arrival, containers []int64) error {
	if run.Known {
		return l.redeliver(run, events, containers)
	}
	refs := make([]facts.Ref, 0, len(events))
	for i := range events {
		ref, err := l.addEvent(&events[i], containers[events[i].Container])
		if err != nil {
			return err
		}
		refs = append(refs, ref)
	}
	if run.Count == 1 {
		return nil
	}
	return l.runs.insert(run.Digest, refs)
}

// redeliver notes that the events of a run were delivered again.
func (l *loader) redeliver(run Run, events []Arrival, containers []int64) error {
	refs, err := l.runs.refs(run)
	if err != nil {
		return err
	}
	for i := range events {
		r := row{arrival: &events[i], container: containers[events[i].Container]}
		if events[i].Batch != "" {
			if r.batch, err = l.batches.number([]byte(events[i].Batch)); err != nil {
				return err
			}
		}
		if _, err := l.deliver(refs[i], r); err != nil {
			return err
		}
	}
	return nil
}

// addEvent adds one event and returns the row that it is, or is a delivery of.
func (l *loader) addEvent(a *Arrival, container int64) (facts.Ref, error) {
	r, log, err := l.row(a, container)
	if err != nil {
		return 0, err
	}
	sequence := a.Line.Link.Sequence
	if log.number > maxLog || sequence > maxSequence {
		return l.addVariant(r, log.number)
	}
	r.id = log.number<<sequenceBits | int64(sequence)
	if sequence > log.last {
		log.last = sequence
		return l.addNew(r)
	}
	return l.addAgain(r, log.number)
}

func (l *loader) addNew(r row) (facts.Ref, error) {
	var err error
	if r.body, err = l.blocks.keep(r.arrival); err != nil {
		return 0, err
	}
	return facts.Ref(r.id), l.events.Add(r)
}

// row looks up the numbers that a row is made of.
func (l *loader) row(a *Arrival, container int64) (r row, log *logState, err error) {
	r = row{arrival: a, container: container}
	if log, err = l.logs.state(a.Line.TenantID, a.Line.LogID); err != nil {
		return r, nil, err
	}
	if l.keyID != string(a.Line.KeyID) {
		if l.key, err = l.words.number(a.Line.KeyID); err != nil {
			return r, nil, err
		}
		l.keyID = string(a.Line.KeyID)
	}
	r.key = l.key
	if r.typ, err = l.words.number(a.Line.Type); err != nil {
		return r, nil, err
	}
	if a.Batch != "" {
		r.batch, err = l.batches.number([]byte(a.Batch))
	}
	return r, log, err
}

// addAgain adds an event whose sequence is not above all that its log has:
// a new one after all, a copy that is there already, or one that differs.
func (l *loader) addAgain(r row, log int64) (facts.Ref, error) {
	if known := l.unwritten(r.id); known != nil {
		if !sameCopy(known.arrival.Line, r.arrival.Line) {
			return l.addVariant(r, log)
		}
		known.arrival.Fidelity = min(known.arrival.Fidelity, r.arrival.Fidelity)
		return l.deliver(facts.Ref(r.id), r)
	}
	l.find.BindInt(0, r.id)
	found, err := l.find.Step()
	same, fidelity := found && isCopy(l.find, &r), facts.Fidelity(0)
	if same {
		fidelity = facts.Fidelity(l.find.Int(colFidelity))
	}
	l.find.Reset()
	switch {
	case err != nil:
		return 0, err
	case !found:
		return l.addNew(r)
	case !same:
		return l.addVariant(r, log)
	case r.arrival.Fidelity < fidelity:
		l.improve.Bind(int64(r.arrival.Fidelity), r.id)
		if err := l.improve.Do(); err != nil {
			return 0, err
		}
	}
	return l.deliver(facts.Ref(r.id), r)
}

// unwritten finds a row of events that is not yet inserted.
func (l *loader) unwritten(id int64) *row {
	for i := range l.events.Pending() {
		if r := &l.events.Pending()[i]; r.id == id {
			return r
		}
	}
	return nil
}

// addVariant adds a copy among the variants, unless it is there already.
func (l *loader) addVariant(r row, log int64) (facts.Ref, error) {
	v, known, err := l.variants.find(log, &r)
	if err != nil {
		return 0, err
	}
	if known {
		return l.deliver(facts.Ref(-v), r)
	}
	if r.body, err = l.blocks.keep(r.arrival); err != nil {
		return 0, err
	}
	v, err = l.variants.insert(log, &r)
	return facts.Ref(-v), err
}

func (l *loader) deliver(ref facts.Ref, r row) (facts.Ref, error) {
	r.id = int64(ref)
	return ref, l.deliveries.Add(r)
}

// isCopy reports whether the row that find stands at holds these very bytes.
// The body's digest covers everything that is not in the other columns.
func isCopy(find *sqlite.Stmt, r *row) bool {
	a := r.arrival.Line
	return bytes.Equal(find.Blob(colHash), a.Recorded[:]) && bytes.Equal(find.Blob(colPrevious), a.Link.Previous[:]) &&
		bytes.Equal(find.Blob(colSkip), a.Link.Skip[:]) && bytes.Equal(find.Blob(colBody), a.Link.Body[:]) &&
		bytes.Equal(find.Blob(colSignature), a.Signature[:]) && find.Int(colKey) == r.key
}

func sameCopy(a, b *event.Line) bool {
	return a.Recorded == b.Recorded && a.Link == b.Link && a.Signature == b.Signature && bytes.Equal(a.KeyID, b.KeyID)
}
