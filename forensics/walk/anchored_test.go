package walk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// berlinOf is what a walk says of Berlin.
func berlinOf(t *testing.T, w *walktest.World) (walk.LogResult, []finding.Finding) {
	t.Helper()
	r, _ := walkWith(t, w.Source(), w.Root, 2, 10)
	i := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == walktest.Berlin.LogID })
	return r.Logs[i], r.Findings
}

// TestForgedExtendsNothing: an event that anyone could have written changes none of
// the numbers of its log.
func TestForgedExtendsNothing(t *testing.T) {
	want, _ := berlinOf(t, plain(t))
	for name, forge := range map[string]func(w *walktest.World) func(wire.Object){
		"altered":  func(*walktest.World) func(wire.Object) { return walktest.Resequence(far) },
		"rehashed": func(*walktest.World) func(wire.Object) { return walktest.Rehash(walktest.Resequence(far)) },
		"next":     func(*walktest.World) func(wire.Object) { return walktest.Rehash(walktest.Resequence(1)) },
		"stranger's": func(w *walktest.World) func(wire.Object) {
			return walktest.Resign(w.Keys["stranger"], walktest.Resequence(2))
		},
	} {
		w := plain(t)
		w.AddAltered(walktest.Berlin, 32, forge(w))
		got, _ := berlinOf(t, w)
		if got.Verdict = want.Verdict; !cmp.Equal(want, got) {
			t.Errorf("%s (-without +with):\n%s", name, cmp.Diff(want, got))
		}
	}
	w := plain(t)
	w.Copies[walktest.Berlin] = append(w.Copies[walktest.Berlin], w.Forge(walktest.Berlin, 1, w.Keys["berlin"])...)
	w.Alter(walktest.Berlin, 33, walktest.AlterSignature)
	got, _ := berlinOf(t, w)
	if got.Verdict = want.Verdict; !cmp.Equal(want, got) {
		t.Errorf("linked, and not signed (-without +with):\n%s", cmp.Diff(want, got))
	}
}

// TestAnchoredUpToWhatIsVouchedFor: Berlin is anchored at 20 and 30. An anchor
// vouches for what is below it only as far as the links lead there.
func TestAnchoredUpToWhatIsVouchedFor(t *testing.T) {
	type numbers struct{ anchored, unvouched uint64 }
	alter := func(i int, change func(wire.Object)) func(*walktest.World) {
		return func(w *walktest.World) { w.Alter(walktest.Berlin, i, change) }
	}
	owner := func(i int, change func(wire.Object)) func(*walktest.World) {
		return func(w *walktest.World) { w.Alter(walktest.Berlin, i, walktest.Resign(w.Keys["berlin"], change)) }
	}
	for name, tt := range map[string]struct {
		damage func(*walktest.World)
		want   numbers
	}{
		"nothing":                          {func(*walktest.World) {}, numbers{30, 0}},
		"body below both":                  {alter(6, walktest.AlterBody), numbers{0, 7}},
		"body between":                     {alter(24, walktest.AlterBody), numbers{20, 25}},
		"body at the anchor":               {alter(29, walktest.AlterBody), numbers{20, 30}},
		"body above both":                  {alter(30, walktest.AlterBody), numbers{30, 0}},
		"body rehashed":                    {alter(24, walktest.Rehash(walktest.AlterBody)), numbers{20, 26}},
		"only the signature":               {alter(24, walktest.AlterSignature), numbers{30, 0}},
		"only the recorded hash":           {alter(24, walktest.AlterHash("hash")), numbers{30, 0}},
		"another event of the owner":       {owner(24, walktest.AlterBody), numbers{20, 26}},
		"another event that breaks a link": {owner(24, walktest.AlterHash("previous_hash")), numbers{20, 25}},
		"missing":                          {func(w *walktest.World) { w.Remove(walktest.Berlin, 24, 1) }, numbers{20, 25}},
		"another anchor between": {func(w *walktest.World) {
			w.Docs = append(w.Docs, w.CursorOf(walktest.Berlin, 25, wire.Hash{1}, w.Keys["berlin"]))
		}, numbers{20, 25}},
		"another anchor above": {func(w *walktest.World) {
			w.Docs = append(w.Docs, w.CursorOf(walktest.Berlin, 33, wire.Hash{1}, w.Keys["berlin"]))
		}, numbers{30, 0}},
	} {
		w := plain(t)
		tt.damage(w)
		r, _ := berlinOf(t, w)
		if got := (numbers{r.AnchoredSequence, r.UnvouchedSequence}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestForkNamesTheAnchored: a fork says which history the anchors name, and the
// numbers are of that one, be it the shorter.
func TestForkNamesTheAnchored(t *testing.T) {
	fork := func(from, events int) *walktest.World {
		w := plain(t)
		w.Copies[walktest.Berlin] = append(w.Copies[walktest.Berlin], w.Rewrite(walktest.Berlin, from, events, walktest.AlterBody)...)
		return w
	}
	shorter := fork(14, 19) // of which the genuine branch is cut
	shorter.Copies[walktest.Berlin] = slices.Delete(shorter.Copies[walktest.Berlin], 31, 33)
	both := fork(14, 19)
	other := wire.Text(both.Copies[walktest.Berlin][33+10].Object, "hash")
	hash, err := wire.ParseHash(other)
	if err != nil {
		t.Fatal(err)
	}
	both.Docs = append(both.Docs, both.CursorOf(walktest.Berlin, 25, hash, both.Keys["berlin"]))
	for _, tt := range []struct {
		name     string
		w        *walktest.World
		says     string // of the genuine history
		last     uint64
		anchored uint64
	}{
		{"one", fork(14, 19), "anchors name the GENUINE, at event 30 (export-cursor)", 33, 30},
		{"the shorter", shorter, "anchors name the GENUINE, at event 30 (export-cursor)", 31, 30},
		{"both", both, "anchors name both, the ", 33, 20},
		{"none", fork(30, 2), "no anchor names either", 33, 30},
	} {
		r, findings := berlinOf(t, tt.w)
		i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.Code == finding.Fork })
		if i < 0 {
			t.Fatalf("%s: no fork", tt.name)
		}
		genuine, found := "second", findings[i].Found
		if strings.Index(found, wire.Text(plain(t).Copies[walktest.Berlin][findings[i].Sequence-1].Object, "hash")) < strings.Index(found, "and") {
			genuine = "first"
		}
		if says := strings.ReplaceAll(tt.says, "GENUINE", genuine); !strings.Contains(found, "; "+says) {
			t.Errorf("%s: %s, want %q", tt.name, found, says)
		}
		if r.LastSequence != tt.last || r.AnchoredSequence != tt.anchored {
			t.Errorf("%s: last %d, anchored %d", tt.name, r.LastSequence, r.AnchoredSequence)
		}
	}
}
