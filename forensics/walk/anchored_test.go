package walk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// berlinOf returns the result of a walk for Berlin.
func berlinOf(t *testing.T, w *world) (walk.LogResult, []finding.Finding) {
	t.Helper()
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
	i := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == berlin.LogID })
	return r.Logs[i], r.Findings
}

// TestForgedExtendsNothing: an event that anyone could have written changes none of
// the numbers of its log, and is named as a stray.
func TestForgedExtendsNothing(t *testing.T) {
	want, _ := berlinOf(t, plain(t))
	compare := func(name string, w *world, strays ...walk.Range) {
		got, _ := berlinOf(t, w)
		check.That(t, slices.Equal(got.Strays, strays), "%s: strays %v, want %v", name, got.Strays, strays)
		if got.Verdict, got.Strays = want.Verdict, nil; !cmp.Equal(want, got) {
			t.Errorf("%s (-without +with):\n%s", name, cmp.Diff(want, got))
		}
	}
	for name, forge := range map[string]struct {
		change func(w *world) func(seal.Object)
		stray  uint64
	}{
		"altered":    {func(*world) func(seal.Object) { return forge.Resequence(far) }, 33 + far},
		"rehashed":   {func(*world) func(seal.Object) { return forge.Rehash(forge.Resequence(far)) }, 33 + far},
		"next":       {func(*world) func(seal.Object) { return forge.Rehash(forge.Resequence(1)) }, 34},
		"stranger's": {func(w *world) func(seal.Object) { return forge.Resign(w.Keys["stranger"], forge.Resequence(2)) }, 35},
	} {
		w := plain(t)
		w.AddAltered(berlin, 32, forge.change(w))
		compare(name, w, walk.Range{First: forge.stray, Last: forge.stray})
	}
	w := plain(t)
	w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 1, w.Keys["berlin"])...)
	w.Alter(berlin, 33, forge.AlterSignature)
	compare("linked, and not signed", w, walk.Range{First: 34, Last: 34})
}

// TestForkNamesTheAnchored: a fork records which history is named by anchors that the node
// cannot make alone, and the numbers are of that one, be it the shorter.
func TestForkNamesTheAnchored(t *testing.T) {
	fork := func(from, events int) *world {
		w := plain(t)
		w.Copies[berlin] = append(w.Copies[berlin],
			w.Rewrite(berlin, from, events, forge.AlterSalt)...)
		return w
	}
	shorter := fork(14, 19) // with the genuine branch cut
	shorter.Copies[berlin] = slices.Delete(shorter.Copies[berlin], 31, 33)
	cursor := fork(14, 19)
	thief := cursor.Copies[berlin][33+18] // event 33 of the other history
	hash := must.Get(seal.ParseHash(seal.Text(thief.Object, "hash")))(t)
	cursor.Docs = append(cursor.Docs, cursor.CursorOf(berlin, 33, hash, cursor.Keys["berlin"]))
	told := fork(30, 2) // above every report, so that only a cursor decides
	next := told.Copies[berlin][33+1]
	hash = must.Get(seal.ParseHash(seal.Text(next.Object, "hash")))(t)
	told.Docs = append(told.Docs, told.CursorOf(berlin, 32, hash, told.Keys["berlin"]))
	reported := fork(14, 19)
	reported.Append(tenantLog, "node.reported", walktest.ReportOf(thief.Object, "berlin"))
	for name, tt := range map[string]struct {
		w        *world
		named    walk.Naming
		from     [2]uint64
		says     string
		last     uint64
		anchored uint64
	}{
		"one": {fork(14, 19), walk.NamesFirst, [2]uint64{20, 0},
			"anchors name A from event 20 on (node-report) and never B", 33, 30},
		"the shorter": {shorter, walk.NamesFirst, [2]uint64{20, 0},
			"anchors name A from event 20 on (node-report) and never B", 31, 30},
		"the thief's cursor as well": {cursor, walk.NamesFirst, [2]uint64{20, 0}, "and never B", 33, 30},
		"both": {reported, walk.NamesBoth, [2]uint64{33, 20},
			"anchors name both: A from event 33 on (node-report), B from event 20 on", 33, 0},
		"a cursor alone": {told, walk.NamesNeither, [2]uint64{}, "no anchor names either", 32, 32},
		"none":           {fork(30, 2), walk.NamesNeither, [2]uint64{}, "no anchor names either", 33, 30},
	} {
		r, findings := berlinOf(t, tt.w)
		must.That(t, len(r.Forks) == 1, "%s: %+v", name, r.Forks)
		f := r.Forks[0]
		genuine := seal.Text(plain(t).Copies[berlin][f.Sequence-1].Object, "hash")
		from := [2]uint64{f.Branches[0].NamedFrom, f.Branches[1].NamedFrom}
		slices.SortFunc(from[:], func(a, b uint64) int { return int(b) - int(a) })
		check.That(t, f.Named == tt.named && from == tt.from &&
			(f.Named != walk.NamesFirst || f.Branches[0].FirstHash == genuine), "%s: %+v", name, f)
		i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.Code == finding.Fork })
		says := tt.says
		if f.Branches[0].FirstHash == genuine && f.Named == walk.NamesBoth {
			says = "anchors name both: A from event 20 on (node-report), B from event 33 on"
		}
		check.That(t, i >= 0 && strings.Contains(findings[i].Found, says) &&
			strings.HasPrefix(findings[i].Explanations[0], "A second holder of the key berlin, a restored or second copy"),
			"%s: %+v, want %q", name, findings, says)
		check.That(t, r.LastSequence == tt.last && r.AnchoredSequence == tt.anchored,
			"%s: last %d, anchored %d", name, r.LastSequence, r.AnchoredSequence)
	}
}

// TestManyFarEvents: only a few events count as unconnected. More are a log that lost the
// events below them.
func TestManyFarEvents(t *testing.T) {
	for n, gap := range map[int]bool{16: false, 17: true} {
		w := plain(t)
		for i := range n {
			w.AddAltered(berlin, i, forge.Resign(w.Keys["berlin"], forge.Resequence(far)))
		}
		l, found := berlinOf(t, w)
		unconnected := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == finding.Unconnected })
		got := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == finding.Gap })
		check.That(t, got == gap && (l.Missing > 0) == gap, "%d far events: gap %t, %d missing", n, got, l.Missing)
		check.That(t, unconnected != gap, "%d far events: unconnected %t", n, unconnected)
	}
}
