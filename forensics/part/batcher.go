package part

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Batcher makes the batches of a log from its copies (SPEC 9.2). A run may come to its end
// long after others that began later, so that they are in no order.
type Batcher struct {
	log   facts.Log
	found func(*Batch)
	runs  map[string]*list.Element // of those that may go on, by id
	open  list.List                // of them, by their last sequence
	texts map[string][]string      // the ids last found in an arrival
	count int64                    // copies that were added
}

// NewBatcher returns a Batcher for a log. It calls found with each batch.
func NewBatcher(log facts.Log, found func(*Batch)) *Batcher {
	return &Batcher{log: log, found: found, runs: map[string]*list.Element{}, texts: map[string][]string{}}
}

// Add adds the next copy of the log.
func (b *Batcher) Add(c *Copy) { b.addCopy(c, nil) }

// addCopy adds a copy, and of its batch ids only one if there is an only.
func (b *Batcher) addCopy(c *Copy, only *string) {
	b.count++
	for i := range c.Arrivals {
		text := c.Arrivals[i].Batch
		if text == "" {
			continue
		}
		for _, id := range b.ids(text) {
			if only == nil || id == *only {
				b.arrival(id, c)
			}
		}
	}
	for e := b.open.Front(); e != nil && e.Value.(*batchRun).Last+1 < c.Sequence; e = b.open.Front() {
		b.endRun(e)
	}
}

// End completes the log.
func (b *Batcher) End() {
	for e := b.open.Front(); e != nil; e = b.open.Front() {
		b.endRun(e)
	}
}

// mostTexts bounds the texts whose ids are remembered.
const mostTexts = 64

// ids returns the ids in the Batch of an arrival.
func (b *Batcher) ids(text string) []string {
	ids, known := b.texts[text]
	if known {
		return ids
	}
	if len(b.texts) > mostTexts {
		clear(b.texts)
	}
	ids = IDs(text)
	b.texts[text] = ids
	return ids
}

// IDs returns the batch ids in the Batch of an arrival, ascending and without repeats.
func IDs(text string) []string {
	var ids []string
	if json.Unmarshal([]byte(text), &ids) != nil {
		return nil // not as facts.Batches writes it
	}
	for i, id := range ids {
		_, ids[i], _ = strings.Cut(id, ":")
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// batchRun is a batch that may go on.
type batchRun struct {
	Batch
	copyNow  int64      // the copy that came last
	arrivals int64      // of it
	lowest   chain.Hash // of the copies of the last sequence
	events   *facts.BatchRun
	copies   hash.Hash
}

// arrival adds one arrival of a copy.
func (b *Batcher) arrival(id string, c *Copy) {
	e := b.runs[id]
	if e != nil && e.Value.(*batchRun).Last+1 < c.Sequence {
		b.endRun(e)
		e = nil
	}
	if e == nil {
		r := &batchRun{Batch: Batch{ID: id, Log: b.log, First: c.Sequence, Last: c.Sequence}}
		r.events, r.copies = facts.NewBatchRun(b.log.LogID), sha256.New()
		e = b.open.PushBack(r)
		b.runs[id] = e
	}
	r := e.Value.(*batchRun)
	r.Deliveries++
	switch {
	case r.Events == 0:
		r.lowest = c.Recorded
	case r.Last != c.Sequence:
		r.events.Add(r.lowest)
		r.lowest = c.Recorded
		r.Last = c.Sequence
		b.open.MoveToBack(e)
	case r.copyNow == b.count:
		if r.arrivals++; r.arrivals == 2 {
			r.Redelivered++
		}
		return
	default:
		r.Differing++
		if bytes.Compare(c.Recorded[:], r.lowest[:]) < 0 {
			r.lowest = c.Recorded
		}
	}
	r.Events++
	r.copyNow, r.arrivals = b.count, 1
	var b8 [8]byte
	binary.BigEndian.PutUint64(b8[:], c.Sequence)
	r.copies.Write(b8[:])
	r.copies.Write(c.Recorded[:])
	r.copies.Write(c.Digest[:])
}

// endRun ends a run.
func (b *Batcher) endRun(e *list.Element) {
	r := e.Value.(*batchRun)
	b.open.Remove(e)
	delete(b.runs, r.ID)
	r.events.Add(r.lowest)
	r.Genuine, _ = r.events.Genuine(r.ID)
	copy(r.Copies[:], r.copies.Sum(nil))
	b.found(&r.Batch)
}
