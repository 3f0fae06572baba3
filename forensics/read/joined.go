package read

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// readWrappedLine reads a line that a runtime or shipper wrapped in records. Everything in
// it has the place of all its records, from the first one to the last.
func (s *stream) readWrappedLine(c *chain) error {
	ids, wrapped, damages := s.batches, s.wrapped, s.damages
	s.batches, s.wrapped = c.ids[:len(c.ids):len(c.ids)], wrapping{observed: c.time, inJSON: c.inJSON}
	defer func() { s.batches, s.wrapped, s.damages = ids, wrapped, damages }()
	d := &doc{stream: s, b: bytes.TrimSpace(c.allText()), from: &c.place, level: c.level, short: finding.SourceUnparseable}
	if c.torn {
		d.short = finding.SourcePartialTail
	}
	switch why := c.faultOf(); {
	case c.lost:
		return d.skipSearched(&fault{finding.SourceLimit, 0, s.limitText()})
	case why != "":
		return d.readSoundEvents(why)
	case len(d.b) > 0 && (d.b[0] == '{' || d.b[0] == '"'):
		return d.readValue(nil, d.checkValue(d.b))
	}
	finder := d.freeFinder()
	defer d.doneWith(finder)
	count, pieces, err := d.searchPart(finder, d.b, false)
	f := fault{finding.SourceNoRecord, 0, "a line of another service"}
	switch {
	case err != nil || count > 0 && !pieces:
		return err
	case !pieces:
	case c.rest:
		f = fault{finding.SourceTruncated, 0, "the rest of a line: an earlier file has its beginning"}
	case c.torn:
		f = fault{finding.SourcePartialTail, 0, "the file ends within a line"}
	default:
		f = fault{finding.NotRead, 0, "pieces of an event that cannot be read"}
	}
	return d.skipSearched(&f)
}

// readSoundEvents reads only events whose hash is right from a line with damaged or missing parts.
// Others may never have been written.
func (d *doc) readSoundEvents(why string) error {
	f := d.freeFinder()
	defer d.doneWith(f)
	result := f.Find(d.b)
	some := len(result.Matches)+len(result.Pieces) > 0 || len(d.b) > 0 && d.b[0] == '{'
	result.Pieces = nil
	result.Matches = slices.DeleteFunc(result.Matches, func(m unwrap.Match) bool {
		return m.Kind != unwrap.Event || !unwrap.Holds(m.Body)
	})
	d.rec = Record{}
	switch count, err := d.reportFound(d.b, result); {
	case err != nil || count > 0:
		return err
	case some:
		return d.skipSearched(&fault{finding.NotRead, 0, why})
	}
	return d.skipSearched(&fault{finding.SourceNoRecord, 0, "a line of another service: " + why})
}

// skipSearched skips a line that was searched.
func (d *doc) skipSearched(f *fault) error {
	d.findStrange(d.b)
	return d.skip(Skip{Place: *d.from, Code: f.code, Detail: f.text, Excerpt: d.b})
}

// wrapping has the facts of the records around a line.
type wrapping struct {
	observed int64 // when they were collected; 0 if unknown
	inJSON   bool  // bytes that are not UTF-8 were replaced
}

// addFacts adds to a record the facts of the records around it.
func (w *wrapping) addFacts(r *Record) {
	if r.ObservedTime == 0 {
		r.ObservedTime = w.observed
	}
	if w.inJSON && bytes.Contains(r.Body, replacement) {
		r.Fidelity = Lossy
	}
}

// readLinePart reads the record in b as a part of a line: its text and its line. The batch ids are the
// record's.
func (d *doc) readLinePart(p part) error {
	d.reports++
	p.place, p.level, p.ids, p.unordered = d.placeOf(d.b), d.level+1, d.batches, d.mixed
	d.stream.action = Skip{}
	return d.stream.addPart(p)
}

// runtimeRecord reads a document of a store that is the record of a runtime or shipper. It
// returns false if it is none.
func (d *doc) runtimeRecord(source []byte) (bool, error) {
	f, _ := d.forms.formOf(source)
	if d.fault != nil || !f.isLines() {
		return false, nil
	}
	b, base, mixed := d.b, d.base, d.mixed
	defer func() { d.b, d.base, d.mixed = b, base, mixed }()
	d.b, d.base, d.mixed = source, base+int64(cap(b)-cap(source)), true
	return true, f.readValue(d)
}
