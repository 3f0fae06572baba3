package ingest

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Shown is one thing that was found in a file.
type Shown struct {
	What   What  `json:"what"`
	Offset int64 `json:"offset"` // in its container
	Length int64 `json:"length"`
	Record int64 `json:"record"` // its number in the file, from 0

	// Begins is the first bytes of a record's body, or of a span, with escapes for characters
	// that are not safe to show.
	Begins string `json:"begins"`

	// These are of records.
	Format     read.Format `json:"format,omitempty"`
	Fidelity   string      `json:"fidelity,omitempty"`
	Wrapping   []string    `json:"wrapping,omitempty"` // as in [read.Record]
	Batches    []BatchFrom `json:"batches,omitempty"`
	ExportedAt string      `json:"exported_at,omitempty"` // by the transport
	ObservedAt string      `json:"observed_at,omitempty"`

	Event *EventIn `json:"event,omitempty"`

	// Code and Detail state why a span is no event, Help how it could be read.
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
	Help   string `json:"help,omitempty"` // as in [read.Skip]
}

// What names the kind of an item.
type What string

// The kinds of things in a file.
const (
	AnEvent    What = "event"
	ABundle    What = "bundle"
	AnEnvelope What = "envelope" // a signed statement
	OtherThing What = "other"    // there is no event in it
	NotRead    What = "not-read" // it leaves a verdict open, or is listed (SPEC 13.1)
)

// BatchFrom is a batch id, and whose attribute it was.
type BatchFrom struct {
	ID    string     `json:"id"`
	Where read.Where `json:"where"`
}

// EventIn is the statement of an event about itself. Nothing in it is verified.
type EventIn struct {
	TenantID   string `json:"tenant_id"`
	LogID      string `json:"log_id"`
	Sequence   uint64 `json:"sequence"`
	Type       string `json:"type"`
	OccurredAt string `json:"occurred_at"`
	KeyID      string `json:"key_id"`
}

// explanation is the reader's handler: it counts all reports on a file, and keeps the shown
// ones.
type explanation struct {
	*explainer
	source  *counted
	size    int64
	out     Explained
	listed  map[string]*Container
	last    *Container // that is not listed
	reasons map[reason]bool
	formats map[string]bool // of listed containers
	levels  map[string]*Level
	reports int64
	line    event.Line
}

// reason is why something is an event or none. Of each, one is shown.
type reason struct {
	what               What
	format             read.Format
	fidelity           read.Fidelity
	wrapping           string
	where              [4]read.Where // of the first batch ids
	exported, observed bool
	code               finding.Code
	detail             string // without numbers
}

// Format notes the recognised format of a container.
func (x *explanation) Format(path string, f read.Format, why string) error {
	c := x.containerOf(path)
	if x.listContainer(c, false); len(c.Formats) < mostFormats {
		c.Formats = append(c.Formats, Recognised{f, why})
	}
	return nil
}

// Record explains a record: as an event, a document, or neither.
func (x *explanation) Record(r *read.Record) error {
	if s := skipOversized(r); s != nil {
		x.explainSkip(s, r.Format)
		return nil
	}
	why := reason{what: What(documentKind(r.Kind)), format: r.Format, fidelity: r.Fidelity,
		wrapping: strings.Join(r.Wrapping, " "), exported: r.ExportTime != 0, observed: r.ObservedTime != 0}
	if why.what == "" {
		x.line = event.Line{}
		a := facts.Arrival{Line: &x.line, Fidelity: facts.Fidelity(r.Fidelity)}
		if no := scanEvent(r.Body, &a); no != nil {
			x.explainSkip(&read.Skip{Place: r.Place, Code: finding.Code(no.Code), Detail: no.Detail, Excerpt: r.Body}, r.Format)
			return nil
		}
		why.what, why.fidelity = AnEvent, read.Fidelity(a.Fidelity)
	}
	for i := range min(len(why.where), len(r.Batches)) {
		why.where[i] = r.Batches[i].Where
	}
	s := x.showItem(r.Place, r.Body, why, Range{Answer: Evidence, Detail: evidenceNames[why.what]})
	if s == nil {
		return nil
	}
	s.Fidelity, s.ExportedAt, s.ObservedAt = why.fidelity.String(), timeOf(r.ExportTime), timeOf(r.ObservedTime)
	s.Wrapping = slices.Clone(r.Wrapping)
	for _, b := range r.Batches {
		s.Batches = append(s.Batches, BatchFrom{strings.Clone(b.ID), b.Where})
	}
	if why.what == AnEvent {
		s.Event = eventIn(&x.line)
	}
	return nil
}

// Skip explains a span that the reader did not read.
func (x *explanation) Skip(s read.Skip) error {
	x.explainSkip(&s, "")
	return nil
}

// explainSkip explains a part without an event: a span, or a record of a format.
func (x *explanation) explainSkip(s *read.Skip, f read.Format) {
	why := reason{what: NotRead, format: f, code: s.Code, detail: strings.Map(noDigit, s.Detail)}
	said := Range{Answer: Unread, Code: s.Code, Detail: s.Detail, Help: s.Help}
	if !s.Code.Entry().IsUnread() {
		why.what, said.Answer = OtherThing, Understood
	}
	if shown := x.showItem(s.Place, s.Excerpt, why, said); shown != nil {
		shown.Code, shown.Detail, shown.Help = string(s.Code), s.Detail, s.Help
	}
}

// noDigit drops digits: numbers in a detail make no other reason.
func noDigit(r rune) rune {
	if '0' <= r && r <= '9' {
		return -1
	}
	return r
}

// evidenceNames are the details of ranges of evidence.
var evidenceNames = map[What]string{AnEvent: "events", ABundle: "proof bundles", AnEnvelope: "signed statements"}

// showItem counts an item and returns the example for it, nil if there are enough like it. said is
// the answer for its bytes.
func (x *explanation) showItem(at read.Place, octets []byte, why reason, said Range) *Shown {
	if l := x.levelOf(at.Container); l != nil {
		said.Offset, said.Length = at.Offset, at.Length
		l.addRange(said)
	}
	if x.reports++; x.reports%chunkRecords == 0 {
		x.reportProgress()
	}
	c := x.containerOf(at.Container)
	if why.what != OtherThing || at.Length > 0 { // else nothing is there
		x.out.countOne(why.what)
		c.countOne(why.what)
	}
	fresh := !x.reasons[why] && len(x.reasons) < mostReasons
	switch {
	case !x.listContainer(c, fresh):
		x.out.Unlisted++
		return nil
	case len(c.Shown) >= mostShown || !fresh && len(c.Shown) >= x.leastShown(c):
		c.Alike++
		return nil
	}
	x.reasons[why] = true
	c.Shown = append(c.Shown, Shown{What: why.what, Offset: at.Offset, Length: at.Length, Record: at.Index,
		Begins: beginningOf(octets), Format: why.format})
	return &c.Shown[len(c.Shown)-1]
}

// shownColumns is how much is shown of a byte string.
const shownColumns = 64

// beginningOf returns the beginning of untrusted bytes, safe to show, on at most
// shownColumns columns.
func beginningOf(octets []byte) string {
	for end := 0; end < len(octets); {
		_, n := utf8.DecodeRune(octets[end:])
		if columns.Width(safetext.Line(string(octets[:end+n]))) >= shownColumns {
			return safetext.Line(string(octets[:end])) + "…"
		}
		end += n
	}
	return safetext.Line(string(octets))
}

// reportProgress reports how far the file was read.
func (x *explanation) reportProgress() {
	n, _ := x.source.readSoFar()
	x.progress(Progress{Path: x.out.Path, Read: n, Size: max(n, x.size), Sources: x.sources, Events: x.out.Events})
}

// containerOf returns the facts of a container. Of the unlisted ones, only the last is known.
func (x *explanation) containerOf(path string) *Container {
	if c := x.listed[path]; c != nil {
		return c
	}
	if x.last == nil || x.last.Path != path {
		x.last = &Container{Path: strings.Clone(path), Formats: []Recognised{}, Shown: []Shown{}}
	}
	return x.last
}

// listContainer lists a container, if it is one of the first or if there is something in it
// that is nowhere before. It reports whether the container is listed.
func (x *explanation) listContainer(c *Container, fresh bool) bool {
	if x.listed[c.Path] != nil {
		return true
	}
	if n := len(x.listed); n >= mostContainers || n >= firstContainers && !fresh {
		return false
	}
	x.listed[c.Path] = c
	x.out.Containers = append(x.out.Containers, c)
	return true
}

// leastShown is how much of a container is shown in any case: less where one before has
// the same formats.
func (x *explanation) leastShown(c *Container) int {
	if c.first == 0 {
		c.first = 1
		if key := fmt.Sprint(c.Formats); !x.formats[key] {
			x.formats[key], c.first = true, firstShown
		}
	}
	return c.first
}

// countOne counts one thing.
func (t *Tally) countOne(w What) {
	switch w {
	case AnEvent:
		t.Events++
	case ABundle, AnEnvelope:
		t.Documents++
	case OtherThing:
		t.Other++
	case NotRead:
		t.NotRead++
	}
}

// eventIn returns the statement of an event about itself.
func eventIn(l *event.Line) *EventIn {
	return &EventIn{TenantID: string(l.TenantID), LogID: string(l.LogID), Sequence: l.Link.Sequence, Type: string(l.Type),
		OccurredAt: form.FormatMillis(l.OccurredAt), KeyID: string(l.KeyID)}
}

// Add adds another tally.
func (t *Tally) Add(other Tally) {
	t.Events += other.Events
	t.Documents += other.Documents
	t.Other += other.Other
	t.NotRead += other.NotRead
}

// timeOf writes a time of the transport, "" for none.
func timeOf(nanoseconds int64) string {
	if nanoseconds == 0 {
		return ""
	}
	return time.Unix(0, nanoseconds).UTC().Format(time.RFC3339Nano)
}
