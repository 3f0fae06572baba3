package read

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// Fields are the names of fields from which the general reader reads times, in the form in
// which attributes are compared: lower case, "_" for other characters than letters and digits.
// Batch ids are in fields named [BatchHeader], or named by the caller.
var Fields = struct{ Export, Observed []string }{
	Export: []string{"timestamp", "_timestamp", "time", "ts", "date", "_time", "datetime", "eventtime", "event_time",
		"_source_realtime_timestamp", "time_generated", "timegenerated", "publishtime", "publish_time"},
	Observed: []string{"observed_timestamp", "observedtimestamp", "ingestiontime", "ingestion_time", "receivetimestamp",
		"receive_timestamp", "received_at", "_indextime", "collected_at", "__realtime_timestamp"},
}

// readAround reads the batch ids and times around a match in a part of b: in the objects around
// it, if the part is JSON, and otherwise in its line.
func (d *doc) readAround(part []byte, matches []unwrap.Match, i int) {
	m := &matches[i]
	if c := (&cursor{b: part}); c.peekToken() == '{' || c.peekToken() == '[' {
		d.readScopes(part, 0, m, nil, 0)
		return
	}
	from, to := lineAround(part, matches, i)
	d.readNamed(part[from:m.Start])
	d.readNamed(part[m.End:to])
	if m.Rebuilt && len(m.Steps) == 0 {
		d.readExtras(part[m.Start:m.End])
	}
	if d.rec.ExportTime == 0 {
		d.rec.ExportTime = leadingTime(part[from:m.Start])
	}
}

// lineAround returns the line of a match, without the parts of other matches.
func lineAround(part []byte, matches []unwrap.Match, i int) (from, to int) {
	m := &matches[i]
	to = len(part)
	if i > 0 {
		from = min(matches[i-1].End, m.Start)
	}
	if i+1 < len(matches) {
		to = max(m.End, matches[i+1].Start)
	}
	if end := bytes.IndexByte(part[m.End:to], '\n'); end >= 0 {
		to = m.End + end
	}
	return from + bytes.LastIndexByte(part[from:m.Start], '\n') + 1, to
}

// readMemberAround reads batch ids and times from a member of an object around a match, or from the
// members of that.
func (d *doc) readMemberAround(name, value []byte, depth int) {
	if len(value) == 0 || depth > deepestScope {
		return
	}
	switch {
	case value[0] == '{':
		c := cursor{b: value}
		_ = c.eachMember(func(inner []byte) error {
			c.peekToken()
			d.readMemberAround(inner, c.passValue(), depth+1)
			return nil
		})
	case d.isBatch(name):
		d.jsonBatches(InRecord, value)
	case value[0] == '[':
		c := cursor{b: value}
		_ = c.eachElement(func() error {
			d.readPair(c.passValue())
			return nil
		})
	default:
		d.timeField(name, value)
	}
}

// pairNames are how stores name the parts of an attribute that they write as an
// object.
var pairNames = []string{"key", "name", "Name", "Key", "k", "field", "value", "Value", "v"}

// readPair reads batch ids from an attribute that is written as an object.
func (d *doc) readPair(object []byte) {
	var parts [9][]byte
	pickMembers(object, pairNames, parts[:])
	const values = 6 // the first of them in pairNames
	for _, name := range parts[:values] {
		if len(name) < 2 || name[0] != '"' || !d.isBatch(name[1:len(name)-1]) {
			continue
		}
		for _, v := range parts[values:] {
			if text := eitherMember(v, "stringValue", "string_value"); text != nil {
				v = text
			}
			if len(v) > 0 && (v[0] == '"' || v[0] == '[') {
				d.jsonBatches(InRecord, v)
			}
		}
	}
}

// isBatch reports whether a field has the name of a batch attribute, whatever is
// before it.
func (r *reader) isBatch(name []byte) bool {
	r.keys.form = appendForm(r.keys.form[:0], name)
	for _, want := range r.keys.names {
		before, ok := bytes.CutSuffix(r.keys.form, []byte(want))
		if ok && (len(before) == 0 || before[len(before)-1] == '_') {
			return true
		}
	}
	return false
}

// timeField reads a time from a field that has one of the names for it.
func (d *doc) timeField(name, value []byte) {
	d.keys.form = appendForm(d.keys.form[:0], name)
	if slices.Contains(Fields.Observed, string(d.keys.form)) {
		d.rec.ObservedTime = parseCount(value, 0)
	} else if slices.Contains(Fields.Export, string(d.keys.form)) {
		d.rec.ExportTime = parseCount(value, 0)
	}
}

// readNamed reads batch ids from text: after a name, a sign and perhaps a quote.
func (d *doc) readNamed(text []byte) {
	for _, name := range d.keys.names {
		for at := 0; at+len(name) <= len(text); at++ {
			if foldLetter(text[at]) == name[0] && d.keys.hasBatchName(text[at:at+len(name)]) {
				at += len(name)
				d.addBatches(InRecord, wordIn(text[at:]))
			}
		}
	}
}

func foldLetter(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// wordIn returns the value behind a name.
func wordIn(text []byte) []byte {
	value := bytes.TrimLeft(text, " \t\"'\\:=>[(&;")
	return value[:len(value)-len(bytes.TrimLeft(value,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.;"))]
}

// leadingTime reads the date and time that a line begins with; 0 if it has none.
func leadingTime(line []byte) int64 {
	line = bytes.TrimLeft(line, " \t[\"'")
	if len(line) < len("2026-03-02") || line[4] != '-' || line[0] < '1' || line[0] > '2' {
		return 0
	}
	text := string(line[:min(len(line), 48)])
	for i := range len(text) + 1 {
		if i == len(text) || bytes.IndexByte([]byte(" \t]\"',|"), text[i]) >= 0 {
			if t := parseDate(text[:i]); t != 0 {
				return t
			}
		}
	}
	return 0
}
