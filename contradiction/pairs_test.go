package contradiction

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// allPairs are all pairs.
var allPairs = sync.OnceValue(pairs.All)

// factsOf returns the facts of both bundles of a pair.
func factsOf(t testing.TB, p pairs.Pair) (a, b *Facts) {
	t.Helper()
	root := rootOf(t, p)
	var both []Facts
	for i, doc := range [][]byte{p.A, p.B} {
		in := bundle.Open(doc)
		report := verify.Verify(in, root, verify.Policy{})
		f, ok := Of(in, report)
		must.That(t, ok, "%s: bundle %d does not verify: %+v", p.Name, i, report.Failure())
		both = append(both, f)
	}
	return &both[0], &both[1]
}

func rootOf(t rapid.TB, p pairs.Pair) *trust.Root {
	t.Helper()
	return must.Get(trust.Parse(seal.Canonical(p.Trust)))(t)
}

// TestPlanted: each pair, either way round, shows the planted contradiction, and its sentences
// are as in a golden file.
func TestPlanted(t *testing.T) {
	var said strings.Builder
	for _, p := range allPairs() {
		a, b := factsOf(t, p)
		if f, found := Compare(a, b); found {
			fmt.Fprintf(&said, "%s\n\t%s\n", p.Name, strings.Join(f.Sentences, "\n\t"))
		}
		for _, pair := range [][2]*Facts{{a, b}, {b, a}} {
			f, found := Compare(pair[0], pair[1])
			check.That(t, string(f.Code) == p.Code && string(f.Shows) == p.Shows && found == (p.Code != ""),
				"%s: found %q, which shows %q, expected %q and %q: %q", p.Name, f.Code, f.Shows, p.Code, p.Shows, f.Sentences)
			check.That(t, clash(pair[0], pair[1]) == found, "%s: the claims clash: %t", p.Name, !found)
		}
	}
	golden := filepath.Join("testdata", "sentences.golden")
	if *update {
		must.Do(t, os.WriteFile(golden, []byte(said.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	check.That(t, err == nil && said.String() == string(want), "%s is out of date: %v\n%s", golden, err, said.String())
}

var update = flag.Bool("update", false, "write the golden file")

// TestManyWitnesses: a sentence has a bound, whatever the number of witnesses.
func TestManyWitnesses(t *testing.T) {
	a, b := factsOf(t, allPairs()[0])
	for i := range 1024 {
		w := Witness{fmt.Sprintf("n%04d", i), fmt.Sprintf("n%04d/2", i)}
		a.Keys.Witnesses, b.Keys.Witnesses = append(a.Keys.Witnesses, w), append(b.Keys.Witnesses, w)
	}
	f, _ := Compare(a, b)
	if last := f.Sentences[len(f.Sentences)-1]; len(f.WitnessedBoth) != 1026 || !strings.Contains(last, "and 1018 more,") {
		t.Errorf("%d witnesses: %s", len(f.WitnessedBoth), last)
	}
}

// clash reports whether any claims of two bundles clash.
func clash(a, b *Facts) bool {
	known := map[string][]byte{}
	for c := range a.Claims() {
		known[string(byte(c.Kind))+string(c.Key)] = append([]byte{}, c.Value...)
	}
	for c := range b.Claims() {
		if value, ok := known[string(byte(c.Kind))+string(c.Key)]; ok && c.Kind.Clash(value, c.Value) {
			return true
		}
	}
	return false
}
