package walk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// walkWith walks with so many workers and sections of so many events.
func walkWith(t testing.TB, reader walk.Reader, root *trust.Root, workers, section int) (*walk.Result, *walk.State) {
	t.Helper()
	r, state := must.Two(walk.RunCut(context.Background(), reader, root, walk.Options{Workers: workers}, section))(t)
	return r, state
}

// wantResult fails the test unless a result has exactly these findings, in the order of their texts, and their verdict.
func wantResult(t check.T, r *walk.Result, label string, want ...string) {
	t.Helper()
	slices.Sort(want)
	got, want := walktest.Said(r.Findings), slices.Compact(want)
	check.That(t, slices.Equal(got, want) && r.Verdict == walktest.VerdictOf(r.Findings), "%s: %s: %v, want %v", label,
		r.Verdict, got, want)
}

// TestAgreesWithTheNaiveWalk: whatever was damaged, however many workers and
// wherever the logs are cut.
func TestAgreesWithTheNaiveWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := walktest.DamagedWorld(t)
		r, _ := walkWith(testing.TB(&testing.T{}), w.Reader(), w.Root, rapid.IntRange(1, 4).Draw(t, "workers"),
			rapid.IntRange(1, 30).Draw(t, "section"))
		d := cmp.Diff(walktest.WalkNaively(w).Words(), walktest.WordsOf(r))
		must.That(t, d == "", "naive walk and walk differ (-naive +walk):\n%s", d)
		want := walktest.VerdictOf(r.Findings)
		must.That(t, r.Verdict == want, "verdict %s, want %s", r.Verdict, want)
	})
}

// TestSameBytes: the result is the same to the byte for any number of workers,
// any cut and any order of delivery.
func TestSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := walktest.DamagedWorld(t)
		write := func(workers, section int) []byte {
			r, _ := walkWith(&testing.T{}, w.Reader(), w.Root, workers, section)
			return must.Get(json.Marshal(r))(t)
		}
		want := write(1, 1000)
		got := write(rapid.IntRange(1, 5).Draw(t, "workers"), rapid.IntRange(1, 20).Draw(t, "section"))
		must.That(t, bytes.Equal(want, got), "%s\n\nis not\n\n%s", got, want)
	})
}

func TestUnanchoredTail(t *testing.T) {
	r, _ := walkWith(t, plain(t).Reader(), plain(t).Root, 1, 10)
	want := map[string]string{berlin.LogID: "30 3 [export-cursor node-report]",
		oslo.LogID: "12 13 [node-report]", tenantLog.LogID: "24 0 [checkpoint]"}
	for _, l := range r.Logs {
		check.Equal(t, fmt.Sprint(l.AnchoredSequence, l.UnanchoredTail, l.AnchoredBy), want[l.LogID], "%s", l.LogID)
		if tail := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Code == finding.TailUnanchored && f.LogID == l.LogID && f.Count() == l.UnanchoredTail
		}); tail != (l.UnanchoredTail > 0) {
			t.Errorf("%s: an unanchored tail of %d, named: %t", l.LogID, l.UnanchoredTail, tail)
		}
	}
	check.That(t, r.Verdict == verify.Verified, "an unanchored tail is no fault: %s", r.Verdict)
}

func TestOnlyTheLogsAskedFor(t *testing.T) {
	w := plain(t)
	w.Alter(oslo, 3, forge.AlterSalt)
	r, _, err := walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Logs: []string{berlin.LogID}})
	check.That(t, err == nil && len(r.Logs) == 1 && r.Logs[0].LogID == berlin.LogID && r.Verdict == verify.Verified,
		"%+v, %v", r, err)
	r, _, err = walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Logs: []string{"node/paris"}})
	check.That(t, err == nil && r.Verdict == verify.Inconclusive && slices.Equal(walktest.Said(r.Findings),
		[]string{"node/paris journal.absent 0-0"}), "a log that is not there: %+v, %v", r, err)
}

// remembered is a cache of claims that counts its hits.
type remembered struct {
	mu    sync.Mutex
	kept  map[walk.Claims]bool
	known int
}

func (m *remembered) Known(_ context.Context, c walk.Claims) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept[c] {
		m.known += c.Count
	}
	return m.kept[c], nil
}

func (m *remembered) Keep(_ context.Context, c walk.Claims) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[c] = true
	return nil
}

// TestRememberedSignatures: signatures that an earlier walk found to hold are not verified
// again, and do not cover for anything else.
func TestRememberedSignatures(t *testing.T) {
	w := plain(t)
	memory := &remembered{kept: map[walk.Claims]bool{}}
	for i, wantKnown := range []int{0, 24 + 33 + 25 + 3} {
		memory.known = 0
		r, _, err := walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Workers: 2, Signatures: memory})
		must.That(t, err == nil && r.Verdict == verify.Verified, "walk %d: %v", i, err)
		check.That(t, memory.known == wantKnown || i == 0, "walk %d: %d claims known, want %d", i, memory.known, wantKnown)
	}
	w.Alter(berlin, 12, forge.AlterSignature)
	r, _, err := walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Signatures: memory})
	if err != nil || !slices.Equal(walktest.Said(r.Findings), []string{inBerlin + "event.signature-invalid 13-13"}) {
		t.Errorf("%v, %v", walktest.Said(r.Findings), err)
	}
}

// TestStretchesStayTheSame: a copy that comes to one section of a log leaves all
// others known.
func TestStretchesStayTheSame(t *testing.T) {
	w := walktest.NewWorld(8)
	w.Fill(berlin, 100)
	w.Report(berlin)
	memory := &remembered{kept: map[walk.Claims]bool{}}
	again := func() int {
		t.Helper()
		memory.known = 0
		options := walk.Options{Workers: 2, Signatures: memory}
		must.Two(walk.RunCut(context.Background(), w.Reader(), w.Root, options, 10))(t)
		return memory.known
	}
	again()
	got := again()
	check.That(t, got == 102, "%d claims are known, want 100 events, one of the tenant, and its report", got)
	w.AddAltered(berlin, 43, forge.AlterSalt)
	got = again()
	check.That(t, got == 92, "%d claims are known, want all but the 10 of one section", got)
}

// TestEvidenceNamesTheBadSource: the place of an altered copy is in the store that altered it.
func TestEvidenceNamesTheBadSource(t *testing.T) {
	w := plain(t)
	w.AddAltered(berlin, 12, forge.AlterSalt)
	r, _ := walkWith(t, w.Reader(), w.Root, 1, 10)
	i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Code == finding.AlteredCopy })
	f := r.Findings[i]
	check.That(t, len(f.Evidence) == 1 && f.Evidence[0].Offset == 33, "evidence %+v", f.Evidence)
}

// TestJSON holds the form of a result.
func TestJSON(t *testing.T) {
	w := plain(t)
	w.Remove(berlin, 11, 3)
	w.Remove(berlin, 26, 4)
	w.AddAltered(oslo, 5, forge.AlterSalt)
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
	got := must.Get(json.MarshalIndent(r, "", "  "))(t)
	compareGolden(t, "walk.golden.json", string(got)+"\n")
}

// TestScenes: histories that the harness really made are verified, with their
// bundles as anchors; under a higher minimum of witnesses they are left open.
func TestScenes(t *testing.T) {
	for i, name := range []string{"issued", "revoked", "capability", "rotated-keys", "legacy", "denied"} {
		if testing.Short() && i%4 > 0 {
			continue
		}
		s := must.Get(harness.Build(name, 1, harness.Options{}))(t)
		e := sceneEvidence(s)
		r, _ := walkWith(t, e.Reader(), rootOf(t, s.Trust), 2, 50)
		counting := codesThatCount(r)
		check.That(t, r.Verdict == verify.Verified && len(counting) == 0, "%s: %s, %v", name, r.Verdict, counting)
		c := r.Logs[len(r.Logs)-1].Checkpoint // of the tenant log
		if len(e.Docs) > 0 && (c == nil || c.Witnessed != (name != "legacy") || c.Sequence == 0 || c.CreatedAt == "") {
			t.Errorf("%s: nothing is missing up to %+v", name, c)
		}
		strict := seal.CloneObject(s.Trust)
		strict["minimum_audit_witnesses"] = int64(9)
		r, _ = walkWith(t, e.Reader(), rootOf(t, strict), 2, 50)
		if c := r.Logs[len(r.Logs)-1].Checkpoint; c != nil {
			t.Errorf("%s under nine witnesses: nothing is missing up to %+v", name, c)
		}
		var want []finding.Code
		if len(e.Docs) > 0 {
			want = []finding.Code{finding.CheckpointUnderQuorum}
		}
		got := codesThatCount(r)
		check.That(t, slices.Equal(got, want), "%s under nine witnesses: %v", name, got)
	}
}

// TestManyWitnessesRequired: a checkpoint that requires 2^32 witnesses more than
// it has is under its quorum, however many bits an int has.
func TestManyWitnessesRequired(t *testing.T) {
	s := must.Get(harness.Build("issued", 1, harness.Options{}))(t)
	b := must.Get(forge.Reseal(s, "tx-2026-0001", func(b seal.Object) {
		seal.Member(seal.Member(b, "checkpoint"), "statement")["required_witnesses"] = int64(1<<32 + 2)
	}))(t)
	e := sceneEvidence(s)
	e.Docs = []seal.Object{b}
	r, _ := walkWith(t, e.Reader(), rootOf(t, s.Trust), 2, 50)
	got := codesThatCount(r)
	check.That(t, slices.Equal(got, []finding.Code{finding.CheckpointUnderQuorum}),
		"expected %s, found %v", finding.CheckpointUnderQuorum, got)
}

// sceneEvidence is everything of a scene: the tenant log, the journals, the
// bundles.
func sceneEvidence(s *harness.Scene) walktest.Evidence {
	e := walktest.Evidence{Copies: map[facts.Log][]walktest.Copy{}}
	for _, o := range s.Tenant {
		e.Copies[tenantLog] = append(e.Copies[tenantLog], walktest.Copy{Object: o})
	}
	for node, journal := range s.Journals {
		for _, o := range journal {
			l := facts.Log{TenantID: walktest.Tenant, LogID: "node/" + node}
			e.Copies[l] = append(e.Copies[l], walktest.Copy{Object: o})
		}
	}
	for _, x := range s.Exports {
		e.Docs = append(e.Docs, x.Bundle)
	}
	return e
}

func rootOf(t *testing.T, file seal.Object) *trust.Root {
	t.Helper()
	return must.Get(trust.Parse(seal.Canonical(file)))(t)
}

// codesThatCount are the codes of the findings that count for a verdict, each
// once.
func codesThatCount(r *walk.Result) []finding.Code {
	var codes []finding.Code
	for _, f := range r.Findings {
		if f.Effect() != finding.None {
			codes = append(codes, f.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
