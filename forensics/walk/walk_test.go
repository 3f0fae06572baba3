package walk

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// histories are a few worlds of different lengths, made once.
var someHistories = sync.OnceValue(func() []*world {
	var all []*world
	for i, rounds := range []int{1, 3, 8, 20} {
		all = append(all, history(&testing.T{}, uint64(i+1), rounds))
	}
	return all
})

// damage does a random damage to a log.
func damage(t *rapid.T, w *world) {
	l := rapid.SampledFrom([]Log{tenantLog, berlin, oslo}).Draw(t, "log")
	if len(w.copies[l]) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.copies[l])-1).Draw(t, "at")
	n := rapid.IntRange(1, min(6, len(w.copies[l])-i)).Draw(t, "events")
	key := w.keys[rapid.SampledFrom([]string{"berlin", "oslo", "oslo/2", "audit-1", "stranger"}).Draw(t, "key")]
	changes := []func(wire.Object){alterBody, alterHash("hash"), alterHash("previous_hash"), alterHash("skip_hash"),
		alterSignature, renameKey(key.ID), backdate(400 * time.Second), func(wire.Object) {}}
	change := changes[rapid.IntRange(0, len(changes)-1).Draw(t, "change")]
	switch rapid.IntRange(0, 9).Draw(t, "damage") {
	case 0:
		w.remove(l, i, n)
	case 1:
		w.alter(l, i, change)
	case 2:
		w.alter(l, i, rehash(change))
	case 3:
		w.alter(l, i, resign(key, change))
	case 4:
		w.addAltered(l, i, change)
	case 5:
		w.addAltered(l, i, resign(key, change))
	case 6:
		w.copies[l][i].lossy = true
		w.alter(l, i, alterBody)
	case 7:
		w.copies[l] = append(w.copies[l], w.copies[l][i:i+n]...)
	case 8:
		slices.Reverse(w.copies[l][i : i+n])
	case 9:
		other := rapid.SampledFrom([]Log{tenantLog, berlin, oslo}).Draw(t, "other")
		if len(w.copies[other]) > 0 {
			o := wire.CloneObject(w.copies[other][min(i, len(w.copies[other])-1)].Object)
			wire.Member(o, "body")["log_id"] = l.LogID
			w.copies[l] = append(w.copies[l], copied{Object: o})
		}
	}
}

// rewriteSome forks a sound log, or signs its tail again.
func rewriteSome(t *rapid.T, w *world) {
	l := rapid.SampledFrom([]Log{tenantLog, berlin, oslo}).Draw(t, "log")
	i := rapid.IntRange(0, len(w.copies[l])-1).Draw(t, "from")
	made := w.rewrite(l, i, len(w.copies[l])-i, alterBody)
	if rapid.Bool().Draw(t, "fork") {
		n := rapid.IntRange(1, len(made)).Draw(t, "length")
		w.copies[l] = append(w.copies[l], made[:n]...)
		return
	}
	w.copies[l] = slices.Concat(w.copies[l][:i], made)
}

// damagedWorld draws a history with a few damages.
func damagedWorld(t *rapid.T) *world {
	w := *someHistories()[rapid.IntRange(0, 3).Draw(t, "history")]
	w.evidence = w.evidence.clone()
	if rapid.Bool().Draw(t, "rewritten") {
		rewriteSome(t, &w)
	}
	for range rapid.IntRange(0, 4).Draw(t, "damages") {
		damage(t, &w)
	}
	return &w
}

// TestAgreesWithTheNaiveWalk: whatever was damaged, however many workers and
// wherever the logs are cut.
func TestAgreesWithTheNaiveWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := damagedWorld(t)
		r, _ := walkWith(testing.TB(&testing.T{}), w.source(), w.root, rapid.IntRange(1, 4).Draw(t, "workers"), rapid.IntRange(1, 30).Draw(t, "stretch"))
		if d := cmp.Diff(walkNaively(w).words(), wordsOf(r)); d != "" {
			t.Fatalf("naive walk and walk differ (-naive +walk):\n%s", d)
		}
		if want := verdictOf(r.Findings); r.Verdict != want {
			t.Fatalf("verdict %s, want %s", r.Verdict, want)
		}
	})
}

// TestSameBytes: the result is the same to the byte for any number of workers,
// any cut and any order of delivery.
func TestSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := damagedWorld(t)
		write := func(workers, stretch int) []byte {
			r, _ := walkWith(&testing.T{}, w.source(), w.root, workers, stretch)
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		want := write(1, 1000)
		if got := write(rapid.IntRange(1, 5).Draw(t, "workers"), rapid.IntRange(1, 20).Draw(t, "stretch")); !bytes.Equal(want, got) {
			t.Fatalf("%s\n\nis not\n\n%s", got, want)
		}
	})
}

func TestUnanchoredTail(t *testing.T) {
	r, _ := walkWith(t, plain(t).source(), plain(t).root, 1, 10)
	want := map[string]string{berlin.LogID: "30 3 [export-cursor node-report]", oslo.LogID: "12 13 [node-report]", tenantLog.LogID: "24 0 [checkpoint]"}
	for _, l := range r.Logs {
		if got := fmt.Sprint(l.AnchoredSequence, l.UnanchoredTail, l.AnchoredBy); got != want[l.LogID] {
			t.Errorf("%s: %s, want %s", l.LogID, got, want[l.LogID])
		}
		if tail := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Code == finding.TailUnanchored && f.LogID == l.LogID && f.Count() == l.UnanchoredTail
		}); tail != (l.UnanchoredTail > 0) {
			t.Errorf("%s: an unanchored tail of %d, named: %t", l.LogID, l.UnanchoredTail, tail)
		}
	}
	if r.Verdict != verify.Verified {
		t.Errorf("an unanchored tail is no fault: %s", r.Verdict)
	}
}

func TestOnlyTheLogsAskedFor(t *testing.T) {
	w := plain(t)
	w.alter(oslo, 3, alterBody)
	r, _, err := Run(context.Background(), w.source(), w.root, Options{Logs: []string{berlin.LogID}})
	if err != nil || len(r.Logs) != 1 || r.Logs[0].LogID != berlin.LogID || r.Verdict != verify.Verified {
		t.Errorf("%+v, %v", r, err)
	}
	r, _, err = Run(context.Background(), w.source(), w.root, Options{Logs: []string{"node/paris"}})
	if err != nil || r.Verdict != verify.Inconclusive || !slices.Equal(said(r.Findings), []string{"node/paris journal.absent 0-0"}) {
		t.Errorf("a log that is not there: %+v, %v", r, err)
	}
}

// remembered is a cache of claims that counts what it is asked.
type remembered struct {
	mu    sync.Mutex
	kept  map[Claim]bool
	known int
}

func (m *remembered) Known(_ context.Context, claims []Claim, known []bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, c := range claims {
		if known[i] = m.kept[c]; known[i] {
			m.known++
		}
	}
	return nil
}

func (m *remembered) Keep(_ context.Context, claims []Claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range claims {
		m.kept[c] = true
	}
	return nil
}

// TestRememberedSignatures: what an earlier walk found to hold is not verified
// again, and does not cover for anything else.
func TestRememberedSignatures(t *testing.T) {
	w := plain(t)
	memory := &remembered{kept: map[Claim]bool{}}
	for i, wantKnown := range []int{0, 24 + 33 + 25 + 3} {
		memory.known = 0
		r, _, err := Run(context.Background(), w.source(), w.root, Options{Workers: 2, Signatures: memory})
		if err != nil || r.Verdict != verify.Verified {
			t.Fatalf("walk %d: %v", i, err)
		}
		if memory.known != wantKnown && i > 0 {
			t.Errorf("walk %d: %d claims known, want %d", i, memory.known, wantKnown)
		}
	}
	w.alter(berlin, 12, alterSignature)
	r, _, err := Run(context.Background(), w.source(), w.root, Options{Signatures: memory})
	if err != nil || !slices.Equal(said(r.Findings), []string{inBerlin + "event.signature-invalid 13-13"}) {
		t.Errorf("%v, %v", said(r.Findings), err)
	}
}

// TestEvidenceNamesTheBadSource: the place of an altered copy is that of the
// store that altered it.
func TestEvidenceNamesTheBadSource(t *testing.T) {
	w := plain(t)
	w.addAltered(berlin, 12, alterBody)
	r, _ := walkWith(t, w.source(), w.root, 1, 10)
	i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Code == finding.AlteredCopy })
	if f := r.Findings[i]; len(f.Evidence) != 1 || f.Evidence[0].Offset != 33 {
		t.Errorf("evidence %+v", f.Evidence)
	}
}

var update = flag.Bool("update", false, "write the golden file anew")

// TestJSON holds the form of a result.
func TestJSON(t *testing.T) {
	w := plain(t)
	w.remove(berlin, 11, 3)
	w.remove(berlin, 26, 4)
	w.addAltered(oslo, 5, alterBody)
	r, _ := walkWith(t, w.source(), w.root, 2, 10)
	got, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "walk.golden.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Error(d)
	}
}

// TestScenes: histories that the harness really made are verified, with their
// bundles as anchors; under a higher minimum of witnesses they are left open.
func TestScenes(t *testing.T) {
	for _, name := range []string{"issued", "revoked", "capability", "rotated-keys", "legacy", "denied"} {
		s, err := harness.Build(name, 1, harness.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := sceneEvidence(s)
		r, _ := walkWith(t, e.source(), rootOf(t, s.Trust), 2, 50)
		if counting := codesThatCount(r); r.Verdict != verify.Verified || len(counting) > 0 {
			t.Errorf("%s: %s, %v", name, r.Verdict, counting)
		}
		strict := wire.CloneObject(s.Trust)
		strict["minimum_audit_witnesses"] = int64(9)
		r, _ = walkWith(t, e.source(), rootOf(t, strict), 2, 50)
		var want []finding.Code
		if len(e.docs) > 0 {
			want = []finding.Code{finding.CheckpointUnderQuorum}
		}
		if got := codesThatCount(r); !slices.Equal(got, want) {
			t.Errorf("%s under nine witnesses: %v", name, got)
		}
	}
}

// sceneEvidence is everything of a scene: the tenant log, the journals, the
// bundles.
func sceneEvidence(s *harness.Scene) evidence {
	e := evidence{copies: map[Log][]copied{}}
	for _, o := range s.Tenant {
		e.copies[tenantLog] = append(e.copies[tenantLog], copied{Object: o})
	}
	for node, journal := range s.Journals {
		for _, o := range journal {
			l := Log{tenant, "node/" + node}
			e.copies[l] = append(e.copies[l], copied{Object: o})
		}
	}
	for _, x := range s.Exports {
		e.docs = append(e.docs, x.Bundle)
	}
	return e
}

func rootOf(t *testing.T, file wire.Object) *trust.Root {
	t.Helper()
	root, err := trust.Parse(wire.Canonical(file))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// codesThatCount are the codes of the findings that count for a verdict, each
// once.
func codesThatCount(r *Result) []finding.Code {
	var codes []finding.Code
	for _, f := range r.Findings {
		if f.Effect() != finding.None {
			codes = append(codes, f.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
