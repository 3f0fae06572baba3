package walk_test

import (
	"context"
	"errors"
	"flag"
	"iter"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// deed is one damage at a random place, which returns the expected findings.
type deed struct {
	name string
	do   func(w *world, i, n int) []string // events i to i+n-1 of Berlin's journal
}

// deeds damage a journal in which the report of the last event, top, anchors every event.
func deeds(top uint64) []deed {
	at := func(code finding.Code, i, n int) []string {
		return []string{walktest.Word(berlin.LogID, code, uint64(i+1), uint64(i+n))}
	}
	each := func(change func(seal.Object), code finding.Code) func(*world, int, int) []string {
		return func(w *world, i, n int) []string {
			for k := i; k < i+n; k++ {
				w.Alter(berlin, k, change)
			}
			return at(code, i, n)
		}
	}
	return []deed{
		{"delete", func(w *world, i, n int) []string {
			w.Remove(berlin, i, n)
			switch {
			case len(w.Copies[berlin]) == 0:
				return []string{walktest.Word(berlin.LogID, finding.Absent, 1, top)}
			case i == 0:
				return at(finding.HeadMissing, i, n)
			case uint64(i+n) == top:
				return at(finding.TailMissing, i, n)
			}
			return at(finding.Gap, i, n)
		}},
		{"alter the body", each(forge.AlterSalt, finding.HashMismatch)},
		{"alter the previous link", each(forge.AlterHash("previous_hash"), finding.HashMismatch)},
		{"alter the skip link", each(forge.AlterHash("skip_hash"), finding.HashMismatch)},
		{"alter the recorded hash", each(forge.AlterHash("hash"), finding.HashMismatch)},
		{"alter and hash again", each(forge.Rehash(forge.AlterSalt), finding.SignatureInvalid)},
		{"alter the signature", each(forge.AlterSignature, finding.SignatureInvalid)},
		{"forget the key", each(forge.RenameKey("stranger"), finding.KeyUnknown)},
		{"use the other node's key", each(forge.RenameKey("oslo"), finding.KeyOfOtherNode)},
		{"swap", func(w *world, i, n int) []string {
			slices.Reverse(w.Copies[berlin][i : i+n])
			return nil
		}},
		{"deliver again", func(w *world, i, n int) []string {
			w.Copies[berlin] = append(w.Copies[berlin], w.Copies[berlin][i:i+n]...)
			return nil
		}},
		{"put altered copies beside", func(w *world, i, n int) []string {
			for k := i; k < i+n; k++ {
				w.AddAltered(berlin, k, forge.AlterSalt)
			}
			return at(finding.AlteredCopy, i, n)
		}},
		{"fork", func(w *world, i, n int) []string {
			w.Copies[berlin] = append(w.Copies[berlin],
				w.Rewrite(berlin, i, n, forge.AlterSalt)...)
			if i == 0 {
				return at(finding.Fork, i, n)
			}
			return at(finding.Fork, i, n)
		}},
		{"sign the tail again", func(w *world, i, _ int) []string {
			w.Copies[berlin] = slices.Concat(w.Copies[berlin][:i],
				w.Rewrite(berlin, i, int(top)-i, forge.AlterSalt))
			return []string{walktest.Word(berlin.LogID, finding.AnchorMismatch, top, top)}
		}},
		{"truncate", func(w *world, i, _ int) []string {
			if i == 0 {
				return nil
			}
			w.Remove(berlin, i, int(top)-i)
			return []string{walktest.Word(berlin.LogID, finding.TailMissing, uint64(i+1), top)}
		}},
	}
}

// TestWhatWasDoneIsFound, and nothing else is: one damage at a random place of
// a journal.
func TestWhatWasDoneIsFound(t *testing.T) {
	sound := walktest.NewWorld(3)
	sound.Fill(berlin, 60)
	sound.Report(berlin)
	sound.Fill(tenantLog, 5)
	sound.Checkpoint()
	all := deeds(60)
	rapid.Check(t, func(t *rapid.T) {
		d := all[rapid.IntRange(0, len(all)-1).Draw(t, "deed")]
		i := rapid.IntRange(0, 59).Draw(t, "from")
		n := rapid.IntRange(1, 60-i).Draw(t, "events")
		w := *sound
		w.Evidence = sound.Evidence.Clone()
		want := d.do(&w, i, n)
		r, _ := walkWith(&testing.T{}, w.Reader(), w.Root, rapid.IntRange(1, 3).Draw(t, "workers"),
			rapid.IntRange(1, 70).Draw(t, "section"))
		diff := cmp.Diff(want, walktest.Said(r.Findings))
		must.That(t, diff == "", "%s (-done +found):\n%s", d.name, diff)
	})
}

// TestMain does fewer checks of each property with -short: every one of them signs logs
// and walks them in several ways.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		chance.Checks(15)
	}
	os.Exit(m.Run())
}

// faulty is a reader with a fault.
type faulty struct{ walk.Reader }

func (faulty) Events(context.Context, facts.Log, uint64) iter.Seq2[*facts.Event, error] {
	panic("no luck")
}

// forgetful is a cache of signatures with a fault.
type forgetful struct{ walk.Signatures }

func (forgetful) Known(context.Context, walk.Claims) (bool, error) { panic("no luck") }

// A fault of the program while a log is read or examined ends the walk with an error.
func TestFaultEndsWalk(t *testing.T) {
	w := walktest.History(1, 3)
	for name, c := range map[string]struct {
		reader walk.Reader
		cache  walk.Signatures
	}{"read": {faulty{w.Reader()}, nil}, "examined": {w.Reader(), forgetful{}}} {
		_, _, err := walk.RunCut(context.Background(), c.reader, w.Root, walk.Options{Workers: 2, Signatures: c.cache}, 20)
		check.That(t, errors.As(err, new(*tasks.Panic)), "%s: %v", name, err)
	}
}

// counting counts the events that a walk reads.
type counting struct {
	*walktest.Memory
	read atomic.Int64
}

func (c *counting) Events(ctx context.Context, l facts.Log, after uint64) iter.Seq2[*facts.Event, error] {
	return func(yield func(*facts.Event, error) bool) {
		for e, err := range c.Memory.Events(ctx, l, after) {
			if c.read.Add(1); !yield(e, err) {
				return
			}
		}
	}
}

// TestSkipLinkInACrowd: that a skip link of one of many copies is wrong is said
// without reading, and verifying, all of them again.
func TestSkipLinkInACrowd(t *testing.T) {
	work := func(change func(seal.Object)) (int64, []string) {
		w := plain(t)
		w.Alter(berlin, 2, forge.Resign(w.Keys["berlin"], change))
		crowd(w, 2*walk.MostCopies, func(seal.Object) {})
		source := &counting{Memory: w.Reader()}
		r, _ := walkWith(t, source, w.Root, 1, 10)
		return source.read.Load(), walktest.Said(r.Findings)
	}
	skip, said := work(forge.AlterHash("skip_hash"))
	must.That(t, slices.Contains(said, inBerlin+"chain.link-broken 3-3"), "%v", said)
	if other, said := work(forge.AlterSalt); skip > other+10 { // another event beside it may be read once more
		t.Errorf("%d events are read, and %d where the skip link holds: %v", skip, other, said)
	}
}
