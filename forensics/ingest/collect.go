package ingest

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// The size of a chunk: much work for the coordination it costs, little memory.
const (
	chunkRecords = 1024
	chunkBytes   = 1 << 20
)

// rawChunk is a chunk of the case on its way there. The collector fills it with the reader's
// reports; scan reads the events in it. Its memory is used again once the chunk is in the
// case.
type rawChunk struct {
	facts.Chunk
	arena     []byte         // the bodies of events and documents
	events    []span         // of each event
	lines     []event.Line   // of each event, once it was read
	documents []span         // of each document
	progress  facts.Progress // with this chunk; events and skips are counted when it is added
}

// span is a part of a chunk's arena.
type span struct{ start, end int }

func (r *rawChunk) octetsOf(s span) []byte { return r.arena[s.start:s.end] }

var rawChunks = sync.Pool{New: func() any {
	return &rawChunk{arena: make([]byte, 0, chunkBytes+chunkBytes/4)}
}}

// releaseMemory gives the chunk's memory back.
func (r *rawChunk) releaseMemory() {
	if cap(r.arena) > 3*chunkBytes { // a large document
		return
	}
	*r = rawChunk{Chunk: facts.Chunk{Events: r.Events[:0]}, arena: r.arena[:0], events: r.events[:0],
		lines: r.lines[:0]}
	rawChunks.Put(r)
}

// collector is the reader's handler: it cuts the reports into chunks.
type collector struct {
	source   *counted
	passOver int64 // reports that the case holds already
	records  int   // in a chunk
	emit     func(*rawChunk) error

	chunk    *rawChunk
	progress facts.Progress
	current  string // the container of the latest report
	index    int    // of that container in the chunk; -1: not there
	indexed  int64  // records and skips that were reported
	spending allowance

	batches string // the written form of latest
	latest  []read.Batch
}

// newCollector makes a collector that hands its chunks to emit.
func newCollector(source *counted, emit func(*rawChunk) error) *collector {
	c := &collector{source: source, records: chunkRecords, emit: emit, spending: newAllowance()}
	c.beginChunk()
	return c
}

func (c *collector) beginChunk() {
	c.chunk = rawChunks.Get().(*rawChunk)
	c.index = -1
}

// countReport counts a report and returns whether it is new to the case.
func (c *collector) countReport() bool {
	c.progress.Reports++
	return c.progress.Reports > c.passOver
}

// Format notes the recognised format of a container.
func (c *collector) Format(path string, f read.Format, why string) error {
	box := facts.Container{Path: path, Format: string(f), Why: why}
	if listed := c.spending.listsContainer(box); c.countReport() && listed {
		c.index, c.current = len(c.chunk.Containers), path
		c.chunk.Containers = append(c.chunk.Containers, box)
	}
	return c.endIfLarge()
}

// Record keeps a copy of a record, unless it can be neither an event nor a document.
func (c *collector) Record(r *read.Record) error {
	document := documentKind(r.Kind)
	if s := skipOversized(r); s != nil {
		return c.Skip(*s)
	}
	if document == "" && len(r.Body) < leastEvent {
		a := facts.Arrival{Line: &event.Line{}}
		if s := scanEvent(r.Body, &a); s != nil {
			return c.Skip(read.Skip{Place: r.Place, Code: finding.Code(s.Code), Detail: s.Detail,
				Excerpt: r.Body, Consumed: r.Consumed})
		}
	}
	batch := c.batchText(r.Batches)
	if last, ok := c.lastBatch(); c.isLarge() && ok && last != batch {
		if err := c.endChunk(); err != nil {
			return err
		}
	}
	c.indexed++
	paid, fresh := c.spending.payRecord(r, batch), c.countReport()
	if !paid {
		batch = ""
	}
	if fresh {
		c.addRecord(r, document, batch)
	} else {
		c.spending.reportContainer("")
	}
	if !paid {
		at := r.Place
		at.Length = 0
		c.keepSkip(&read.Skip{Place: at, Code: finding.SourceLimit, Consumed: r.Consumed,
			Detail: "more and longer batch ids than are kept of so short a source"}, fresh)
	}
	return c.endIfLarge()
}

// addRecord adds a record to the chunk.
func (c *collector) addRecord(r *read.Record, document, batch string) {
	body := span{len(c.chunk.arena), len(c.chunk.arena) + len(r.Body)}
	c.chunk.arena = append(c.chunk.arena, r.Body...)
	if document != "" {
		c.chunk.Documents = append(c.chunk.Documents, facts.FoundDocument{Found: c.placeInChunk(r.Place), Kind: document})
		c.chunk.documents = append(c.chunk.documents, body)
		c.progress.Documents++
		return
	}
	c.chunk.Events = append(c.chunk.Events, facts.Arrival{Found: c.placeInChunk(r.Place),
		Fidelity: facts.Fidelity(r.Fidelity), Batch: batch, ObservedAt: r.ObservedTime})
	c.chunk.events = append(c.chunk.events, body)
}

// Skip keeps a span that the reader could not read.
func (c *collector) Skip(s read.Skip) error {
	c.indexed++
	c.keepSkip(&s, c.countReport())
	return c.endIfLarge()
}

// keepSkip keeps a span, or counts it; if fresh is false the case has it.
func (c *collector) keepSkip(s *read.Skip, fresh bool) {
	listed := c.spending.listsSkip(s)
	switch {
	case !fresh:
		c.spending.newRows()
		c.spending.reportContainer("")
	case listed:
		if !c.spending.many {
			c.addChanges()
		}
		c.chunk.Skips = append(c.chunk.Skips, facts.FoundSkip{Found: c.placeInChunk(s.Place),
			Code: string(s.Code), Detail: s.Text(), Excerpt: excerptOf(s)})
	default:
		c.spending.placeRows(c.placeInChunk)
	}
}

// addChanges adds to the chunk the changes of the rows for many spans.
func (c *collector) addChanges() {
	for _, m := range c.spending.newRows() {
		c.chunk.Skips = append(c.chunk.Skips, m.FoundSkip)
	}
}

// batchText writes the batch ids of a record, most often the same as for the record before it.
func (c *collector) batchText(ids []read.Batch) string {
	if !slices.Equal(ids, c.latest) {
		c.latest = slices.Clone(ids)
		c.batches = batchText(ids)
	}
	return c.batches
}

func batchText(ids []read.Batch) string {
	own := make([]facts.BatchID, len(ids))
	for i, id := range ids {
		own[i] = facts.BatchID{Where: string(id.Where), ID: strings.Clone(id.ID)}
	}
	return facts.Batches(own)
}

// placeInChunk turns a reader's place into one of the chunk.
func (c *collector) placeInChunk(p read.Place) facts.Found {
	if c.index < 0 || c.current != p.Container {
		c.index, c.current = len(c.chunk.Containers), p.Container
		c.chunk.Containers = append(c.chunk.Containers, c.spending.reportContainer(p.Container))
	}
	return facts.Found{Container: c.index, Offset: p.Offset, Length: p.Length, Record: p.Index}
}

// endIfLarge ends the chunk when it is large enough. A batch is not cut in two, to be
// known as a whole when it comes again, unless it is very large itself.
func (c *collector) endIfLarge() error {
	batch, _ := c.lastBatch()
	if !c.isLarge() || batch != "" && c.reportCount() < 2*c.records && len(c.chunk.arena) < 2*chunkBytes {
		return nil
	}
	return c.endChunk()
}

// lastBatch returns the batch id of the last event of the chunk, if it has any.
func (c *collector) lastBatch() (batch string, ok bool) {
	last := len(c.chunk.Events) - 1
	if last < 0 {
		return "", false
	}
	return c.chunk.Events[last].Batch, true
}

func (c *collector) isLarge() bool {
	return c.reportCount() >= c.records || len(c.chunk.arena) >= chunkBytes
}

// reportCount is how much is in the chunk.
func (c *collector) reportCount() int {
	return len(c.chunk.Events) + len(c.chunk.Documents) + len(c.chunk.Skips) + len(c.chunk.Containers)
}

// endChunk hands on the chunk, if there is anything in it.
func (c *collector) endChunk() error {
	if c.addChanges(); c.reportCount() == 0 {
		return nil
	}
	c.progress.Read, c.progress.ReadSHA256 = c.source.readSoFar()
	c.chunk.progress = c.progress
	err := c.emit(c.chunk)
	c.beginChunk()
	return err
}

// counted counts and hashes the bytes read through it. A reader may read ahead in a goroutine
// of its own.
type counted struct {
	mu   sync.Mutex
	r    io.Reader
	n    int64
	hash hash.Hash

	mark   int64      // how many bytes marked is the digest of
	marked chain.Hash // once they were read
}

func newCounted(r io.Reader) *counted { return &counted{r: r, hash: sha256.New()} }

func (c *counted) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.r.Read(b)
	c.addBytes(b[:n])
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// readError is a fault of the evidence's file, and not of the case.
type readError struct{ err error }

func (e *readError) Error() string { return "read the source: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// readSoFar returns how much was read so far, and the digest of that.
func (c *counted) readSoFar() (int64, chain.Hash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, chain.Hash(c.hash.Sum(nil))
}

// readerAgain is the source for a reader that may read parts of it again, if it can be.
func (c *counted) readerAgain() io.Reader {
	if at, ok := c.r.(io.ReaderAt); ok {
		return rereadable{c, at}
	}
	return c
}

// rereadable is a source whose parts can be read again, uncounted.
type rereadable struct {
	*counted
	at io.ReaderAt
}

// Outer returns the reader below, as io.SectionReader does.
func (r rereadable) Outer() (at io.ReaderAt, offset, size int64) { return r.at, 0, 1<<63 - 1 }

// ReadAt implements io.ReaderAt.
func (r rereadable) ReadAt(b []byte, offset int64) (int, error) {
	n, err := r.at.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readError{err}
	}
	return n, err
}
