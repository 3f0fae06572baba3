package block

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var shares = []Share{{Containers: []Container{{}}, Records: 1 << 40}}

// unjudgedCopies are copies of a chain that no one judged, drawn with their bodies' places.
func unjudgedCopies(t *rapid.T) (all []Copy) {
	row, start := int64(1), int64(0)
	previous := chain.Hash{1}
	for i := range rapid.IntRange(1, 60).Draw(t, "copies") {
		c := Copy{Size: 500, Arrivals: []Arrival{{Place: Place{Record: int64(i), Offset: int64(i) * 900, Length: 900},
			Fidelity: facts.Exact}}}
		c.KeyID, c.Type, c.OccurredAt = "k", "policy.synced", int64(i)
		c.Link = chain.Link{Sequence: uint64(i) + 5, Previous: previous, Skip: chain.Hash{2}}
		if to := chain.Skip(c.Sequence); to >= 5 {
			c.Skip = all[to-5].Recorded
		}
		c.Recorded = chain.Hash{3, byte(i)}
		c.Computed, previous = c.Recorded, c.Recorded
		c.Digest[0], c.Signature[63] = byte(i), byte(i+1)
		c.Body = Body{row, start}
		if start += rapid.Int64Range(17, 400).Draw(t, "octets"); rapid.IntRange(0, 20).Draw(t, "next row") == 0 {
			row, start = row+1, 0
		}
		all = append(all, c)
	}
	return all
}

// encode makes a block of copies, and its kept columns.
func encode(copies []Copy) (content, beside []byte) {
	w := Writer{Keeps: true}
	w.Reset()
	for i := range copies {
		w.Add(&copies[i])
	}
	return w.AppendTo(nil), w.AppendKept(nil)
}

// decode reads the copies of a block.
func decode(content, beside []byte, unjudged bool) (all []Copy, err error) {
	r := Reader{Shares: shares, Last: true, Unjudged: unjudged}
	if err := r.Open(content, 0); err != nil {
		return nil, err
	}
	if err := r.OpenKept(beside, 0); err != nil {
		return nil, err
	}
	for {
		c := Copy{}
		more, err := r.Next(&c)
		if err != nil || !more {
			return all, err
		}
		all = append(all, c)
	}
}

// TestKept: unjudged copies are read as they were written, and only where they may be.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := unjudgedCopies(t)
		content, beside := encode(want)
		got, err := decode(content, beside, true)
		must.That(t, err == nil && len(got) == len(want), "%d copies, %v; want %d", len(got), err, len(want))
		for i := range want {
			a, b := &want[i], &got[i]
			must.That(t, a.Signed == event.Unjudged && CompareCopy(a, b) == 0 && a.Signature == b.Signature && a.Body == b.Body,
				"copy %d: %+v, want %+v", i, b, a)
		}
		must.That(t, check.Err(decode(content, beside, false)) != nil, "unjudged copies were read where all are judged")
		if len(want) > 1 {
			must.That(t, check.Err(decode(content, beside[:len(beside)-1], true)) != nil, "a signature is cut and was read")
		}
	})
}

// TestSeriesOfUnjudged: neighbours that no one judged are a series, which has their
// signatures, and is judged once they were found to hold.
func TestSeriesOfUnjudged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := unjudgedCopies(t)
		content, beside := encode(want)
		r, b := Reader{Shares: shares, Last: true, Unjudged: true}, SeriesBlock{}
		must.Do(t, r.Open(content, 0))
		must.Do(t, r.OpenKept(beside, 0))
		must.That(t, b.Open(&r) && len(b.Series) == 1, "no series")
		s := &b.Series[0]
		for _, held := range []bool{false, true} {
			s.Held = held
			for i := range want {
				var c Copy
				s.Copy(want[i].Sequence, &c)
				must.That(t, c.Judged() == held && c.Signature == want[i].Signature && c.Recorded == want[i].Recorded,
					"copy %d: %+v", i, c)
			}
		}
		again, _ := encode(want)
		must.That(t, bytes.Equal(again, content), "the same copies give other octets")
	})
}

// FuzzKept: a block and its bodies and signatures are read in their one form, or are refused. A
// series has the signatures of its copies.
func FuzzKept(f *testing.F) {
	for seed := range 8 {
		content, beside := encode(rapid.Custom(unjudgedCopies).Example(seed))
		f.Add(content, beside)
	}
	f.Fuzz(func(t *testing.T, content, beside []byte) {
		copies, err := decode(content, beside, true)
		if err != nil {
			return
		}
		again, kept := encode(copies)
		must.That(t, bytes.Equal(again, content) && bytes.Equal(kept, beside),
			"%x and %x are written again as %x and %x", content, beside, again, kept)
		r, b := Reader{Shares: shares, Last: true, Unjudged: true}, SeriesBlock{}
		if must.Do(t, r.Open(content, 0), r.OpenKept(beside, 0)); !b.Open(&r) {
			return
		}
		for i := range b.Series {
			for n := b.Series[i].First; n <= b.Series[i].Last; n++ {
				c := &copies[n-copies[0].Sequence]
				must.That(t, b.Series[i].Judged() || *b.Series[i].Signature(n) == c.Signature,
					"event %d has another signature in its series", n)
			}
		}
	})
}

// TestHighestSequence: copies up to the highest sequence are read, and none above it.
func TestHighestSequence(t *testing.T) {
	for sequence, want := range map[uint64]bool{MaxSequence: true, MaxSequence + 1: false, math.MaxUint64: false} {
		c := Copy{Arrivals: []Arrival{{}}, Digest: [DigestSize]byte{1}}
		c.Recorded, c.Computed, c.KeyID, c.Type = chain.Hash{3}, chain.Hash{3}, "k", "policy.synced"
		c.Link = chain.Link{Sequence: sequence, Previous: chain.Hash{1}, Skip: chain.Hash{2}}
		content, beside := encode([]Copy{c})
		_, err := decode(content, beside, true)
		must.That(t, (err == nil) == want, "sequence %d: %v", sequence, err)
	}
}

// TestFollow: a range's description of its container continues where the one before ended.
func TestFollow(t *testing.T) {
	for _, c := range []struct{ list, next, want string }{
		{"journal", "journal", "journal"},
		{"journal", "journal, general", "journal, general"},
		{"journal, general", "general, journal", "journal, general, journal"},
		{"journal, general", "journal", "journal, general, journal"},
		{"", "journal", "journal"},
		{"journal", "", "journal"},
		{"near-journal", "journal", "near-journal, journal"},
	} {
		one := Container{Format: c.list, Why: c.list, Unbatched: 2}
		one.Follow(Container{Format: c.next, Why: c.next, Unbatched: 3})
		want := (Container{Format: c.want, Why: c.want, Unbatched: 5})
		check.That(t, one == want, "%q and %q: %+v", c.list, c.next, one)
	}
}

// TestSkips: for sequences in any order, skips agrees with chain.
func TestSkips(t *testing.T) {
	var s skips
	for n := range uint64(1_000_000) {
		got, want := s.of(n), chain.Skip(n)
		must.That(t, got == want, "%d: %d, want %d", n, got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		var s skips
		n := rapid.Uint64Range(0, 1<<60).Draw(t, "from")
		for range 200 {
			got, want := s.of(n), chain.Skip(n)
			must.That(t, got == want, "%d: %d, want %d", n, got, want)
			n += rapid.SampledFrom([]uint64{1, 1, 1, 2, 9841, 1 << 63}).Draw(t, "step")
		}
	})
}
