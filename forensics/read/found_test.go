package read_test

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// Found collects all that a reader reports.
type Found struct {
	Formats []Told
	Records []read.Record
	Skips   []read.Skip
}

// Told is one call of Handler.Format.
type Told struct {
	Container string
	Format    read.Format
}

// Format implements read.Handler.
func (f *Found) Format(container string, format read.Format, _ string) error {
	f.Formats = append(f.Formats, Told{container, format})
	return nil
}

// Record implements read.Handler.
func (f *Found) Record(r *read.Record) error {
	kept := *r
	kept.Body = bytes.Clone(r.Body)
	kept.Batches = slices.Clone(r.Batches)
	f.Records = append(f.Records, kept)
	return nil
}

// Skip implements read.Handler.
func (f *Found) Skip(s read.Skip) error {
	s.Excerpt = bytes.Clone(s.Excerpt)
	f.Skips = append(f.Skips, s)
	return nil
}

// Bodies returns the bodies of all records.
func (f *Found) Bodies() [][]byte {
	bodies := make([][]byte, len(f.Records))
	for i, r := range f.Records {
		bodies[i] = r.Body
	}
	return bodies
}

// Codes returns the codes of all skips.
func (f *Found) Codes() []finding.Code {
	codes := make([]finding.Code, len(f.Skips))
	for i, s := range f.Skips {
		codes[i] = s.Code
	}
	return codes
}

// Find reads a dump and returns the reports on it.
func Find(r io.Reader, o read.Options) (*Found, error) {
	var f Found
	err := read.Read(context.Background(), r, o, &f)
	return &f, err
}
