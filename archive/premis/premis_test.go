package premis_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

var update = flag.Bool("update", false, "write the golden file")

// history makes a ledger with two objects and two runs: in the second, one object is
// altered, and then accepted.
func history(t testing.TB) *ledger.Ledger {
	t.Helper()
	path := t.TempDir() + "/archive.ledger"
	w := must.Get(ledger.OpenWrite(t.Context(), path, ledger.Secret{1}))(t)
	record := run.Record{Began: 1_700_000_000_000, Ended: 1_700_000_001_000, Tool: "svc-verify 1.0", Rules: "1",
		Trust: run.Digest{7}, Counts: map[string]int64{"intact": 1, "added": 2}}
	a := ledger.Object{Path: "a <b> & \xe9.json", Size: 3, SHA256: run.Digest{1}, ReadIn: 1, ReadAt: 1_700_000_000_500,
		Judgement: object.Judgement{Kind: object.Bundle, Verdict: outcome.Verified}}
	b := ledger.Object{Path: "b", Size: 4, SHA256: run.Digest{2}, ReadIn: 1, ReadAt: 1_700_000_000_500,
		Judgement: object.Judgement{Kind: object.Other}}
	must.Do(t, w.Begin(record.Began))
	for _, o := range []*ledger.Object{&a, &b} {
		must.Do(t, w.Put(o))
		must.Do(t, w.Note(&run.Change{Path: o.Path, Class: "added", After: o.State()}))
	}
	rejected := ledger.Object{Path: "c", Size: 1, SHA256: run.Digest{4}, ReadIn: 1, ReadAt: 1_700_000_000_500,
		Judgement: object.Judgement{Kind: object.Bundle, Verdict: outcome.Rejected, Code: "signature.invalid"}}
	must.Do(t, w.Put(&rejected))
	must.Do(t, w.Note(&run.Change{Path: rejected.Path, Class: "added", After: rejected.State()}))
	must.Get(w.AppendRun(t.Context(), record))(t)
	before := a.State()
	a.Wrong, a.Found = ledger.Altered, ledger.Found{Size: 5, SHA256: run.Digest{3}}
	must.Do(t, w.Begin(record.Began+1000))
	must.Do(t, w.Put(&a))
	must.Do(t, w.Note(&run.Change{Path: a.Path, Class: "altered", Before: before, After: a.State()}))
	must.Do(t, w.Note(&run.Change{Path: b.Path, Class: run.Accepted, Before: b.State(), After: b.State(),
		Acceptance: &run.Acceptance{At: 1_700_000_005_000, By: "Ada <ada@example.org>",
			Reason: "exported again & compared"}}))
	record.Ended, record.Exit = 1_700_000_009_000, 1
	must.Get(w.AppendRun(t.Context(), record))(t)
	must.Do(t, w.Close())
	l := must.Get(ledger.Open(t.Context(), path, ledger.Secret{1}))(t)
	t.Cleanup(func() { must.Do(t, l.Close()) })
	return l
}

// TestLedger compares the document of a history with the one in testdata, which a
// validator has accepted (interop/archives).
func TestLedger(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, premis.FromLedger(t.Context(), &b, history(t), nil))
	const golden = "testdata/history.xml"
	if *update {
		must.Do(t, os.MkdirAll("testdata", 0o755))
		must.Do(t, os.WriteFile(golden, b.Bytes(), 0o600))
	}
	want := must.Get(os.ReadFile(golden))(t)
	diff := cmp.Diff(string(want), b.String())
	check.That(t, diff == "", "%v", diff)
}

// TestHostileText: no text of the ledger becomes markup.
func TestHostileText(t *testing.T) {
	var b bytes.Buffer
	hostile := "]]><event/>\x00\u202e\ufffe<!-- &lol;"
	objects := func(yield func(premis.Object, error) bool) {
		yield(premis.Object{Object: run.Object{Path: hostile}}, nil)
	}
	runs := func(yield func(ledger.Run, error) bool) { yield(ledger.Run{Record: run.Record{Tool: hostile}}, nil) }
	changes := func(int64) premis.Changes {
		return func(yield func(run.Change, error) bool) {
			yield(run.Change{Path: hostile, Acceptance: &run.Acceptance{By: hostile, Reason: hostile}}, nil)
		}
	}
	must.Do(t, premis.Write(&b, hostile, objects, runs, changes))
	d, elements := xml.NewDecoder(&b), 0
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "event" || e.Name.Local == "object") {
			elements++
		}
		text, ok := token.(xml.CharData)
		check.That(t, !ok || !strings.ContainsAny(string(text), "\x00\ufffe"), "%q", text)
	}
	check.That(t, elements == 4, "%d elements", elements)
}

// TestNoNote: a run without counts has no detail of its outcome, since the schema has no empty one.
func TestNoNote(t *testing.T) {
	var out bytes.Buffer
	runs := func(yield func(ledger.Run, error) bool) { yield(ledger.Run{}, nil) }
	none := func(int64) premis.Changes { return func(func(run.Change, error) bool) {} }
	must.Do(t, premis.Write(&out, "a", func(func(premis.Object, error) bool) {}, runs, none))
	doc := out.String()
	check.That(t, strings.Contains(doc, "<eventOutcome>") && !strings.Contains(doc, "eventOutcomeDetail"), "%s", doc)
}
