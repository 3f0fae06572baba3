package read_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var errTest = errors.New("test")

// stopper fails on one kind of call.
type stopper struct{ format, record, skip error }

func (s stopper) Format(string, read.Format, string) error { return s.format }
func (s stopper) Record(*read.Record) error                { return s.record }
func (s stopper) Skip(read.Skip) error                     { return s.skip }

// An error of the handler ends the reading of every format, and comes back.
func TestHandlerStops(t *testing.T) {
	for _, f := range dumps.Formats() {
		if f.Text == 0 {
			continue
		}
		dump := f.Write(dumps.Bodies(3), dumps.Options{})
		for name, h := range map[string]stopper{"format": {format: errTest}, "record": {record: errTest},
			"skip": {skip: errTest}} {
			err := read.Read(context.Background(), bytes.NewReader(append(bytes.Clone(dump), "\x00\x01"...)), read.Options{}, h)
			if name == "skip" && err == nil {
				continue // some formats end in white space, and the rest is one more line
			}
			check.That(t, errors.Is(err, errTest), "%s, %s: %v", f.Name, name, err)
		}
	}
}

// An error of the file comes back, and so does the end of the context.
func TestReaderFails(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range dumps.Formats() {
		if f.Text == 0 {
			continue
		}
		dump := bytes.NewReader(f.Write(dumps.Bodies(3), dumps.Options{}))
		err := read.Read(ended, dump, read.Options{}, &Found{})
		check.That(t, errors.Is(err, context.Canceled), "%s: %v", f.Name, err)
		r := io.MultiReader(dump, iotest.ErrReader(errTest))
		err = read.Read(context.Background(), r, read.Options{}, &Found{})
		check.That(t, errors.Is(err, errTest), "%s: %v", f.Name, err)
	}
}

// Every format reads its own dumps when it is forced, too.
func TestForcedFormat(t *testing.T) {
	bodies := dumps.Bodies(3)
	for _, f := range dumps.Formats() {
		if f.Text == 0 {
			continue
		}
		format := f.Reads
		if f.Name == "request-proto" {
			format = read.HTTPRequests
		}
		checkBodies(t, valueAt(t, f.Write(bodies, dumps.Options{}), read.Options{Format: format}), bodies, f.Text)
	}
	_, err := Find(strings.NewReader(""), read.Options{Format: "csv"})
	check.That(t, errors.Is(err, read.ErrFormat), "an unknown format: %v", err)
	for _, f := range read.Formats() {
		check.OK(t, check.Err(Find(strings.NewReader("{}"), read.Options{Format: f})), "%s", f)
	}
}

func TestForcedBodies(t *testing.T) {
	found := valueAt(t, []byte("2026 {\"a\":1}\r\n\n[x"), read.Options{Format: read.Bodies})
	if len(found.Records) != 2 || string(found.Records[0].Body) != `2026 {"a":1}` ||
		string(found.Records[1].Body) != "[x" {
		t.Errorf("%q", found.Bodies())
	}
	long := valueAt(t, []byte(strings.Repeat("x", 300)+"\nshort\n"),
		read.Options{Format: read.Bodies, Limits: read.Limits{Unit: 100}})
	check.That(t, len(long.Records) == 1 && slices.Equal(long.Codes(), []finding.Code{finding.SourceLimit}),
		"%q %v", long.Bodies(), long.Codes())
}

func TestOtherBatchAttribute(t *testing.T) {
	dump := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"},` +
		`"attributes":[{"key":"Edge.Batch","value":{"stringValue":"abc"}}]}]}]}]}
{"Timestamp":"x","Body":"a","LogAttributes":{"edge":{"batch":"abc"}}}
{"Timestamp":"x","Body":"a","LogAttributes":{"other.edge.batch":"no"}}
`
	found := valueAt(t, []byte(dump), read.Options{BatchAttributes: []string{"edge.batch"}})
	for i, want := range [][]read.Batch{{{ID: "abc", Where: read.InRecord}}, {{ID: "abc", Where: read.InRecord}}, nil} {
		got := found.Records[i].Batches
		check.That(t, slices.Equal(got, want), "record %d: %v", i, got)
	}
}

// Files that a real collector wrote.
func TestCollectorFiles(t *testing.T) {
	folder := filepath.Join("testdata", "otelcol")
	body := must.Get(os.ReadFile(filepath.Join(folder, "body.bin")))(t)
	octets := append(bytes.Clone(body), 0xff, 0xfe)
	for _, name := range []string{"plain.jsonl", "plain.proto", "zstd.jsonl.zst", "zstd.proto.zst"} {
		dump := must.Get(os.ReadFile(filepath.Join(folder, name)))(t)
		a := sound(t, dump, read.Options{BatchAttributes: []string{"edge.batch"}})
		checkBodies(t, &a.Found, [][]byte{body, body, body, body, octets}, read.Exact)
		check.That(t, len(a.Skips) == 0, "%s: %v", name, a.Skips)
		for i, id := range []string{"abc", "def", "def", "def", "bytes"} {
			got := a.Records[i].Batches
			check.That(t, slices.Equal(got, []read.Batch{{ID: id, Where: read.InRecord}}), "%s: record %d: %v", name, i, got)
		}
	}
}

// The examples of the OpenTelemetry protocol.
func TestProtocolExamples(t *testing.T) {
	folder := filepath.Join("testdata", "opentelemetry-proto")
	for name, want := range map[string]string{
		"logs.json":    "Example log record",
		"events.json":  `{"referrer":`,
		"metrics.json": "",
		"trace.json":   "",
	} {
		dump := must.Get(os.ReadFile(filepath.Join(folder, name)))(t)
		found := &sound(t, dump, read.Options{}).Found
		if want == "" {
			check.That(t, len(found.Records) == 0 && slices.Equal(found.Codes(), []finding.Code{finding.SourceNoRecord}),
				"%s: %+v", name, found)
			continue
		}
		if len(found.Records) != 1 || !bytes.HasPrefix(found.Records[0].Body, []byte(want)) || len(found.Skips) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
