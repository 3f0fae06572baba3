package ingest

import (
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// The space in a case for anything that is neither an event nor a document: two bytes for each
// byte of evidence, and some for each source however short. An event or a document is as long
// as its kept form, but spans that could not be read, containers and batch ids can be made of
// a few bytes each. Batch ids have two bytes more for each byte of the event or document that
// came under them.
const (
	allowed     = 2
	allowedFree = 64 << 10

	// listAgain is how much must be left before spans are listed one by one again,
	// so that rows that stand for many do not become many themselves.
	listAgain = allowedFree / 2

	// The size of a row besides its texts, with its indexes.
	skipSize      = 80
	containerSize = 64
	batchSize     = 64
)

// leastEvent is less than any event has in bytes: its digests, its signature and
// the names of its members have more (SPEC 4.2).
const leastEvent = 256

// allowance bounds the space for a source besides events and documents. Where it is used up,
// small spans of one kind become one row, which counts them and has how far they reach. It
// depends only on the reports, so that an ingest that continues after an interruption gives
// the same.
type allowance struct {
	left     int64 // bytes
	seen     int64 // bytes of the evidence for which something was allowed
	box      string
	unlisted facts.Container // the last that was recognised and is not in the case
	entered  facts.Container // the last that was paid for, until it is in the case
	batch    string          // the batch ids that were paid for last
	open     []*many         // the rows that stand for many spans and may come to stand for more
	many     bool            // spans are not listed one by one
}

// many is the spans of one kind in one row.
type many struct {
	facts.FoundSkip
	place read.Place // of the first
	fresh bool       // no chunk has it yet
}

func newAllowance() allowance { return allowance{left: allowedFree} }

// allowMore allows more for newly consumed bytes.
func (a *allowance) allowMore(consumed int64) {
	a.left += allowed * (consumed - a.seen)
	a.seen = consumed
}

// isShort reports whether something of this size is not to be listed by itself.
func (a *allowance) isShort(cost int64) bool {
	return a.left < cost || a.many && a.left < listAgain
}

// listsContainer reports whether a container that was recognised is to be listed.
func (a *allowance) listsContainer(c facts.Container) bool {
	if c.Path == "" {
		return true
	}
	cost := containerCost(c)
	if a.isShort(cost) {
		a.unlisted = c
		return false
	}
	a.left -= cost
	a.box = c.Path
	return true
}

func containerCost(c facts.Container) int64 {
	return int64(containerSize + 2*len(c.Path) + len(c.Format) + len(c.Why))
}

// payRecord pays for the place of a kept record, and reports whether its batch ids are to be kept
// as well.
func (a *allowance) payRecord(r *read.Record, batch string) bool {
	a.allowMore(r.Consumed)
	if r.Place.Container != a.box {
		a.left -= containerCost(a.knownContainer(r.Place.Container))
		a.noteContainer(r.Place.Container)
	}
	if batch == "" || batch == a.batch {
		return true
	}
	cost := batchCost(r, batch)
	if a.left < cost {
		return false
	}
	a.left -= cost
	a.batch = batch
	return true
}

// batchCost returns the size of the batch ids of a record beyond the allowance for the bytes
// of its body. Most records have room for their own, so that the rest does not depend on how
// many came before.
func batchCost(r *read.Record, batch string) int64 {
	return max(0, int64(batchSize+2*len(batch)-allowed*len(r.Body)))
}

// knownContainer returns a container with its known facts.
func (a *allowance) knownContainer(path string) facts.Container {
	if a.unlisted.Path == path {
		return a.unlisted
	}
	return facts.Container{Path: path}
}

// noteContainer notes the container of a paid item. Its facts are reported once.
func (a *allowance) noteContainer(path string) {
	a.box, a.entered = path, a.knownContainer(path)
	if a.unlisted.Path == path {
		a.unlisted = facts.Container{}
	}
}

// reportContainer returns a container as it is reported to the case.
func (a *allowance) reportContainer(path string) facts.Container {
	c := a.entered
	a.entered = facts.Container{}
	if c.Path != path {
		return facts.Container{Path: path}
	}
	return c
}

// listsSkip reports whether a span is to be listed by itself; if not, it is counted.
func (a *allowance) listsSkip(s *read.Skip) bool {
	a.allowMore(s.Consumed)
	cost := int64(skipSize + len(s.Code) + len(s.Text()) + min(len(s.Excerpt), facts.ExcerptSize))
	if s.Place.Container != a.box {
		cost += containerCost(a.knownContainer(s.Place.Container))
	}
	small := cost > s.Place.Length
	if small && a.isShort(cost) {
		a.countSkip(s, cost)
		return false
	}
	a.left -= cost
	if s.Place.Container != a.box {
		a.noteContainer(s.Place.Container)
	}
	a.many = a.many && !small
	return true
}

// countSkip adds a span to the row of its kind, and makes one if there is none. A note
// is another kind than a span, since an event can be in the one and not in the other.
func (a *allowance) countSkip(s *read.Skip, cost int64) {
	a.many = true
	for _, m := range a.open {
		if m.Code == string(s.Code) && (m.Length == 0) == (s.Place.Length == 0) {
			m.Spans, m.Through = m.Spans+1, s.Place.Index
			if end := s.Place.Offset + s.Place.Length; m.place.Container == s.Place.Container && m.Length > 0 {
				m.Length = max(m.Length, end-m.Offset)
			}
			return
		}
	}
	a.left -= cost
	a.noteContainer(s.Place.Container)
	m := &many{place: s.Place, fresh: true, FoundSkip: facts.FoundSkip{Code: string(s.Code), Detail: s.Text(),
		Excerpt: excerptOf(s)}}
	m.Offset, m.Length, m.Record = s.Place.Offset, s.Place.Length, s.Place.Index
	m.Spans, m.Through = 1, s.Place.Index
	a.open = append(a.open, m)
}

// placeRows gives a row that was just made its place in the chunk.
func (a *allowance) placeRows(found func(read.Place) facts.Found) {
	for _, m := range a.open {
		if m.fresh {
			m.Found.Container, m.fresh = found(m.place).Container, false
		}
	}
}

// newRows returns the rows that a chunk has to report, and marks them as reported.
func (a *allowance) newRows() []many {
	var all []many
	for _, m := range a.open {
		if m.New() > 0 {
			all = append(all, *m)
			m.Told = m.Spans
		}
	}
	if !a.many {
		a.open = a.open[:0]
	}
	return all
}

func excerptOf(s *read.Skip) []byte {
	return append([]byte(nil), s.Excerpt[:min(len(s.Excerpt), facts.ExcerptSize)]...)
}
