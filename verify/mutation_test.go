package verify_test

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// TestEveryMutantIsRefused damages every scene's bundle in every single way
// that mutants knows: each byte, each leaf, each member, each element. Not one
// may be verified, unless it is the same document in canonical form. It prints
// how many mutants of which kind died at which check, and the longest that any
// of a kind took. All of them are verified in a session, which is several times
// faster, and a sample without one, with the same result. With -short there is only a
// smaller sample.
func TestEveryMutantIsRefused(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 10 * sampled
	}
	total := deaths{}
	for _, c := range sceneBundles(t) {
		t.Run(c.Name, func(t *testing.T) {
			total.add(killAll(t, c, every))
		})
	}
	t.Logf("\n%s", total)
}

// sampled is which part of the mutants is verified without a session too: one of so many.
const sampled = 211

// sceneBundles returns the bundles of the scenes, untouched, and each once.
func sceneBundles(t testing.TB) []fixtures.Case {
	t.Helper()
	cases := must.Get(fixtures.Cases())(t)
	seen := map[string]bool{}
	cases = slices.DeleteFunc(cases, func(c fixtures.Case) bool {
		if !strings.HasPrefix(c.Name, "verified/") || seen[string(c.Bundle)] {
			return true
		}
		seen[string(c.Bundle)] = true
		return false
	})
	if len(cases) == 0 {
		t.Fatal("no scene's bundle")
	}
	return cases
}

// fresh asks for freshness, so that the list is whole. A bundle need not be fresh;
// what counts here is that it is proven.
var fresh = verify.Policy{At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), MaxAge: 24 * time.Hour}

// killAll verifies every mutant of a case's bundle on two workers.
func killAll(t *testing.T, c fixtures.Case, every int) deaths {
	doc, fault := ijson.Canonical(bytes.TrimSpace(c.Bundle))
	if fault != nil {
		t.Fatal(fault)
	}
	root := must.Get(trust.Parse(c.Trust))(t)
	if r := verify.Verify(bundle.Open(doc), root, fresh); !r.Proven() {
		t.Fatalf("the untouched bundle is %s", r.Verdict)
	}
	session := trust.NewSession(root, trust.SessionMemory)
	work := make(chan mutant, 64)
	results := [2]deaths{{}, {}}
	var workers sync.WaitGroup
	for i := range results {
		workers.Go(func() {
			for m := range work {
				results[i].record(kill(t, m, doc, session.Root()))
			}
		})
	}
	n := 0
	for m := range mutants(doc, every) {
		if n++; n%sampled == 0 || every > 1 {
			alone := verify.Verify(bundle.Open(m.doc), root, fresh)
			inSession := verify.Verify(bundle.Open(m.doc), session.Root(), fresh)
			if !reflect.DeepEqual(alone, inSession) {
				t.Errorf("%s at %s: the session has another report", m.kind, m.place)
			}
		}
		work <- m
	}
	close(work)
	workers.Wait()
	if err := session.Err(); err != nil {
		t.Error(err)
	}
	results[0].add(results[1])
	if len(results[0]) == 0 {
		t.Fatal("no mutants")
	}
	return results[0]
}

// kill verifies one mutant and says by which check it died.
func kill(t *testing.T, m mutant, original []byte, root *trust.Root) (kind, check string, took time.Duration) {
	r, took := timed(m.doc, root)
	if took > time.Second { // the machine may have been busy with something else
		_, again := timed(m.doc, root)
		took = min(took, again)
	}
	if r.Proven() || r.Verdict == verify.Verified {
		if same, fault := ijson.Canonical(m.doc); fault != nil || !bytes.Equal(same, original) {
			t.Errorf("verified: %s at %s", m.kind, m.place)
		}
		return m.kind, "(same document)", took
	}
	if f, ok := r.First(); !ok || f.Code == "" {
		t.Errorf("refused without a finding: %s at %s", m.kind, m.place)
	}
	for _, c := range r.Checks {
		if c.Status == verify.Failed {
			return m.kind, string(c.ID), took
		}
	}
	return m.kind, "(" + string(r.Verdict) + ")", took
}

func timed(doc []byte, root *trust.Root) (*verify.Report, time.Duration) {
	start := time.Now()
	r := verify.Verify(bundle.Open(doc), root, fresh)
	return r, time.Since(start)
}

// deaths counts mutants by kind and check; the slowest is under "slowest".
type deaths map[string]*tally

type tally struct {
	byCheck map[string]int
	slowest time.Duration
}

func (d deaths) of(kind string) *tally {
	if d[kind] == nil {
		d[kind] = &tally{byCheck: map[string]int{}}
	}
	return d[kind]
}

func (d deaths) record(kind, check string, took time.Duration) {
	t := d.of(kind)
	t.byCheck[check]++
	t.slowest = max(t.slowest, took)
}

func (d deaths) add(other deaths) {
	for kind, o := range other {
		t := d.of(kind)
		for check, n := range o.byCheck {
			t.byCheck[check] += n
		}
		t.slowest = max(t.slowest, o.slowest)
	}
}

// String is the table of the dead.
func (d deaths) String() string {
	var b strings.Builder
	sum := 0
	for _, kind := range slices.Sorted(maps.Keys(d)) {
		t := d[kind]
		n := 0
		for _, c := range t.byCheck {
			n += c
		}
		sum += n
		fmt.Fprintf(&b, "%-26s %7d mutants, slowest %s\n", kind, n, t.slowest.Round(time.Microsecond))
		for _, check := range slices.Sorted(maps.Keys(t.byCheck)) {
			fmt.Fprintf(&b, "    %-32s %7d\n", check, t.byCheck[check])
		}
	}
	fmt.Fprintf(&b, "%d mutants in all\n", sum)
	return b.String()
}
