package walk_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/verify"
)

func TestTooManyCopies(t *testing.T) {
	w := plain(t)
	for i := range 3 * walk.MostCopies {
		w.AddAltered(walktest.Berlin, 2, func(o wire.Object) { wire.Member(o, "body")["data"] = wire.Object{"n": int64(i)} })
	}
	r, _ := walkWith(t, w.Source(), w.Root, 2, 10)
	if !slices.Contains(walktest.Said(r.Findings), inBerlin+"walk.limit-reached 3-3") || r.Verdict == verify.Verified {
		t.Errorf("%s: %v", r.Verdict, walktest.Said(r.Findings))
	}
	for _, f := range r.Findings {
		if len(f.Evidence) > walk.MostEvidence {
			t.Errorf("%s lists %d places", f.Code, len(f.Evidence))
		}
	}
}

// TestGapIsNamedOnce: though both branches of a fork begin after it.
func TestGapIsNamedOnce(t *testing.T) {
	w := plain(t)
	w.Copies[walktest.Berlin] = append(w.Copies[walktest.Berlin], w.Rewrite(walktest.Berlin, 30, 2, walktest.AlterBody)...)
	w.Remove(walktest.Berlin, 28, 2)
	r, _ := walkWith(t, w.Source(), w.Root, 1, 10)
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
	for i := range 2 * walk.MostBranches {
		w.Copies[walktest.Berlin] = append(w.Copies[walktest.Berlin], w.Rewrite(walktest.Berlin, 30, 2, func(o wire.Object) {
			wire.Member(o, "body")["data"] = wire.Object{"n": int64(i)}
		})...)
	}
	r, _ := walkWith(t, w.Source(), w.Root, 2, 10)
	forks := 0
	for _, f := range r.Findings {
		if f.Code == finding.Fork {
			forks++
		}
	}
	if forks != walk.MostBranches-1 || !slices.Contains(walktest.Said(r.Findings), inBerlin+"walk.limit-reached 31-31") {
		t.Errorf("%d forks, %v", forks, walktest.Said(r.Findings))
	}
}

func TestSourceFails(t *testing.T) {
	w := plain(t)
	src := w.Source()
	src.Err = errors.New("disk on fire")
	if _, _, err := walk.Run(context.Background(), src, w.Root, walk.Options{Workers: 3}); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	src = w.Source()
	slices.Reverse(src.Rows[walktest.Berlin])
	if _, _, err := walk.Run(context.Background(), src, w.Root, walk.Options{}); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a source out of order: %v", err)
	}
}

// TestManyDoubts: a log in which half of the events cannot be believed.
func TestManyDoubts(t *testing.T) {
	w := walktest.NewWorld(5)
	w.Fill(walktest.Berlin, 400)
	w.Report(walktest.Berlin)
	for i := 1; i < 400; i += 2 {
		w.Alter(walktest.Berlin, i, walktest.Rehash(walktest.AlterBody))
	}
	w.Alter(walktest.Berlin, 398, walktest.Resign(w.Keys["berlin"], walktest.AlterHash("skip_hash")))
	r, _ := walkWith(t, w.Source(), w.Root, 2, 50)
	if d := cmp.Diff(walktest.WalkNaively(w).Words(), walktest.WordsOf(r)); d != "" {
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
		w.Evidence = sound.Clone()
		other.Evidence = w.Evidence.Clone()
		other.Copies[walktest.Berlin] = slices.Concat(w.Copies[walktest.Berlin][:14], w.Rewrite(walktest.Berlin, 14, 19, say("second", n)))
		third := other.Rewrite(walktest.Berlin, 17, 9, say("third", n))
		w.Copies[walktest.Berlin] = slices.Concat(w.Copies[walktest.Berlin], other.Copies[walktest.Berlin][14:23], third)
		r, _ := walkWith(t, w.Source(), w.Root, 2, 7)
		if d := cmp.Diff(walktest.WalkNaively(&w).Words(), walktest.WordsOf(r)); d != "" {
			t.Errorf("(-naive +walk):\n%s", d)
		}
	}
}
