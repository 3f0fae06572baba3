package walk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/verify"
)

func TestTooManyCopies(t *testing.T) {
	w := plain(t)
	for i := range 3 * mostCopies {
		w.addAltered(berlin, 2, func(o wire.Object) { wire.Member(o, "body")["data"] = wire.Object{"n": int64(i)} })
	}
	r, _ := walkWith(t, w.source(), w.root, 2, 10)
	if !slices.Contains(said(r.Findings), inBerlin+"walk.limit-reached 3-3") || r.Verdict == verify.Verified {
		t.Errorf("%s: %v", r.Verdict, said(r.Findings))
	}
	for _, f := range r.Findings {
		if len(f.Evidence) > mostEvidence {
			t.Errorf("%s lists %d places", f.Code, len(f.Evidence))
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	n := newNotes()
	for i := range uint64(mostFindings + 50) {
		n.add(finding.Finding{Code: finding.HashMismatch, Sequence: 2*i + 1, LastSequence: 2*i + 1})
	}
	all := n.list(berlin)
	if len(all) != mostFindings+1 || !slices.ContainsFunc(all, func(f finding.Finding) bool {
		return f.Code == finding.LimitReached && strings.Contains(f.Found, "50 more")
	}) || n.worst != finding.Rejects {
		t.Errorf("%d findings", len(all))
	}
}

// TestGapIsNamedOnce: though both branches of a fork begin after it.
func TestGapIsNamedOnce(t *testing.T) {
	w := plain(t)
	w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 30, 2, alterBody)...)
	w.remove(berlin, 28, 2)
	r, _ := walkWith(t, w.source(), w.root, 1, 10)
	gaps := 0
	for _, f := range r.Findings {
		if f.Code == finding.Gap {
			gaps++
		}
	}
	if gaps != 1 {
		t.Errorf("%d gaps", gaps)
	}
}

func TestManyHistories(t *testing.T) {
	w := plain(t)
	for i := range 2 * mostBranches {
		w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 30, 2, func(o wire.Object) {
			wire.Member(o, "body")["data"] = wire.Object{"n": int64(i)}
		})...)
	}
	r, _ := walkWith(t, w.source(), w.root, 2, 10)
	forks := 0
	for _, f := range r.Findings {
		if f.Code == finding.Fork {
			forks++
		}
	}
	if forks != mostBranches-1 || !slices.Contains(said(r.Findings), inBerlin+"walk.limit-reached 31-31") {
		t.Errorf("%d forks, %v", forks, said(r.Findings))
	}
}

func TestSourceFails(t *testing.T) {
	w := plain(t)
	src := w.source()
	src.err = errors.New("disk on fire")
	if _, _, err := Run(context.Background(), src, w.root, Options{Workers: 3}); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	src = w.source()
	slices.Reverse(src.rows[berlin])
	if _, _, err := Run(context.Background(), src, w.root, Options{}); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a source out of order: %v", err)
	}
}

// TestManyDoubts: a log in which half of the events cannot be believed.
func TestManyDoubts(t *testing.T) {
	w := newWorld(t, 5)
	w.fill(berlin, 400)
	w.report(berlin)
	for i := 1; i < 400; i += 2 {
		w.alter(berlin, i, rehash(alterBody))
	}
	w.alter(berlin, 398, resign(w.keys["berlin"], alterHash("skip_hash")))
	r, _ := walkWith(t, w.source(), w.root, 2, 50)
	if d := cmp.Diff(walkNaively(w).words(), wordsOf(r)); d != "" {
		t.Errorf("(-naive +walk):\n%s", d)
	}
}

// TestForkOfAFork: a second history has itself two continuations, of which the
// second goes further. Which one counts as the fork depends on the digests.
func TestForkOfAFork(t *testing.T) {
	say := func(name string, n int64) func(wire.Object) {
		return func(o wire.Object) { wire.Member(o, "body")["data"] = wire.Object{name: n} }
	}
	sound := plain(t)
	for n := range int64(30) {
		w, other := *sound, *sound
		w.evidence = sound.clone()
		other.evidence = w.evidence.clone()
		other.copies[berlin] = slices.Concat(w.copies[berlin][:14], w.rewrite(berlin, 14, 19, say("second", n)))
		third := other.rewrite(berlin, 17, 9, say("third", n))
		w.copies[berlin] = slices.Concat(w.copies[berlin], other.copies[berlin][14:23], third)
		r, _ := walkWith(t, w.source(), w.root, 2, 7)
		if d := cmp.Diff(walkNaively(&w).words(), wordsOf(r)); d != "" {
			t.Errorf("(-naive +walk):\n%s", d)
		}
	}
}
