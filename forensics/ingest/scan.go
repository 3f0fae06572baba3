package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// scanChunk reads the bodies of a chunk. Those that are no events become skips. If the program
// has a fault, the chunk holds a skip in place of its events.
func scanChunk(raw *rawChunk) *facts.Chunk {
	at := facts.Found{}
	if len(raw.Events) > 0 {
		at = raw.Events[0].Found
	}
	if err := tasks.Guard(func() error { scanAll(raw); return nil }); err != nil {
		raw.Events, raw.Source = nil, raw.progress.Source
		raw.Skips = append(raw.Skips, facts.FoundSkip{Found: at, Code: string(finding.SourceUnreadable),
			Detail: err.Error()})
	}
	return &raw.Chunk
}

func scanAll(raw *rawChunk) {
	for i, at := range raw.documents {
		raw.Documents[i].Bytes = raw.octetsOf(at)
	}
	raw.lines = slices.Grow(raw.lines, len(raw.Events)) // it stays where it is: events point into it
	kept := 0
	for at := range raw.Events {
		raw.lines = append(raw.lines, event.Line{})
		raw.Events[at].Line = &raw.lines[len(raw.lines)-1]
		if skip := scanEvent(raw.octetsOf(raw.events[at]), &raw.Events[at]); skip != nil {
			raw.Skips = append(raw.Skips, *skip)
			continue
		}
		if kept < at {
			raw.Events[kept] = raw.Events[at]
		}
		kept++
	}
	raw.Events = raw.Events[:kept]
	raw.Source = raw.progress.Source
}

// scanEvent reads a body as an event. One that is not in its canonical form is brought into
// it, and its fidelity shows this.
func scanEvent(body []byte, a *facts.Arrival) *facts.FoundSkip {
	if event.Scan(body, a.Line) {
		return nil
	}
	v, fault := parseBody(body)
	if fault != nil && isOther(body) {
		return skipOther(a.Found, body)
	}
	if fault != nil {
		return skipFault(a.Found, jsonCode(fault.Code, body), fault, body)
	}
	if !isEvent(v) {
		return skipOther(a.Found, body)
	}
	var r form.Reader
	event.Read(&r, v)
	if faults := r.Faults(); len(faults) > 0 {
		return skipFault(a.Found, finding.Malformed, &faults[0], body)
	}
	a.Fidelity = max(a.Fidelity, facts.Recanonicalised)
	if !event.Scan(v.Canonical(), a.Line) {
		panic("ingest: an event without fault is not scanned")
	}
	return nil
}

// parseBody parses a body in any spelling that has a canonical form: with numbers such as 7.0, or
// behind a byte order mark. Quoted strings were unquoted by package read.
func parseBody(body []byte) (*ijson.Value, *ijson.Fault) {
	v, fault := ijson.Parse(body)
	if fault == nil {
		return v, nil
	}
	if respelled, ok := read.Respell(body); ok {
		if v, still := ijson.Parse(respelled); still == nil {
			return v, nil
		}
	}
	return nil, fault
}

// skipOther skips a body that is no event: the record of another service, unless there
// are the members of an event in it.
func skipOther(at facts.Found, body []byte) *facts.FoundSkip {
	if unwrap.HasTraces(body) {
		return &facts.FoundSkip{Found: at, Code: string(finding.NotRead), Excerpt: body,
			Detail: "an event within another JSON value"}
	}
	return &facts.FoundSkip{Found: at, Code: string(finding.SourceNoRecord), Excerpt: body,
		Detail: "the record of another service"}
}

// isOther reports whether a body that is not I-JSON is the record of another service: plain
// text, or JSON with content that no event has, such as a fraction. A text that begins as JSON
// and is not JSON is damaged, and may have been an event.
func isOther(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n\ufeff")
	plain := len(text) > 0 && utf8.Valid(text) && !bytes.ContainsRune([]byte(`{["`), rune(text[0]))
	return (plain || json.Valid(text)) && !unwrap.HasTraces(body)
}

// skipFault skips a body for a fault. One that stops where a store cuts was cut
// there.
func skipFault(at facts.Found, code finding.Code, f *ijson.Fault, body []byte) *facts.FoundSkip {
	if detail, cut := read.Cut(len(body)); cut && f.Code == ijson.CodeSyntax && f.Offset == len(body) {
		return &facts.FoundSkip{Found: at, Code: string(finding.BodyTruncated), Detail: detail, Excerpt: body}
	}
	if block := read.Block(body); block != "" {
		if f.Code == ijson.CodeTrailingData { // the writer of the earlier bytes did not write the later ones
			code = finding.SourceUnparseable
		}
		return &facts.FoundSkip{Found: at, Code: string(code), Detail: block, Excerpt: body}
	}
	detail := fmt.Sprintf("%s at byte %d: expected %s, found %s", f.Code, f.Offset, f.Expected, f.Found)
	return &facts.FoundSkip{Found: at, Code: string(code), Detail: detail, Excerpt: body}
}

// isEvent reports whether a document claims to be an event.
func isEvent(v *ijson.Value) bool {
	body, ok := v.Member("body")
	if !ok {
		return false
	}
	protocol, ok := body.Member("protocol")
	return ok && protocol.Kind() == ijson.String && protocol.Text() == event.Protocol
}

// jsonCode distinguishes an event that two parsers could read differently from text that none
// reads, or that is no event for either.
func jsonCode(code string, body []byte) finding.Code {
	switch code {
	case ijson.CodeAmbiguous, ijson.CodeTrailingData:
		if lacksMembers(body) {
			return finding.SourceAmbiguous
		}
		return finding.Ambiguous
	case ijson.CodeInvalidUTF8:
		return finding.SourceInvalidUTF8
	}
	return finding.SourceUnparseable
}

// lacksMembers reports whether a body begins with another value than an object, or with an
// object without a member that an event has (SPEC 4.2).
func lacksMembers(body []byte) bool {
	var o map[string]json.RawMessage
	err := json.NewDecoder(bytes.NewReader(body)).Decode(&o)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); other {
		return true
	}
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]string{"body", "previous_hash", "skip_hash", "hash", "key_id", "signature"},
		func(name string) bool { return o[name] == nil })
}

// skipOversized skips a record that can be neither an event nor a document.
func skipOversized(r *read.Record) *read.Skip {
	if len(r.Body) <= form.MaxEvent || documentKind(r.Kind) != "" && len(r.Body) <= form.MaxBundle {
		return nil
	}
	return &read.Skip{Place: r.Place, Code: finding.Malformed, Detail: "larger than any event or bundle may be",
		Excerpt: r.Body, Consumed: r.Consumed}
}

// documentKind returns the kind of document that a record is, "" for an event.
func documentKind(k read.Kind) string {
	switch k {
	case read.Bundle:
		return "bundle"
	case read.Envelope:
		return "envelope"
	}
	return ""
}
