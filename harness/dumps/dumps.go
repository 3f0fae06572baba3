// Package dumps writes dumps of every format that package read reads. All are of
// the same bodies, as the exporters and stores write them. Tests read them back,
// and scenes of the harness hand them out as evidence.
//
// The OpenTelemetry Collector's own package pdata writes exports. The other writers follow the
// sources of the collector and of the stores. They share nothing with the readers.
package dumps

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/read"
)

// Options describe the surroundings of the bodies.
type Options struct {
	// Batches are the ids of the batch, one for each delivery of it that a
	// collector merged; none if the collector dropped the header.
	Batches []string

	// Where the ids are attributes; "" is the record.
	Where read.Where

	// Array makes an array of the ids instead of joining them with ";".
	Array bool

	// Size is how many records one export has; 0 is all of them.
	Size int

	// Structured splits the bodies into maps, as a collector does that parses them.
	Structured bool

	// Time is when the first record was made, in nanoseconds since 1970; each
	// further one is a millisecond later. 0 is a time in 2026.
	Time int64
}

// Format is a form that [Write] can write.
type Format struct {
	Name  string
	Reads read.Format // the reader's name of the innermost format

	// Text and Structure are how bodies come through, as text and taken apart;
	// 0 if they do not come through at all.
	Text, Structure read.Fidelity

	// Batch is where batch ids are found that were attributes of the record; "" if they are
	// lost. Resource reports whether the ids of the resource are kept as well.
	Batch    read.Where
	Resource bool

	// Lines reports whether each line is complete in itself.
	Lines bool

	write func(export) []byte
}

// export is one call of Write: the exports that are to be written.
type export struct {
	Options
	bodies [][]byte
}

// Write returns a dump of the bodies, which must be JSON in canonical form.
func (f Format) Write(bodies [][]byte, o Options) []byte {
	if o.Time == 0 {
		o.Time = 1772442000_123456789
	}
	if o.Size == 0 {
		o.Size = max(len(bodies), 1)
	}
	if o.Where == "" {
		o.Where = read.InRecord
	}
	return f.write(export{o, bodies})
}

// Chunks returns the exports: the parts of Size bodies, each with its time.
func (e export) Chunks() []export {
	var parts []export
	for i := 0; i < len(e.bodies); i += e.Size {
		part := e
		part.bodies = e.bodies[i:min(i+e.Size, len(e.bodies))]
		part.Time = e.time(i)
		parts = append(parts, part)
	}
	return parts
}

func (e export) time(i int) int64 { return e.Time + int64(i)*1_000_000 }

// each concatenates the results of write for each export.
func (e export) each(write func(export) []byte) []byte {
	var out bytes.Buffer
	for _, part := range e.Chunks() {
		out.Write(write(part))
	}
	return out.Bytes()
}

// joinedIDs is the value of the attribute: a list as a collector joins it.
func (e export) joinedIDs() string { return strings.Join(e.Batches, ";") }

// hasIDs reports whether the ids are attributes at the given place.
func (e export) hasIDs(where read.Where) bool { return len(e.Batches) > 0 && e.Where == where }

// Formats returns all formats.
func Formats() []Format { return slices.Concat(otlpFormats(), storeFormats()) }

// Named returns one format. It panics if there is none of that name.
func Named(name string) Format {
	for _, f := range Formats() {
		if f.Name == name {
			return f
		}
	}
	panic(fmt.Sprintf("readtest: no format %q", name))
}

// Bodies returns n bodies that have the form of events, in the order of their
// sequences, with text in them that encoders like to change.
func Bodies(n int) [][]byte {
	texts := []string{
		`<b>&amp;</b> 'x'`, "é 日本 \u2028\u2029 😀", `quote \" backslash \\ slash /`, `line\nfeed\ttab\u0001`,
		`{\"body\":{\"data\":{}}}`, `\\u003c \\ud83d`, ``, strings.Repeat(`long `, 300),
	}
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = fmt.Appendf(
			nil, `{"body":{"data":{"deep":{"list":[1,2,{"on":true}]},"n":9007199254740991,"text":"%s"},`+
				`"log_id":"node/berlin","occurred_at":"2026-03-02T09:00:00.000Z","protocol":"svc.audit-event.v1",`+
				`"salt":"AAECAwQFBgcICQoLDA0ODw","sequence":%d,"tenant_id":"acme","type":"test.event"},"hash":"%064x",`+
				`"key_id":"berlin","previous_hash":"%064x","signature":"%s","skip_hash":"%064x"}`,
			texts[i%len(texts)], i+1, i+1, i, strings.Repeat("A", 86), i)
	}
	return bodies
}
