package seal

import (
	"slices"
	"time"
)

// Text returns a member that is a string, or "" if there is none.
func Text(o Object, name string) string {
	s, _ := o[name].(string)
	return s
}

// Integer returns a member that is a number, or 0 if there is none.
func Integer(o Object, name string) int64 {
	n, _ := o[name].(int64)
	return n
}

// Member returns a member that is an object, or nil if there is none.
func Member(o Object, name string) Object {
	m, _ := o[name].(Object)
	return m
}

// List returns a member that is a list, or nil if there is none.
func List(o Object, name string) []any {
	l, _ := o[name].([]any)
	return l
}

// Texts returns the strings of a member that is a list of strings.
func Texts(o Object, name string) []string {
	var texts []string
	for _, element := range List(o, name) {
		if s, ok := element.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// ObjectList returns the objects of a list member, and leaves out other elements.
func ObjectList(o Object, name string) []Object {
	var list []Object
	for _, element := range List(o, name) {
		if object, ok := element.(Object); ok {
			list = append(list, object)
		}
	}
	return list
}

// Line is a document as a line of a file, with its line feed.
func Line(document any) []byte { return append(Canonical(document), '\n') }

// Lines are documents as the lines of a file.
func Lines(documents []Object) []byte {
	var b []byte
	for _, d := range documents {
		b = append(b, Line(d)...)
	}
	return b
}

// Strings makes a document's list out of strings, in the order given.
func Strings(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

// SortedStrings makes the ascending list without repeats that SPEC 1.7 asks for.
func SortedStrings(texts []string) []any {
	return Strings(slices.Compact(slices.Sorted(slices.Values(texts))))
}

// Objects makes a document's list out of objects, in the order given.
func Objects(objects []Object) []any {
	list := make([]any, len(objects))
	for i, o := range objects {
		list[i] = o
	}
	return list
}

// Clone copies a document in depth, so that it can be altered alone.
func Clone(document any) any {
	switch v := document.(type) {
	case Object:
		return CloneObject(v)
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = Clone(element)
		}
		return list
	}
	return document
}

// CloneObject copies an object in depth.
func CloneObject(o Object) Object {
	clone := make(Object, len(o))
	for name, value := range o {
		clone[name] = Clone(value)
	}
	return clone
}

// timeLayout is the only form of a time, SPEC 1.5.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time writes a moment in UTC, to the millisecond.
func Time(t time.Time) string {
	return t.UTC().Format(timeLayout)
}

// ParseTime reads a time in the one form that [Time] writes.
func ParseTime(s string) (time.Time, error) {
	return time.Parse(timeLayout, s)
}

// ExportCursor is the statement of an exporter whose collector took a batch up to an event of the
// node's journal, SPEC 9.3.
func ExportCursor(nodeID, exporterID string, last Object, batchID string, at time.Time) Object {
	body := Member(last, "body")
	return Object{
		"protocol": "svc.export-cursor.v1", "tenant_id": body["tenant_id"], "node_id": nodeID,
		"exporter_id": exporterID, "sequence": body["sequence"], "event_hash": last["hash"], "batch_id": batchID,
		"committed_at": Time(at),
	}
}
