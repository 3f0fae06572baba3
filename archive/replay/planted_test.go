package replay_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

// planted is a folder with two bundles, a journal and a note.
type planted struct {
	t     *testing.T
	dir   string
	trust file
	rows  []*ledger.Object
}

var rotated = sync.OnceValue(func() *harness.Scene {
	return must.Have(harness.Build("rotated-keys", 1, harness.Options{}))
})

func plant(t *testing.T) *planted {
	t.Helper()
	scene := rotated()
	p := &planted{t: t, dir: t.TempDir()}
	read(t, seal.Canonical(scene.Trust), &p.trust)
	var journal []byte
	events := slices.Clone(scene.Tenant)
	for _, node := range sorted(scene.Journals) {
		events = append(events, scene.Journals[node]...)
	}
	for _, event := range events {
		journal = append(append(journal, seal.Canonical(event)...), '\n')
	}
	first, last := scene.Exports[0].Bundle, scene.Exports[len(scene.Exports)-1].Bundle
	judge := object.NewJudge(object.Options{Root: p.trust.root(t), Workers: 1, TempDir: t.TempDir()})
	for _, o := range []struct {
		name string
		doc  []byte
	}{{"a.json", seal.Canonical(first)}, {"b.json", seal.Canonical(last)}, {"log.ndjson", journal},
		{"notes.txt", []byte("none")}} {
		must.WriteFile(t, filepath.Join(p.dir, o.name), o.doc)
		judged := must.Get(judge.Octets(context.Background(), o.doc))(t)
		p.rows = append(p.rows, &ledger.Object{Path: o.name, SHA256: sha256.Sum256(o.doc), Judgement: judged,
			Context: judge.Context()})
	}
	return p
}

func (p *planted) known() iter.Seq2[*ledger.Object, error] {
	return func(yield func(*ledger.Object, error) bool) {
		for _, row := range p.rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (p *planted) run(from, to file, o replay.Options) *replay.Result {
	p.t.Helper()
	o.Dir, o.TempDir, o.Workers = p.dir, p.t.TempDir(), 2
	o.Old.Root, o.New.Root = from.root(p.t), to.root(p.t)
	return must.Get(replay.Run(context.Background(), o))(p.t)
}

// TestPlanted: a key that is removed, and put back.
func TestPlanted(t *testing.T) {
	p := plant(t)
	less := p.trust.clone()
	delete(less.Signer, "signer-2026-2")

	r := p.run(p.trust, less, replay.Options{Known: p.known()})
	effects(t, r, replay.Lost+" b.json")
	check.That(t, r.Lost == 1 && r.JudgedAfter == 2 && r.JudgedBefore == 0 && r.Believed == 4 &&
		r.Verdict == string(outcome.Rejected), "%+v", r)
	c := r.Changes[0]
	check.That(t, c.After.Code == trust.KeyUnknown && slices.Contains(c.Because, "signer key signer-2026-2") &&
		c.TransactionID != "", "%+v", c)
	back := p.run(less, p.trust, replay.Options{})
	effects(t, back, replay.Gained+" b.json")
	check.That(t, back.Gained == 1 && back.JudgedBefore == 4 && back.JudgedAfter == 2 &&
		back.Verdict == string(outcome.Verified), "%+v", back)
	all := p.run(p.trust, less, replay.Options{Known: p.known(), All: true})
	check.That(t, all.JudgedAfter == 4 && all.Lost == 1, "%+v", all)
}

func effects(t *testing.T, r *replay.Result, want ...string) {
	t.Helper()
	var got []string
	for _, c := range r.Changes {
		got = append(got, c.Effect+" "+c.Path)
	}
	check.That(t, slices.Equal(got, want), "%q, want %q", got, want)
}

// TestLogs: a journal rests on the whole file, the quorum included.
func TestLogs(t *testing.T) {
	p := plant(t)
	less := p.trust.clone()
	delete(less.Audit, "audit-2026-1")
	r := p.run(p.trust, less, replay.Options{Known: p.known()})
	check.That(t, slices.ContainsFunc(r.Changes, func(c replay.Change) bool {
		return c.Kind == object.Logs && c.Path == "log.ndjson"
	}), "%+v", r.Changes)
	more := p.trust.clone()
	more.Quorum--
	if r := p.run(p.trust, more, replay.Options{Known: p.known()}); r.Touched != 1 || r.JudgedAfter != 1 {
		t.Errorf("with another quorum: %d touched, %d verified", r.Touched, r.JudgedAfter)
	}
}

// TestNotJudged: an object that is missing, altered or no file is reported, and not judged. A
// row that is not of the old file, or of an object that is wrong, is not believed.
func TestNotJudged(t *testing.T) {
	p := plant(t)
	less := p.trust.clone()
	delete(less.Signer, "signer-2026-2")
	must.Do(t, os.Remove(filepath.Join(p.dir, "a.json")))
	must.WriteFile(t, filepath.Join(p.dir, "b.json"), []byte(`{"protocol":"svc.evidence-bundle.v1"}`))
	r := p.run(p.trust, less, replay.Options{Known: p.known()})
	effects(t, r)
	want := []replay.Fault{{What: replay.Missing, Path: "a.json"}, {What: replay.Altered, Path: "b.json"}}
	check.That(t, slices.Equal(r.NotJudged, want) && r.Verdict == string(outcome.Inconclusive) &&
		len(r.NotExamined) != 0, "%+v", r)
	if err := os.Symlink(filepath.Join(p.dir, "b.json"), filepath.Join(p.dir, "c.json")); err == nil {
		r := p.run(p.trust, less, replay.Options{Known: p.known()})
		check.That(t, r.Unreadable == 1 &&
			r.Verdict == string(outcome.Unreadable), "%+v", r)
	}
}

// TestRowsThatAreNotBelieved: such an object is verified under the old file too.
func TestRowsThatAreNotBelieved(t *testing.T) {
	p := plant(t)
	less := p.trust.clone()
	delete(less.Signer, "signer-2026-2")
	row := p.rows[1]
	for name, change := range map[string]func(*ledger.Object){
		"another trust file": func(o *ledger.Object) { o.Context.Trust[0]++ },
		"another policy":     func(o *ledger.Object) { o.Context.Policy[0]++ },
		"other rules":        func(o *ledger.Object) { o.Context.Rules += "+" },
		"no context":         func(o *ledger.Object) { o.Context = object.Context{} },
		"something wrong":    func(o *ledger.Object) { o.Wrong = "altered" },
	} {
		lie := *row
		change(&lie)
		lie.Judgement.Verdict = outcome.Rejected
		p.rows[1] = &lie
		r := p.run(p.trust, less, replay.Options{Known: p.known()})
		check.That(t, r.Lost == 1 && r.JudgedBefore == 1 && r.Believed == 3, "%s: %+v", name, r)
	}
}

// TestNothingChanges: the same file in other words touches nothing.
func TestNothingChanges(t *testing.T) {
	p := plant(t)
	doc := must.Get(json.MarshalIndent(p.trust, "", " "))(t)
	same := must.Get(trust.Parse(doc))(t)
	r, err := replay.Run(context.Background(), replay.Options{Dir: p.dir, Old: replay.Under{Root: p.trust.root(t)},
		New: replay.Under{Root: same}, Known: p.known()})
	check.That(t, err == nil && r.Touched+r.JudgedAfter+r.JudgedBefore == 0 && r.Believed == 4 &&
		r.Verdict == string(outcome.Verified), "%+v, %v", r, err)
}

// TestStopped: a replay that is stopped reports this, and is not verified.
func TestStopped(t *testing.T) {
	p := plant(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	r, err := replay.Run(ctx, replay.Options{Dir: p.dir, Old: replay.Under{Root: p.trust.root(t)},
		New: replay.Under{Root: p.trust.root(t)}})
	check.That(t, err == nil && r.Stopped && r.Verdict == string(outcome.Inconclusive), "%+v, %v", r, err)
}

// TestNumbers: a number touches a bundle that has enough for it before and not after, or the
// reverse. The bundles have two witnesses and two approvals each.
func TestNumbers(t *testing.T) {
	p := plant(t)
	must.Do(t, os.Remove(filepath.Join(p.dir, "log.ndjson")))
	for _, tt := range []struct {
		from, to         int // witnesses
		before, after    int // approvals
		touched, changed int64
	}{
		{2, 3, 0, 0, 2, 2},
		{3, 2, 0, 0, 2, 2},
		{1, 2, 0, 0, 0, 0}, // enough for both
		{3, 4, 0, 0, 0, 0}, // enough for neither
		{1, 4, 0, 0, 2, 2},
		{2, 2, 2, 3, 2, 2},
		{2, 2, 1, 2, 0, 0},
		{2, 2, 0, 1, 0, 0}, // the same demand
		{2, 2, 3, 4, 0, 0},
	} {
		from, to := p.trust.clone(), p.trust.clone()
		from.Quorum, to.Quorum = tt.from, tt.to
		var o replay.Options
		o.Old.Policy.MinimumApprovals, o.New.Policy.MinimumApprovals = tt.before, tt.after
		r := p.run(from, to, o)
		check.That(t, r.Touched == tt.touched && r.JudgedAfter == tt.touched && int64(len(r.Changes)) == tt.changed,
			"%+v: %d touched, %d verified, %d changed", tt, r.Touched, r.JudgedAfter, len(r.Changes))
	}
}
