package walk_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// crowd adds altered copies of event 3 of Berlin, and returns the place of the genuine one
// among them.
func crowd(w *world, copies int, change func(seal.Object)) int {
	genuine := w.Copies[berlin][2]
	for i := range copies {
		w.AddAltered(berlin, 2, func(o seal.Object) {
			seal.Member(o, "body")["data"] = seal.Object{"n": int64(i)}
			change(o)
		})
	}
	return place(w, genuine)
}

// deepCrowd returns a prepared history in which more copies than are compared precede the genuine event 3 of Berlin.
func deepCrowd(t *testing.T, prepare func(*world) func(seal.Object)) *world {
	t.Helper()
	for copies := 3 * walk.MostCopies; ; copies++ {
		if w := plain(t); crowd(w, copies, prepare(w)) >= walk.MostCopies {
			return w
		}
	}
}

// place returns the place of an unaltered copy of event 3 of Berlin among the others.
func place(w *world, c walktest.Copy) int {
	rows := slices.DeleteFunc(w.Reader().Rows[berlin], func(r walktest.Row) bool { return r.Sequence != 3 })
	return slices.IndexFunc(rows, func(r walktest.Row) bool {
		return r.Recorded.String() == seal.Text(c.Object, "hash") && r.Link.Hash() == r.Recorded
	})
}

// TestGenuineInACrowd: an event is found among any number of altered copies, at any place.
func TestGenuineInACrowd(t *testing.T) {
	for name, change := range map[string]func(seal.Object){
		"altered":              func(seal.Object) {},
		"altered and rehashed": forge.Rehash(func(seal.Object) {}),
	} {
		if testing.Short() && name == "altered" {
			continue
		}
		w := deepCrowd(t, func(*world) func(seal.Object) { return change })
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
		wantResult(t, r, name, inBerlin+"event.altered-copy 3-3", inBerlin+"walk.limit-reached 3-3")
		check.Equal(t, r.Verdict, verify.Rejected, "%s: verdict", name)
		for _, f := range r.Findings {
			check.That(t, len(f.Evidence) <= walk.MostEvidence,
				"%s: %s lists %d places", name, f.Code, len(f.Evidence))
		}
		first := r.Logs[0]
		check.That(t, first.LogID == berlin.LogID && first.SignatureValid == 33 &&
			first.LinkValid == 33 && first.AnchoredSequence == 30, "%s: %+v", name, first)
	}
}

// TestAlteredInALossyCrowd: no number of lossy copies hides one that was altered as well; and
// without that one they are harmless.
func TestAlteredInALossyCrowd(t *testing.T) {
	for name, alter := range map[string]func(seal.Object){
		inBerlin + "event.altered-copy 3-3": forge.AlterSalt,
		inBerlin + "event.lossy-copy 3-3":   func(seal.Object) {},
	} {
		if testing.Short() && strings.Contains(name, "lossy") {
			continue
		}
		w := lossyCrowd(t, 3*walk.MostCopies)
		for i := 33; ; i++ {
			one := w.Evidence.Clone()
			if one.Alter(berlin, i, alter); placeByBody(one, one.Copies[berlin][i]) >= walk.MostCopies {
				w.Evidence = one
				break
			}
		}
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
		wantResult(t, r, name, name, inBerlin+"event.lossy-copy 3-3", inBerlin+"walk.limit-reached 3-3")
	}
}

// lossyCrowd is a world with so many copies of event 3 of Berlin behind the 33
// genuine ones. Of each a transport replaced another character.
func lossyCrowd(t *testing.T, copies int) *world {
	w := plain(t)
	text := strings.Repeat("x", copies)
	say := func(text string) func(seal.Object) {
		return func(o seal.Object) { seal.Member(seal.Member(o, "body"), "data")["text"] = text }
	}
	w.Copies = map[facts.Log][]walktest.Copy{berlin: w.Rewrite(berlin, 0, 33, say(text))}
	w.Docs = nil
	for i := range copies {
		w.AddAltered(berlin, 2, say(text[:i]+"\ufffd"+text[i+1:]))
		w.Copies[berlin][33+i].Lossy = true
	}
	return w
}

// placeByBody returns the place of a copy of event 3 of Berlin among the others.
func placeByBody(e walktest.Evidence, c walktest.Copy) int {
	rows := slices.DeleteFunc(e.Reader().Rows[berlin], func(r walktest.Row) bool { return r.Sequence != 3 })
	return slices.IndexFunc(rows,
		func(r walktest.Row) bool { return r.Link.Body.String() == seal.Digest(seal.Member(c.Object, "body")) })
}

// TestNamedInACrowd: among events whose key is not pinned, the one that the next event names
// counts for its sequence.
func TestNamedInACrowd(t *testing.T) {
	w := deepCrowd(t, func(w *world) func(seal.Object) {
		stranger := forge.Resign(w.Keys["stranger"], func(seal.Object) {})
		w.Alter(berlin, 2, stranger)
		return stranger
	})
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
	wantResult(t, r, "named", inBerlin+"event.key-unknown 3-3", inBerlin+"walk.limit-reached 3-3")
	check.Equal(t, r.Verdict, verify.Inconclusive, "verdict")
}

// TestAnchoredInACrowd: and of the last event, the one that an anchor names.
func TestAnchoredInACrowd(t *testing.T) {
	w := deepCrowd(t, func(w *world) func(seal.Object) {
		stranger := forge.Resign(w.Keys["stranger"], func(seal.Object) {})
		w.Remove(berlin, 3, 30)
		w.Copies[tenantLog] = w.Copies[tenantLog][:10]
		w.Alter(berlin, 2, stranger)
		w.Docs = append(w.Docs[:1], w.CursorOf(berlin, 3, w.Spines[berlin].Hash(3), w.Keys["berlin"]))
		return stranger
	})
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
	wantResult(t, r, "anchored", inBerlin+"event.key-unknown 3-3", inBerlin+"walk.limit-reached 3-3")
	check.Equal(t, r.Logs[0].AnchoredSequence, 3, "the anchored sequence")
}

// TestWrongInACrowd: a copy with another fault than the first ones is reported, as is a second
// history; and as many copies as the bound are no crowd.
func TestWrongInACrowd(t *testing.T) {
	var n int64
	change := func(o seal.Object) { seal.Member(o, "body")["data"] = seal.Object{"other": n} }
	for name, other := range map[string]func(w *world) walktest.Copy{
		"event.key-of-other-node": func(w *world) walktest.Copy { return added(w, forge.Resign(w.Keys["oslo"], change)) },
		"event.key-unknown": func(w *world) walktest.Copy {
			return added(w, forge.Resign(w.Keys["stranger"], change))
		},
		"chain.fork": func(w *world) walktest.Copy { return w.Rewrite(berlin, 2, 1, change)[0] },
	} {
		if testing.Short() && name != "chain.fork" {
			continue // the others are played without -short
		}
		w := plain(t)
		genuine := w.Copies[berlin][2]
		crowd(w, 6*walk.MostCopies, func(seal.Object) {})
		must.That(t, place(w, genuine) >= walk.MostCopies, "the genuine event stands among the first")
		for in := true; in; n++ {
			one := *w
			one.Evidence = w.Evidence.Clone()
			made := other(&one)
			both := one
			both.Evidence = walktest.Evidence{Copies: map[facts.Log][]walktest.Copy{berlin: {genuine, made}}}
			if place(&both, made) > place(&both, genuine) {
				one.Copies[berlin] = append(w.Copies[berlin], made)
				in, w = false, &one
			}
		}
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
		wantResult(t, r, name, inBerlin+"event.altered-copy 3-3", inBerlin+name+" 3-3", inBerlin+"walk.limit-reached 3-3")
	}
	w := plain(t)
	crowd(w, walk.MostCopies-1, func(seal.Object) {})
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
	wantResult(t, r, "no crowd", inBerlin+"event.altered-copy 3-3")
}

// added is an altered copy of event 3 of Berlin.
func added(w *world, change func(seal.Object)) walktest.Copy {
	w.AddAltered(berlin, 2, change)
	return w.Copies[berlin][len(w.Copies[berlin])-1]
}

// TestGoesOnFromACrowd: a walk that continues recognises the event at which the one before it
// ended.
func TestGoesOnFromACrowd(t *testing.T) {
	w := plain(t)
	rows := w.Copies[berlin]
	w.Copies[berlin], w.Docs = rows[:3], nil
	w.Copies[tenantLog] = w.Copies[tenantLog][:5]
	_, state := walkWith(t, w.Reader(), w.Root, 1, 10)
	for copies, at := 3*walk.MostCopies, 0; at < walk.MostCopies; copies++ {
		w.Copies[berlin] = slices.Clone(rows)
		at = crowd(w, copies, forge.Rehash(func(seal.Object) {}))
	}
	_, _, err := walk.Run(context.Background(), w.Reader(), w.Root, walk.Options{Since: state})
	check.That(t, err == nil, "%v", err)
}

// TestGapIsNamedOnce: though both branches of a fork begin after it.
func TestGapIsNamedOnce(t *testing.T) {
	w := plain(t)
	w.Copies[berlin] = append(w.Copies[berlin], w.Rewrite(berlin, 30, 2, forge.AlterSalt)...)
	w.Remove(berlin, 28, 2)
	r, _ := walkWith(t, w.Reader(), w.Root, 1, 10)
	check.Equal(t, countOf(r, finding.Gap), 1, "gaps")
}

func TestManyHistories(t *testing.T) {
	w := plain(t)
	for i := range 2 * walk.MostBranches {
		w.Copies[berlin] = append(w.Copies[berlin], w.Rewrite(berlin, 30, 2, func(o seal.Object) {
			seal.Member(o, "body")["data"] = seal.Object{"n": int64(i)}
		})...)
	}
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 10)
	check.Equal(t, countOf(r, finding.Fork), walk.MostBranches-1, "forks")
	check.That(t, slices.Contains(walktest.Said(r.Findings), inBerlin+"walk.limit-reached 31-31"), "%v", r.Findings)
}

// countOf returns how many findings have a code.
func countOf(r *walk.Result, code finding.Code) (n int) {
	for _, f := range r.Findings {
		if f.Code == code {
			n++
		}
	}
	return n
}

func TestSourceFails(t *testing.T) {
	w := plain(t)
	src := w.Reader()
	src.Err = errors.New("disk on fire")
	_, _, err := walk.Run(context.Background(), src, w.Root, walk.Options{Workers: 3})
	check.Fails(t, err, "disk on fire", "a source that fails")
	src = w.Reader()
	slices.Reverse(src.Rows[berlin])
	_, _, err = walk.Run(context.Background(), src, w.Root, walk.Options{})
	check.Fails(t, err, "out of order", "a source out of order")
}

// TestManyDoubts: a log in which half of the events cannot be believed.
func TestManyDoubts(t *testing.T) {
	w := walktest.NewWorld(5)
	w.Fill(berlin, 400)
	w.Report(berlin)
	for i := 1; i < 400; i += 2 {
		w.Alter(berlin, i, forge.Rehash(forge.AlterSalt))
	}
	w.Alter(berlin, 398, forge.Resign(w.Keys["berlin"], forge.AlterHash("skip_hash")))
	r, _ := walkWith(t, w.Reader(), w.Root, 2, 50)
	d := cmp.Diff(walktest.WalkNaively(w).Words(), walktest.WordsOf(r))
	check.That(t, d == "", "(-naive +walk):\n%s", d)
}

// TestForkOfAFork: a second history has itself two continuations, and the second one goes
// further. Which one counts as the fork depends on the digests.
func TestForkOfAFork(t *testing.T) {
	say := func(name string, n int64) func(seal.Object) {
		return func(o seal.Object) { seal.Member(o, "body")["data"] = seal.Object{name: n} }
	}
	sound, rounds := plain(t), int64(chance.Sized(30, 4))
	for n := range rounds {
		w, other := *sound, *sound
		w.Evidence = sound.Clone()
		other.Evidence = w.Evidence.Clone()
		other.Copies[berlin] = slices.Concat(w.Copies[berlin][:14],
			w.Rewrite(berlin, 14, 19, say("second", n)))
		third := other.Rewrite(berlin, 17, 9, say("third", n))
		w.Copies[berlin] = slices.Concat(w.Copies[berlin], other.Copies[berlin][14:23], third)
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 7)
		d := cmp.Diff(walktest.WalkNaively(&w).Words(), walktest.WordsOf(r))
		check.That(t, d == "", "(-naive +walk):\n%s", d)
	}
}
