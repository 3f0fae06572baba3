package walk

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// deed is one damage at a random place, which says itself what must be found.
type deed struct {
	name string
	do   func(w *world, i, n int) []string // events i to i+n-1 of Berlin's journal
}

// deeds damage a journal of which every event is anchored by the report of the
// last one, top.
func deeds(top uint64) []deed {
	at := func(code finding.Code, i, n int) []string {
		return []string{word(berlin.LogID, code, uint64(i+1), uint64(i+n))}
	}
	each := func(change func(wire.Object), code finding.Code) func(*world, int, int) []string {
		return func(w *world, i, n int) []string {
			for k := i; k < i+n; k++ {
				w.alter(berlin, k, change)
			}
			return at(code, i, n)
		}
	}
	return []deed{
		{"delete", func(w *world, i, n int) []string {
			w.remove(berlin, i, n)
			switch {
			case len(w.copies[berlin]) == 0:
				return []string{word(berlin.LogID, finding.Absent, 1, top)}
			case i == 0:
				return at(finding.HeadMissing, i, n)
			case uint64(i+n) == top:
				return at(finding.TailTruncated, i, n)
			}
			return at(finding.Gap, i, n)
		}},
		{"alter the body", each(alterBody, finding.HashMismatch)},
		{"alter the previous link", each(alterHash("previous_hash"), finding.HashMismatch)},
		{"alter the skip link", each(alterHash("skip_hash"), finding.HashMismatch)},
		{"alter the recorded hash", each(alterHash("hash"), finding.HashMismatch)},
		{"alter and hash again", each(rehash(alterBody), finding.SignatureInvalid)},
		{"alter the signature", each(alterSignature, finding.SignatureInvalid)},
		{"forget the key", each(renameKey("stranger"), finding.KeyUnknown)},
		{"use the other node's key", each(renameKey("oslo"), finding.KeyOfOtherNode)},
		{"swap", func(w *world, i, n int) []string { slices.Reverse(w.copies[berlin][i : i+n]); return nil }},
		{"deliver again", func(w *world, i, n int) []string {
			w.copies[berlin] = append(w.copies[berlin], w.copies[berlin][i:i+n]...)
			return nil
		}},
		{"put altered copies beside", func(w *world, i, n int) []string {
			for k := i; k < i+n; k++ {
				w.addAltered(berlin, k, alterBody)
			}
			return at(finding.AlteredCopy, i, n)
		}},
		{"fork", func(w *world, i, n int) []string {
			w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, i, n, alterBody)...)
			if i == 0 {
				return at(finding.Restart, i, n)
			}
			return at(finding.Fork, i, n)
		}},
		{"sign the tail again", func(w *world, i, _ int) []string {
			w.copies[berlin] = slices.Concat(w.copies[berlin][:i], w.rewrite(berlin, i, int(top)-i, alterBody))
			return []string{word(berlin.LogID, finding.AnchorMismatch, top, top)}
		}},
		{"truncate", func(w *world, i, _ int) []string {
			if i == 0 {
				return nil
			}
			w.remove(berlin, i, int(top)-i)
			return []string{word(berlin.LogID, finding.TailTruncated, uint64(i+1), top)}
		}},
	}
}

// TestWhatWasDoneIsFound, and nothing else is: one damage at a random place of
// a journal.
func TestWhatWasDoneIsFound(t *testing.T) {
	sound := newWorld(t, 3)
	sound.fill(berlin, 60)
	sound.report(berlin)
	sound.fill(tenantLog, 5)
	sound.checkpoint()
	all := deeds(60)
	rapid.Check(t, func(t *rapid.T) {
		d := all[rapid.IntRange(0, len(all)-1).Draw(t, "deed")]
		i := rapid.IntRange(0, 59).Draw(t, "from")
		n := rapid.IntRange(1, 60-i).Draw(t, "events")
		w := *sound
		w.evidence = sound.evidence.clone()
		want := d.do(&w, i, n)
		r, _ := walkWith(&testing.T{}, w.source(), w.root, rapid.IntRange(1, 3).Draw(t, "workers"), rapid.IntRange(1, 70).Draw(t, "stretch"))
		if diff := cmp.Diff(want, said(r.Findings)); diff != "" {
			t.Fatalf("%s (-done +found):\n%s", d.name, diff)
		}
	})
}
