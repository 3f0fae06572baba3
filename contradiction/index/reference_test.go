package index

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/must"
)

// rules are the kinds in which two bundles can clash, written down once more and
// straight from the facts.
var rules = []func(a, b *contradiction.Facts) bool{
	func(a, b *contradiction.Facts) bool { // issued twice
		return a.Tenant == b.Tenant && a.Transaction == b.Transaction &&
			(a.Manifest != b.Manifest || a.IssuanceHash() != b.IssuanceHash())
	},
	func(a, b *contradiction.Facts) bool { // one serial for two certificates
		return a.Issuer == b.Issuer && a.Serial == b.Serial && a.Certificate != b.Certificate
	},
	func(a, b *contradiction.Facts) bool { // a revocation is withheld
		for _, p := range [][2]*contradiction.Facts{{a, b}, {b, a}} {
			if issued, revoked := p[0], p[1]; issued.Revocation == 0 && revoked.Revocation != 0 &&
				issued.Way[0].Sequence >= revoked.Revocation {
				return a.Tenant == b.Tenant && a.Transaction == b.Transaction
			}
		}
		return false
	},
	func(a, b *contradiction.Facts) bool { // two heads
		return a.Tenant == b.Tenant && a.Way[0].Sequence == b.Way[0].Sequence && a.Way[0].Hash != b.Way[0].Hash
	},
	func(a, b *contradiction.Facts) bool { // two hashes
		for _, e := range a.Way {
			for _, f := range b.Way {
				if a.Tenant == b.Tenant && e.Sequence == f.Sequence && e.Hash != f.Hash {
					return true
				}
			}
		}
		return false
	},
}

// reference returns the result that the index must find, by comparing all pairs.
func reference(entries []uint32, set []contradiction.Facts) []Contradiction {
	first := make([][]int, len(set)) // of a bundle, for each rule; -1 if there is none
	for n := range set {
		for _, clash := range rules {
			first[n] = append(first[n], slices.IndexFunc(set, func(o contradiction.Facts) bool { return clash(&set[n], &o) }))
		}
	}
	var all []Contradiction
	for n := range set {
		others := slices.Clone(first[n])
		slices.Sort(others)
		for _, o := range slices.Compact(others) {
			if o < 0 {
				continue
			}
			f, _ := contradiction.Compare(&set[min(n, o)], &set[max(n, o)])
			all = append(all, Contradiction{entries[n], entries[o], o < n && slices.Contains(first[o], n), f})
		}
	}
	return all
}

// referenceCounts counts what [Counts] counts, with a map.
func referenceCounts(set []contradiction.Facts) Counts {
	c := Counts{Bundles: int64(len(set))}
	reached := map[string]int64{}
	for _, f := range set {
		for _, e := range f.Way {
			reached[fmt.Sprint(f.Tenant, " ", e.Sequence)]++
		}
	}
	for _, k := range reached {
		c.Sequences++
		c.Pairs += k * (k - 1) / 2
		if k > 1 {
			c.Shared++
		}
	}
	return c
}

// hashOf is a hash for some text.
func hashOf(parts ...any) chain.Hash { return sha256.Sum256(fmt.Append(nil, parts...)) }

// drawFacts draws the facts of a bundle, from so few values that bundles often state something
// about one thing. One in rare of their claims differs from the usual one.
func drawFacts(t *rapid.T, number, rare int) contradiction.Facts {
	odd := func(label string) int { return max(0, rapid.IntRange(0, rare).Draw(t, label)-rare+1) }
	f := contradiction.Facts{
		SHA256:      hashOf("document", number),
		Tenant:      rapid.SampledFrom([]string{"a", "ab", "acme"}).Draw(t, "tenant"),
		Transaction: rapid.SampledFrom([]string{"tx-1", "tx-2", "tx-3", "b"}).Draw(t, "transaction"),
		Issuer:      hashOf("issuer", rapid.IntRange(0, 1).Draw(t, "issuer")),
		Serial:      rapid.SampledFrom([]string{"1", "12", "7f"}).Draw(t, "serial"),
	}
	f.Manifest = hashOf("manifest", f.Transaction, odd("manifest"))
	f.Certificate = hashOf("certificate", f.Issuer, f.Serial, odd("certificate"))
	head := rapid.Uint64Range(2, 30).Draw(t, "head")
	f.Issuance = rapid.Uint64Range(1, head-1).Draw(t, "issuance")
	if rapid.IntRange(0, 3).Draw(t, "revoked") == 0 {
		f.Revocation = rapid.Uint64Range(f.Issuance+1, head).Draw(t, "revocation")
	}
	for s := head; s > 0; s-- {
		if s == head || s == f.Issuance || s == f.Revocation || rapid.IntRange(0, 4).Draw(t, "reached") == 0 {
			f.Way = append(f.Way, contradiction.Event{Sequence: s, Hash: hashOf(f.Tenant, s, odd("hash")), Link: s%2 == 0})
		}
	}
	return f
}

// tiny returns an index that spills and merges all the time.
func tiny(t *rapid.T, dir string) *Index {
	return New(Options{Dir: dir, Memory: 2 * recordSize * rapid.IntRange(1, 300).Draw(t, "records in memory")})
}

// found returns all that an index finds.
func found(t testing.TB, x *Index) (all []Contradiction) {
	t.Helper()
	for c, err := range x.Contradictions(t.Context()) {
		must.Do(t, err)
		all = append(all, c)
	}
	return all
}

// TestFindsWhatComparingAllPairsFinds compares the index with the reference, on random sets of
// bundles that often contradict each other, seldom, or not at all.
func TestFindsWhatComparingAllPairsFinds(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		x := tiny(r, dir)
		defer x.Close()
		collide := rapid.IntRange(0, 3).Draw(r, "collide") == 0
		if collide {
			x.mask = 3 << 62 // many keys have one hash
		}
		rare := rapid.IntRange(1, 200).Draw(r, "rare")
		var entries []uint32
		var set []contradiction.Facts
		next := uint32(0)
		for n := range rapid.IntRange(0, 40).Draw(r, "bundles") {
			next += rapid.Uint32Range(1, 3).Draw(r, "gap")
			f := drawFacts(r, n, rare)
			if n > 0 && rapid.IntRange(0, 5).Draw(r, "doubled") == 0 {
				f = set[rapid.IntRange(0, n-1).Draw(r, "original")]
			}
			entries, set = append(entries, next), append(set, f)
			must.Do(r, x.Add(next, &f))
		}
		counts := must.Get(x.Settle(t.Context()))(r)
		if want := referenceCounts(set); counts != want && !collide {
			r.Fatalf("counts %+v, want %+v", counts, want)
		}
		want := reference(entries, set)
		for range 2 { // it can be asked again
			diff := cmp.Diff(want, found(t, x))
			must.That(r, diff == "", "found other contradictions (-want +got):\n%s", diff)
		}
	})
}
