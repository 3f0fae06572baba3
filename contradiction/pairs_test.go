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

var allPairs = sync.OnceValues(pairs.All)

// planted returns all pairs, with their facts.
func planted(t testing.TB) (all []pairs.Pair, facts [][2]Facts) {
	t.Helper()
	all = must.Get(allPairs())(t)
	for _, p := range all {
		root := rootOf(t, p)
		var both [2]Facts
		for i, doc := range [][]byte{p.A, p.B} {
			in := bundle.Open(doc)
			report := verify.Verify(in, root, verify.Policy{})
			f, ok := Of(in, report)
			if !ok {
				t.Fatalf("%s: bundle %d does not verify: %+v", p.Name, i, report.Failure())
			}
			both[i] = f
		}
		facts = append(facts, both)
	}
	return all, facts
}

func rootOf(t rapid.TB, p pairs.Pair) *trust.Root {
	t.Helper()
	return must.Get(trust.Parse(seal.Canonical(p.Trust)))(t)
}

func TestPlanted(t *testing.T) {
	all, facts := planted(t)
	for i, p := range all {
		for _, pair := range [][2]*Facts{{&facts[i][0], &facts[i][1]}, {&facts[i][1], &facts[i][0]}} {
			f, found := Compare(pair[0], pair[1])
			if string(f.Code) != p.Code || string(f.Shows) != p.Shows || found != (p.Code != "") {
				t.Errorf("%s: found %q, which shows %q, expected %q and %q: %q", p.Name, f.Code, f.Shows, p.Code, p.Shows,
					f.Sentences)
			}
			check.That(t, clash(pair[0], pair[1]) == found, "%s: the claims clash: %t", p.Name, !found)
		}
	}
}

var update = flag.Bool("update", false, "write the golden file")

// TestSentences holds what is said of each pair to a golden file.
func TestSentences(t *testing.T) {
	all, facts := planted(t)
	var b strings.Builder
	for i, p := range all {
		if f, found := Compare(&facts[i][0], &facts[i][1]); found {
			fmt.Fprintf(&b, "%s\n\t%s\n", p.Name, strings.Join(f.Sentences, "\n\t"))
		}
	}
	golden := filepath.Join("testdata", "sentences.golden")
	if *update {
		must.Do(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	if err != nil || b.String() != string(want) {
		t.Errorf("%s is out of date: %v\n%s", golden, err, b.String())
	}
}

// TestManyWitnesses: a sentence has a bound, whatever the number of witnesses.
func TestManyWitnesses(t *testing.T) {
	_, facts := planted(t)
	a, b := facts[0][0], facts[0][1]
	for i := range 1024 {
		w := Witness{fmt.Sprintf("n%04d", i), fmt.Sprintf("n%04d/2", i)}
		a.Keys.Witnesses, b.Keys.Witnesses = append(a.Keys.Witnesses, w), append(b.Keys.Witnesses, w)
	}
	f, _ := Compare(&a, &b)
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
