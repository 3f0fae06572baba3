package delivery_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// start is when the logs of the tests begin.
var start = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// writer writes a log whose events are a second apart, if nothing else is said.
type writer struct {
	log *seal.Log
	key seal.Key
	now time.Time
}

func newWriter(logID string) *writer {
	seed := sha256.Sum256([]byte(logID))
	return &writer{seal.NewLog("acme", logID), seal.Key{ID: "key", Private: ed25519.NewKeyFromSeed(seed[:])}, start}
}

// event appends an event and returns its line.
func (w *writer) event(eventType, transactionID string, data seal.Object) []byte {
	w.now = w.now.Add(time.Second)
	e := w.log.Append(seal.Entry{Type: eventType, TransactionID: transactionID, OccurredAt: w.now, Data: data}, w.key)
	return seal.Canonical(e)
}

func (w *writer) events(n int) [][]byte {
	lines := make([][]byte, n)
	for i := range lines {
		lines[i] = w.event("test.event", "", seal.Object{"n": int64(i)})
	}
	return lines
}

// batchID is the id of a batch (SPEC 9.2), by the hashes that stand in it.
func batchID(logID string, lines [][]byte) string {
	h := sha256.New()
	h.Write([]byte("svc.audit-batch.v1\x00" + logID + "\x00"))
	for _, l := range lines {
		_, rest, _ := strings.Cut(string(l), `"hash":"`)
		b := must.Have(hex.DecodeString(rest[:64]))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// record is one exported log record.
type record struct {
	line     []byte
	batch    string
	observed time.Time
}

// dump is an export as a collector's file exporter writes it, a line for each
// record.
func dump(records ...record) []byte {
	var b strings.Builder
	for _, r := range records {
		observed := ""
		if !r.observed.IsZero() {
			observed = fmt.Sprintf(`"observedTimeUnixNano":"%d",`, r.observed.UnixNano())
		}
		attributes := ""
		if r.batch != "" {
			attributes = fmt.Sprintf(`,"attributes":[{"key":"x-svc-edge-audit-batch","value":{"stringValue":%q}}]`, r.batch)
		}
		body := `{"stringValue":` + strconv.Quote(string(r.line)) + `}`
		fmt.Fprintf(&b, `{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{%s"body":%s%s}]}]}]}`+"\n",
			observed, body, attributes)
	}
	return []byte(b.String())
}

// records makes a record of each line, with the batch id.
func records(batch string, lines ...[]byte) []record {
	var all []record
	for _, l := range lines {
		all = append(all, record{line: l, batch: batch})
	}
	return all
}

func journal(lines ...[]byte) []byte {
	var b []byte
	for _, l := range lines {
		b = append(append(b, l...), '\n')
	}
	return b
}

// files are sources by name; they are ingested in the order of their names.
type files map[string][]byte

// examine ingests files and returns the findings, as "code log first last" and the found
// value.
func examine(t *testing.T, all files) (findings []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	add(t, path, t.TempDir(), all, ingest.Options{})
	return look(t, path)
}

func add(t *testing.T, path, dir string, all files, options ingest.Options) {
	t.Helper()
	var names []string
	for name, content := range all {
		p := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must.Do(t, os.WriteFile(p, content, 0o644))
		names = append(names, p)
	}
	slices.Sort(names)
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	must.Get(ingest.Paths(t.Context(), w, names, options, nil))(t)
	must.Do(t, w.Close())
}

func look(t *testing.T, path string) (findings []string) {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	defer c.Close()
	r := must.Get(delivery.Run(t.Context(), c, nil))(t)
	for _, f := range r.Findings {
		check.That(t, f.Message != "" && f.Severity != "", "%s is not complete", f.Code)
		findings = append(findings, fmt.Sprintf("%s %s %d %d %s", f.Code, f.LogID, f.Sequence, f.LastSequence, f.Found))
	}
	return findings
}

// want is the findings of a case, each by how it begins.
type want []string

func compare(t *testing.T, name string, got []string, w want) {
	t.Helper()
	same := len(got) == len(w)
	for i := 0; same && i < len(w); i++ {
		same = strings.HasPrefix(got[i], w[i])
	}
	check.That(t, same, "%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(w, "\n     "))
}

const node = "node/mesh-berlin-1"

func TestBatches(t *testing.T) {
	lines := newWriter(node).events(40)
	a, b := lines[:10], lines[10:20]
	id := batchID(node, a)
	for name, c := range map[string]struct {
		dump []byte
		want want
	}{
		"whole batches": {dump(slices.Concat(records(id, a...), records(batchID(node, b), b...))...), nil},
		"again": {dump(slices.Concat(records(id, a...), records(id, a...))...), want{
			"event.duplicate-delivery " + node + " 1 10 another soon after",
			"batch.redelivered " + node + " 1 10 1 of 1 batches"}},
		"incomplete": {dump(records(id, a[:9]...)...),
			want{"batch.incomplete " + node + " 1 9 9 events in 1 stretches"}},
		"with a hole": {dump(records(id, slices.Concat(a[:4], a[5:])...)...),
			want{"batch.incomplete " + node + " 1 10 9 events in 2 stretches"}},
		"an id of others": {dump(records("01J8", a[:9]...)...), nil},
		"on another content": {dump(slices.Concat(records(id, a...), records(id, lines[20:25]...))...),
			want{"batch.id-reused " + node + " 1 25 15 events in 2 stretches"}},
		"without an id": {dump(slices.Concat(records(id, a...), records("", b[:3]...))...),
			want{"batch.id-absent  0 0 3 records"}},
		"a journal has none": {journal(a...), nil},
	} {
		compare(t, name, examine(t, files{"dump": c.dump}), c.want)
	}
}

// TestManyBatches: similar findings are listed a few times and then counted.
func TestManyBatches(t *testing.T) {
	lines := newWriter(node).events(80)
	var all []record
	for i := 0; i+2 <= len(lines); i += 2 {
		all = append(all, records(batchID(node, lines[i:i+2]), lines[i])...)
	}
	got := examine(t, files{"dump": dump(all...)})
	if len(got) != delivery.Listed+1 || got[delivery.Listed] != "batch.incomplete "+node+" 0 0 24 more like the first" {
		t.Errorf("%d findings, the last %q", len(got), got[len(got)-1])
	}
}

func TestArrivals(t *testing.T) {
	w := newWriter(node)
	lines := w.events(30)
	w.now = w.now.Add(23 * time.Hour)
	almost := slices.Concat(lines, w.events(1))
	w.now = w.now.Add(25 * time.Hour)
	late := slices.Concat(almost, w.events(1))
	tampered := slices.Clone(almost)
	tampered[30] = []byte(strings.Replace(string(almost[30]), "2026-03", "2026-07", 1))
	at := func(d time.Duration, of ...[]byte) (all []record) {
		for i, l := range of {
			all = append(all, record{line: l, batch: "x", observed: start.Add(time.Duration(i+1)*time.Second + d)})
		}
		return all
	}
	var spaced []byte
	for i, l := range lines {
		if i == 4 || i == 5 {
			l = []byte(strings.Replace(string(l), `{"body":`, `{ "body":`, 1))
		}
		spaced = append(append(spaced, l...), '\n')
	}
	reversed := slices.Clone(lines[10:20])
	slices.Reverse(reversed)
	for name, c := range map[string]struct {
		content []byte
		want    want
	}{
		"in order": {journal(lines...), nil},
		"out of order": {journal(slices.Concat(lines[:10], reversed, lines[20:])...),
			want{"event.reordered " + node + " 0 0 9 of 30"}},
		"quiet for long":     {journal(late...), want{"journal.quiet " + node + " 31 32 none for 25h0m1s"}},
		"quiet for less":     {journal(almost...), nil},
		"a gap is not quiet": {journal(slices.Concat(late[:30], late[31:])...), nil},
		"an altered time":    {journal(tampered...), nil},
		"another form":       {spaced, want{"event.body-structured " + node + " 5 6 another form"}},
		"a structure": {dumps.Named("elastic-otel").Write(lines, dumps.Options{Structured: true}), want{
			"event.body-structured " + node + " 1 30 another form", "batch.id-absent  0 0 30 records"}},
		"observed soon":         {dump(at(time.Minute, lines...)...), nil},
		"observed within a day": {dump(at(23*time.Hour, lines...)...), nil},
		"observed late": {dump(at(25*time.Hour, lines...)...),
			want{"event.time-skew " + node + " 1 30 observed more than"}},
		"observed a little early": {dump(at(-299*time.Second, lines...)...), nil},
		"observed before": {dump(slices.Concat(at(0, lines[:3]...), at(-301*time.Second, lines[3:5]...))...),
			want{"event.time-skew " + node + " 4 5 observed before"}},
	} {
		compare(t, name, examine(t, files{"source": c.content}), c.want)
	}
}

func TestRedeliveries(t *testing.T) {
	lines := newWriter(node).events(12)
	id, at := batchID(node, lines), func(d time.Duration) []record {
		var all []record
		for _, l := range lines {
			all = append(all, record{line: l, batch: batchID(node, lines), observed: start.Add(time.Minute + d)})
		}
		return all
	}
	for name, c := range map[string]struct {
		all  files
		want want
	}{
		"once": {files{"a": dump(at(0)...)}, nil},
		"soon after": {files{"a": dump(slices.Concat(at(0), at(9*time.Minute))...)},
			want{"event.duplicate-delivery " + node + " 1 12 another soon after", "batch.redelivered"}},
		"long after": {files{"a": dump(slices.Concat(at(0), at(11*time.Minute))...)},
			want{"event.duplicate-delivery " + node + " 1 12 another long after", "batch.redelivered"}},
		"other batch": {files{"a": dump(slices.Concat(records(id, lines...), records("y", lines[2:5]...))...)},
			want{"event.duplicate-delivery " + node + " 3 5 another long after"}},
		"overlap": {files{"a": dump(records("x", lines[:8]...)...), "b": dump(records("y", lines[6:]...)...)},
			want{"event.duplicate-delivery " + node + " 7 8 another in a source"}},
		"two ranges": {files{"a": journal(lines...), "b": journal(slices.Concat(lines[1:3], lines[7:9])...)}, want{
			"event.duplicate-delivery " + node + " 2 3", "event.duplicate-delivery " + node + " 8 9"}},
	} {
		compare(t, name, examine(t, c.all), c.want)
	}
}

func TestOncePerTransaction(t *testing.T) {
	digest := strings.Repeat("0", 64)
	issuance := seal.Object{"manifest_sha256": digest}
	revocation := seal.Object{"manifest_sha256": digest, "revocation_receipt_sha256": digest}
	log := func(play func(w *writer) [][]byte) []byte {
		w := newWriter("tenant/acme")
		return journal(slices.Concat(w.events(2), play(w))...)
	}
	issued := func(w *writer) [][]byte {
		return [][]byte{w.event("issuance.completed", "tx-1", issuance), w.event("test.event", "tx-1", seal.Object{}),
			w.event("issuance.completed", "tx-1", issuance)}
	}
	for name, c := range map[string]struct {
		all  files
		want want
	}{
		"issued twice": {files{"a": log(issued)}, want{"transaction.issued-twice tenant/acme 5 5 2 such events"}},
		"revoked twice": {files{"a": log(func(w *writer) [][]byte {
			return [][]byte{w.event("certificate.revoked", "tx-1", revocation),
				w.event("certificate.revoked", "tx-1", revocation)}
		})}, want{"transaction.revoked-twice tenant/acme 4 4 2 such events"}},
		"two transactions": {files{"a": log(func(w *writer) [][]byte {
			return [][]byte{w.event("issuance.completed", "tx-1", issuance), w.event("issuance.completed", "tx-2", issuance),
				w.event("certificate.revoked", "tx-1", revocation)}
		})}, nil},
		"one that is altered": {files{"a": []byte(strings.Replace(string(log(issued)), `09:00:05.000Z`, `09:00:05.001Z`, 1))},
			nil},
		"two copies of one": {files{"a": log(func(w *writer) [][]byte {
			return [][]byte{w.event("issuance.completed", "tx-1",
				issuance)}
		}),
			"b": []byte(strings.Replace(string(log(func(w *writer) [][]byte {
				return [][]byte{w.event("issuance.completed", "tx-1", issuance)}
			})), `09:00:03.000Z`, `09:00:03.001Z`, 1))}, want{"event.duplicate-delivery tenant/acme 1 2"}},
	} {
		compare(t, name, examine(t, c.all), c.want)
	}
}

func TestChanged(t *testing.T) {
	w := newWriter(node)
	lines := w.events(20)
	for name, c := range map[string]struct {
		first, then, after []byte // ingested first, ingested later, and present at the end; nil: nothing
		want               want
	}{
		"gone":                 {journal(lines...), nil, nil, nil},
		"other bytes":          {journal(lines...), nil, []byte("other"), nil},
		"the same path, grown": {journal(lines[:10]...), journal(lines...), journal(lines...), nil},
		"the same path, other bytes": {journal(lines[:10]...), journal(lines[5:]...), journal(lines[5:]...),
			want{"source.changed  0 0 under the same path"}},
		"the same path, gone by then": {journal(lines[:10]...), journal(lines...), nil, nil},
	} {
		path, dir := filepath.Join(t.TempDir(), "case.db"), t.TempDir()
		options := ingest.Options{}
		add(t, path, dir, files{"a": c.first}, options)
		if c.then != nil {
			add(t, path, dir, files{"a": c.then}, options)
		}
		if c.after == nil {
			os.Remove(filepath.Join(dir, "a"))
		} else if err := os.WriteFile(filepath.Join(dir, "a"), c.after, 0o644); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range look(t, path) {
			if !strings.HasPrefix(f, "event.duplicate-delivery") {
				got = append(got, f)
			}
		}
		compare(t, name, got, c.want)
	}
}

// TestCut: a body that ends at a length at which a store cuts was cut there, and
// one that ends anywhere else, or is whole, was not.
func TestCut(t *testing.T) {
	w := newWriter(node)
	body, whole := w.event("test.event", "", seal.Object{"text": strings.Repeat("x", 300_000)}),
		w.event("test.event", "", seal.Object{})
	for name, c := range map[string]struct {
		dump []byte
		want finding.Code
	}{
		"Splunk":        {dump(record{line: body[:10_000]}), finding.BodyTruncated},
		"Loki":          {dump(record{line: body[:256<<10]}), finding.BodyTruncated},
		"a line":        {journal(body[:10_000], whole), finding.BodyTruncated},
		"one more":      {dump(record{line: body[:10_001]}), finding.SourceUnparseable},
		"other damage":  {dump(record{line: append([]byte(`{"a":}`), body[:9_994]...)}), finding.SourceUnparseable},
		"not an event":  {dump(record{line: []byte(`{"a":"` + strings.Repeat("x", 9_992) + `"}`)}), finding.SourceNoRecord},
		"a line longer": {journal(body[:10_001], whole), finding.SourceUnparseable},
		"the last line": {journal(body[:10_000]), finding.SourcePartialTail},
	} {
		path := filepath.Join(t.TempDir(), "case.db")
		add(t, path, t.TempDir(), files{"a": c.dump}, ingest.Options{})
		in := must.Get(store.OpenCase(path, cases.As(1)))(t)
		var codes []finding.Code
		for s, err := range in.Skips(t.Context()) {
			must.Do(t, err)
			codes = append(codes, finding.Code(s.Code))
		}
		in.Close()
		check.That(t, len(codes) == 1 && codes[0] == c.want, "%s: %v, want %s", name, codes, c.want)
	}
}
