package read_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const batchID = "4a5eb68bc69561599af50cbd63b238167cdc6028df368ffbae0a689c63fc5b85"

func valueAt(t must.T, dump []byte, o read.Options) *Found {
	t.Helper()
	return must.Get(Find(bytes.NewReader(dump), o))(t)
}

// checkBodies wants exactly these bodies, with one fidelity.
func checkBodies(t *testing.T, found *Found, bodies [][]byte, fidelity read.Fidelity) {
	t.Helper()
	must.That(t, len(found.Records) == len(bodies),
		"%d records, want %d; skips: %+v", len(found.Records), len(bodies), found.Skips)
	for i, r := range found.Records {
		check.That(t, bytes.Equal(r.Body, bodies[i]), "body %d:\n got %q\nwant %q", i, r.Body, bodies[i])
		check.That(t, r.Fidelity == fidelity, "body %d is %v, want %v", i, r.Fidelity, fidelity)
	}
}

// forms calls test for every format, with bodies as text and taken apart.
func forms(t *testing.T, test func(t *testing.T, f dumps.Format, o dumps.Options, fidelity read.Fidelity)) {
	for _, f := range dumps.Formats() {
		for _, o := range []dumps.Options{{}, {Structured: true}} {
			fidelity := f.Text
			if o.Structured {
				fidelity = f.Structure
			}
			if fidelity != 0 {
				t.Run(fmt.Sprintf("%s/structured=%t", f.Name, o.Structured), func(t *testing.T) { test(t, f, o, fidelity) })
			}
		}
	}
}

// harmless are the codes that a sound dump may lead to, as at the end of Splunk's
// exports.
func harmless(found *Found) bool {
	return !slices.ContainsFunc(found.Codes(), func(c finding.Code) bool { return c != finding.SourceNoRecord })
}

func TestEveryFormatGivesTheSameBodies(t *testing.T) {
	bodies := dumps.Bodies(20)
	forms(t, func(t *testing.T, f dumps.Format, o dumps.Options, fidelity read.Fidelity) {
		for _, size := range []int{0, 1, 7} {
			o.Size = size
			found := valueAt(t, f.Write(bodies, o), read.Options{})
			checkBodies(t, found, bodies, fidelity)
			check.That(t, harmless(found), "size %d: skips %+v", size, found.Skips)
			check.That(t, found.Formats[len(found.Formats)-1].Format == f.Reads,
				"recognised as %+v, want %s", found.Formats, f.Reads)
		}
	})
}

func TestTimesComeThrough(t *testing.T) {
	const at int64 = 1700000000_123456789
	for _, f := range dumps.Formats() {
		if f.Text == 0 {
			continue
		}
		found := valueAt(t, f.Write(dumps.Bodies(1), dumps.Options{Time: at}), read.Options{})
		got := found.Records[0].ExportTime
		switch f.Name {
		case "cri", "docker", "docker-local": // times of collection
			if got = found.Records[0].ObservedTime; got != at {
				t.Errorf("%s: time %d, want %d", f.Name, got, at)
			}
		case "systemd-json", "systemd-export": // the same in microseconds
			if got = found.Records[0].ObservedTime; got != at/1000*1000 {
				t.Errorf("%s: time %d", f.Name, got)
			}
		case "journal", "s3-body", "kafka-values", "kafka-raw", "docker-fluentd", "fluentd-file", "json-seq":
			check.That(t, got == 0, "%s: time %d, want none", f.Name, got)
		case "splunk-hec": // rounds to milliseconds
			check.That(t, got == at/1_000_000*1_000_000, "%s: time %d", f.Name, got)
		default:
			check.That(t, got == at, "%s: time %d, want %d", f.Name, got, at)
		}
	}
}

// Batch ids come out where the format has them, and none where it has none.
func TestBatchIDs(t *testing.T) {
	bodies := dumps.Bodies(3)
	other := strings.Repeat("e", 64)
	two := []string{batchID, other}
	for name, c := range map[string]struct {
		o    dumps.Options
		want []string
	}{
		"one":      {dumps.Options{Batches: []string{batchID}}, []string{batchID}},
		"joined":   {dumps.Options{Batches: two}, two},
		"array":    {dumps.Options{Batches: two, Array: true}, two},
		"twice":    {dumps.Options{Batches: []string{batchID, batchID}}, []string{batchID}},
		"resource": {dumps.Options{Batches: []string{batchID}, Where: read.InResource}, []string{batchID}},
		"scope":    {dumps.Options{Batches: []string{batchID}, Where: read.InScope}, []string{batchID}},
		"none":     {dumps.Options{}, nil},
	} {
		for _, f := range dumps.Formats() {
			inScope := f.Name == "file-json" || f.Name == "file-proto"
			if f.Text == 0 || c.o.Where == read.InResource && !f.Resource || c.o.Where == read.InScope && !inScope {
				continue
			}
			var want []read.Batch
			for _, id := range c.want {
				if f.Batch != "" {
					want = append(want, read.Batch{ID: id, Where: cmp.Or(c.o.Where, f.Batch)})
				}
			}
			found := valueAt(t, f.Write(bodies, c.o), read.Options{})
			checkBodies(t, found, bodies, f.Text)
			for _, r := range found.Records {
				check.That(t, slices.Equal(r.Batches, want),
					"%s, %s: %v, want %v", name, f.Name, r.Batches, want)
			}
		}
	}
}

// A dump that is given twice in one stream gives its records twice.
func TestDoubled(t *testing.T) {
	bodies := dumps.Bodies(5)
	forms(t, func(t *testing.T, f dumps.Format, o dumps.Options, fidelity read.Fidelity) {
		dump := f.Write(bodies, o)
		found := valueAt(t, slices.Concat(dump, dump), read.Options{})
		checkBodies(t, found, slices.Concat(bodies, bodies), fidelity)
	})
}

func TestPlacesAreOfTheRecords(t *testing.T) {
	bodies := dumps.Bodies(10)
	for _, f := range dumps.Formats() {
		if f.Text == 0 {
			continue
		}
		dump := f.Write(bodies, dumps.Options{Size: 3})
		found := valueAt(t, dump, read.Options{})
		reports := len(found.Records) + len(found.Skips)
		for i, r := range found.Records {
			p := r.Place
			check.That(t, (i == 0 || p.Index > found.Records[i-1].Place.Index) && p.Index < int64(reports),
				"%s: record %d has index %d of %d", f.Name, i, p.Index, reports)
			if p.Container != "" {
				continue
			}
			part := dump[p.Offset : p.Offset+p.Length]
			check.That(t, f.Text != read.Exact || holds(part, r.Body), "%s: record %d is not in its place: %q", f.Name, i, part)
		}
	}
}

// holds reports whether a part of a dump holds the hash of an event, which
// looks the same in each encoding but base64.
func holds(part, body []byte) bool {
	hash := body[bytes.Index(body, []byte(`"hash":"`))+8:][:64]
	return bytes.Contains(part, hash) || bytes.Contains(part, []byte(`"payload":"C`))
}
