package read

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// doc is one message or JSON value, which is in memory, and its results so far.
type doc struct {
	*stream
	b     []byte // as it is in the stream, or was decoded from it
	base  int64  // where b begins in the stream
	from  *Place // of the value that b was decoded from; nil if b is in the stream
	level int    // how many texts b was decoded out of

	fault   *fault       // the fault of b as a whole; may be nil
	short   finding.Code // the fault if b ends too early
	torn    bool         // b is lines of text, and the stream ends within the last one
	mixed   bool         // b is of a store that keeps no order of its records
	foreign bool         // b holds text that is not Unicode
	dropped bool         // a part was skipped
	mended  bool         // the searched bytes are one event in another spelling than JSON, whose hash holds
	reports int
}

// placeOf returns the place of a part of b. The parts are slices of b, so their
// capacities tell where they begin.
func (d *doc) placeOf(part []byte) Place {
	if d.from != nil {
		return *d.from
	}
	return Place{Container: d.container, Offset: d.base + int64(cap(d.b)-cap(part)), Length: int64(len(part))}
}

// deliverPart reports d.rec, which is in a part of b, or the events in and around its body.
func (d *doc) deliverPart(part []byte) error {
	var f *unwrap.Finder // none for an event or a document, as most records are
	if d.rec.Kind < Bundle && !isOneEvent(d.rec.Body) {
		f = d.freeFinder()
		defer d.doneWith(f)
	}
	if f != nil && f.MayHold(part) {
		rec := d.rec
		if len(rec.Body) > 0 && &rec.Body[0] != &part[0] {
			if count, pieces, err := d.decodedText(nil, part, rec.Body); count > 0 || pieces || err != nil {
				return err
			}
			d.rec = rec
		}
		if count, _, err := d.decodedText(f, part, part); count > 0 || err != nil {
			return err
		}
		d.rec = rec
	}
	if f != nil {
		d.findStrange(part)
	}
	d.rec.Place, d.rec.Format = d.placeOf(part), d.claimed
	d.reports++
	return d.reportRecord()
}

// isOneEvent reports whether a body begins as an event does, and has no further line.
func isOneEvent(body []byte) bool {
	return bytes.HasPrefix(body, []byte(unwrap.EventStart)) && bytes.IndexByte(bytes.TrimRight(body, "\r\n"), '\n') < 0
}

// decodedText is searchPart for a text that was decoded out of a part of b. The finder has
// looked at it; if there is none, one does.
func (d *doc) decodedText(f *unwrap.Finder, part, text []byte) (count int, pieces bool, err error) {
	if f == nil {
		f = d.freeFinder()
		defer d.doneWith(f)
		if !f.MayHold(text) {
			return 0, false, nil
		}
	}
	err = d.withText(part, text, func(inner *doc) (err error) {
		count, pieces, err = inner.searchPart(f, text, true)
		d.mended = inner.mended && len(part) == len(d.b)
		return err
	})
	return count, pieces, err
}

// withText reads a text that was decoded out of a part of b. All that is in it has the place of
// the part.
func (d *doc) withText(part, text []byte, read func(inner *doc) error) error {
	at := d.placeOf(part)
	inner := &doc{stream: d.stream, b: text, from: &at, level: d.level + 1, short: finding.SourceUnparseable}
	err := read(inner)
	d.reports += inner.reports
	d.dropped = d.dropped || inner.dropped
	return err
}

// dropPart skips a part of b. If there is an event in it all the same, that is
// reported, and the part is skipped only if it is damaged.
func (d *doc) dropPart(part []byte, why *fault) error {
	f := d.freeFinder()
	defer d.doneWith(f)
	if f.MayHold(part) {
		damaged := why.code != finding.SourceNoRecord
		d.rec = Record{}
		count, pieces, err := d.searchPart(f, part, !damaged)
		if err != nil || !damaged && (count > 0 || pieces) || d.mended {
			return err
		}
	}
	return d.losePart(f, part, why)
}

// losePart skips a part of b that a finder has looked at.
func (d *doc) losePart(f *unwrap.Finder, part []byte, why *fault) error {
	d.dropped = true
	d.reports++
	skip := Skip{Place: d.placeOf(part), Code: why.code, Detail: why.text, Excerpt: part}
	switch {
	case why.code != finding.SourceNoRecord:
	case f.Traces:
		skip.Code, skip.Detail = finding.NotRead, why.text+", and there is an event in it"
	case bytes.HasPrefix(part, []byte{'"'}): // a text that is no JSON
		d.findDigits(part)
	default:
		d.findStrange(part)
	}
	return d.skip(skip)
}

// remarkOn reports something about a part of b that was read.
func (d *doc) remarkOn(part []byte, code finding.Code, detail string) error {
	return d.skip(Skip{Place: d.placeOf(part[:0]), Code: code, Detail: detail})
}

// finishDoc reports the fault of b, unless its parts have reported it already, and that there was
// nothing in it, if so.
func (d *doc) finishDoc() error {
	switch {
	case d.mended:
	case d.fault != nil && !d.dropped && d.fault.code == finding.SourceAmbiguous && d.reports > 0:
		return d.remarkOn(d.b[d.fault.at:], finding.SourceAmbiguous, d.fault.text)
	case d.fault != nil && !d.dropped:
		return d.dropPart(d.b[d.fault.at*min(d.reports, 1):], d.fault)
	case d.reports == 0:
		return d.dropPart(d.b, &fault{finding.SourceNoRecord, 0, "there is no log record in it"})
	}
	return nil
}

// readLeaf reads one record out of a part of b. If b as a whole is not sound, the part has to be
// so by itself. get fills d.rec, or reports the missing part.
func (d *doc) readLeaf(part []byte, get func([]byte) *fault) error {
	foreign := false
	if d.fault != nil || d.foreign {
		v := d.checkValue(part)
		if v.fault != nil {
			return d.dropPart(part, v.fault.orEndsEarly(d.short, len(part)))
		}
		if v.end < len(part) {
			return d.dropPart(part, &fault{finding.SourceUnparseable, v.end, "there is more than one value"})
		}
		foreign = v.foreign
	}
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	d.rec = Record{}
	if f := get(part); f != nil {
		return d.dropPart(part, f)
	}
	if err := d.deliverPart(part); err != nil || !foreign {
		return err
	}
	return d.remarkOn(part, finding.SourceInvalidUTF8, "there is text that is not Unicode; its octets are kept")
}

// setText sets the body of d.rec to the text of a JSON string literal.
func (d *doc) setText(literal []byte) *fault {
	body, whole, ok := d.unquoteString(d.level, literal)
	if !ok {
		return &fault{finding.SourceUnparseable, 0, "the body is not a string"}
	}
	d.rec.Body, d.rec.Kind, d.rec.Fidelity = body, Text, Exact
	if !whole {
		d.rec.Fidelity = Lossy
	}
	return nil
}

// setStoredText is setText for dumps whose writers replace bytes that are not UTF-8.
func (d *doc) setStoredText(literal []byte) *fault {
	f := d.setText(literal)
	d.markReplaced()
	return f
}

// markReplaced marks a text in which bytes may have been replaced, so that the
// original is not known.
func (d *doc) markReplaced() {
	if d.rec.Kind == Text && bytes.Contains(d.rec.Body, replacement) {
		d.rec.Fidelity = Lossy
	}
}

// replacement is where bytes were that are not UTF-8.
var replacement = []byte("\ufffd")

// setStructure sets the body of d.rec to the canonical form of a JSON value.
func (d *doc) setStructure(raw []byte) {
	d.rec.Kind, d.rec.Fidelity = Structure, Recanonicalised
	canonical, f := ijson.Canonical(raw)
	if f != nil {
		if respelled, ok := Respell(raw); ok {
			canonical, f = ijson.Canonical(respelled)
		}
	}
	if d.rec.Body = canonical; f != nil {
		d.rec.Body = raw
	}
	if f != nil || bytes.Contains(canonical, replacement) {
		d.rec.Fidelity = Lossy
	}
}

// setAnyValue sets the body of d.rec to a JSON value: a string's text, or a structure.
func (d *doc) setAnyValue(raw []byte) *fault {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		d.rec.Kind, d.rec.Fidelity = Empty, Exact
	case raw[0] == '"':
		return d.setStoredText(raw)
	case raw[0] == '{' || raw[0] == '[':
		d.setStructure(raw)
	default:
		d.rec.Body, d.rec.Kind, d.rec.Fidelity = raw, Scalar, Recanonicalised
	}
	return nil
}

// ofTrust lists the members that every trust file has (SPEC 2).
var ofTrust = nameList("audit_keys protected_signer_keys nodes registries")

// strangeKind names the kind of a value of no known format without anything of an event. A
// trust file is kept in addition to the evidence.
func (d *doc) strangeKind(why string) *fault {
	names := topNames(d.b)
	if what := keeperValue(d.b, names); what != "" {
		return &fault{finding.SourceNoRecord, 0, what}
	}
	if ofTrust.holdsIn(names) {
		if _, err := trust.Parse(d.b); err == nil {
			return &fault{finding.SourceNoRecord, 0, "a trust file, which is no evidence"}
		}
	}
	if len(d.told) == 0 && d.pending.Code != finding.SourceNoRecord { // of the first of many
		why += membersOf(d.b)
	}
	return &fault{finding.SourceNoRecord, 0, why}
}

// readUnknown reads a value of no known format.
func (d *doc) readUnknown(why string) error {
	f := d.freeFinder()
	defer d.doneWith(f)
	if f.MayHold(d.b) {
		d.rec = Record{}
		if done, err := d.searchAgain(f, false); done || err != nil {
			return err
		}
	}
	if d.fault == nil {
		d.fault = d.strangeKind(why)
	}
	return d.losePart(f, d.b, d.fault)
}

// searchAgain searches b, a value of no known format, or an event for another reading of it.
// Where nothing is found in a damaged value, its fault is reported.
func (d *doc) searchAgain(f *unwrap.Finder, another bool) (bool, error) {
	result := f.Find(d.b)
	unwrapped := func(m unwrap.Match) bool { return len(m.Steps) > 0 }
	if another && !slices.ContainsFunc(result.Matches, unwrapped) {
		return false, nil
	}
	if len(result.Matches) == 0 && (d.fault != nil || len(result.Pieces) == 0) {
		return false, nil
	}
	if d.from == nil {
		if err := d.reportFormat(General, "events stand in other values"); err != nil {
			return true, err
		}
		d.last = General
	}
	m := result.Matches // nothing but events in another spelling is whole
	whole := len(m) > 0 && m[0].Start == 0 && m[len(m)-1].End == len(d.b) && len(betweenMatches(d.b, result)) == 0
	cut := d.fault != nil && d.short == finding.SourcePartialTail && len(result.Pieces) == 0 && !whole
	_, err := d.reportFound(d.b, result)
	if err != nil || !cut {
		return true, err
	}
	return true, d.remarkOn(d.b[len(d.b):], d.fault.code, d.fault.text)
}

// readValue reads b as one JSON value, of a form or, if that is nil, of the one that is
// recognised. v is the result of check on b.
func (d *doc) readValue(f *Store, v verdict) error {
	d.foreign = v.foreign
	switch {
	case v.fault != nil:
		d.fault = v.fault.orEndsEarly(d.short, len(d.b))
	case d.from == nil:
		d.b = d.b[:v.end] // the stream continues after it
	case v.end < len(d.b):
		d.fault = &fault{finding.SourceTrailingData, v.end, "there is more than one value"}
	}
	why := "as the caller says"
	if f == nil {
		f, why = d.forms.formOf(d.b)
	}
	if f == nil {
		return d.readUnknown(why)
	}
	if bytes.HasPrefix(d.b, []byte(unwrap.EventStart)) {
		why = eventsWhy
	}
	if d.from == nil {
		d.last = f.Name
		if err := d.reportFormat(f.Name, why); err != nil {
			return err
		}
	}
	if err := f.readValue(d); err != nil {
		return err
	}
	return d.finishDoc()
}
