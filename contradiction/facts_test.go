package contradiction

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// scene returns the facts of a scene's bundles.
func scene(t testing.TB, name string) []Facts {
	t.Helper()
	s := must.Get(harness.Build(name, 1, harness.Options{}))(t)
	root := must.Get(trust.Parse(seal.Canonical(s.Trust)))(t)
	var all []Facts
	for i, e := range s.Exports {
		in := bundle.Open(seal.Canonical(e.Bundle))
		f, ok := Of(in, verify.Verify(in, root, verify.Policy{}))
		must.That(t, ok, "%s: bundle %d has no facts", name, i)
		all = append(all, f)
	}
	return all
}

func TestFactsOfScenes(t *testing.T) {
	for _, name := range []string{"issued", "revoked", "capability", "rotated-keys", "legacy"} {
		all := scene(t, name)
		for i := range all {
			f := &all[i]
			checkWay(t, name, f)
			for j := range all {
				if c, found := Compare(f, &all[j]); found {
					t.Errorf("%s: bundles %d and %d of one honest log contradict each other: %v", name, i, j, c.Sentences)
				}
			}
		}
	}
}

// TestOf: a bundle has facts if the checks of its evidence passed, however old it
// is, and none under another report.
func TestOf(t *testing.T) {
	p := allPairs()[0]
	root, in := rootOf(t, p), bundle.Open(p.A)
	tests := []struct {
		name   string
		policy verify.Policy
		want   bool
	}{
		{"no demands", verify.Policy{}, true},
		{"stale", verify.Policy{At: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), MaxAge: time.Hour}, true},
		{"another transaction", verify.Policy{TransactionID: "tx-2026-0009"}, true},
		{"more approvals", verify.Policy{MinimumApprovals: 3}, false},
	}
	for _, tt := range tests {
		_, ok := Of(in, verify.Verify(in, root, tt.policy))
		check.That(t, ok == tt.want, "%s: facts: %t", tt.name, ok)
	}
	_, ok := Of(bundle.Open(p.B), verify.Verify(in, root, verify.Policy{}))
	check.That(t, !ok, "facts of a bundle that the report is not about")
	forged := bundle.Open(bytes.Replace(p.A, []byte("payments-api"), []byte("payments-apj"), 1))
	_, ok = Of(forged, verify.Verify(forged, root, verify.Policy{}))
	check.That(t, !ok, "facts of a bundle that does not verify")
}

// checkWay checks that the events of the way are those that its links name, and
// that the binary form keeps everything.
func checkWay(t *testing.T, name string, f *Facts) {
	t.Helper()
	proven := map[uint64]bool{f.Sequence(): true}
	for _, e := range f.Way {
		check.That(t, proven[e.Sequence], "%s: no link names event %d", name, e.Sequence)
		if e.Link {
			proven[e.Sequence-1], proven[chain.Skip(e.Sequence)] = true, true
		}
	}
	for s := range proven {
		_, found := f.provenHash(s)
		check.That(t, found || s == 0, "%s: event %d is proven and not on the way", name, s)
	}
	for s := f.Sequence(); s > f.straight(); s-- {
		if e, _ := f.findEvent(s); !e.Link {
			t.Errorf("%s: no link of event %d, above the end %d of the previous links", name, s, f.straight())
		}
	}
	b := f.Append(nil)
	back, err := Decode(b)
	if err != nil || !reflect.DeepEqual(&back, f) {
		t.Errorf("%s: %v: %+v is not %+v", name, err, back, *f)
	}
	if most := 450 + 35*len(f.Way); len(b) > most {
		t.Errorf("%s: %d octets for a way of %d events, at most %d", name, len(b), len(f.Way), most)
	}
}

func TestDecodeRefuses(t *testing.T) {
	all := scene(t, "issued")
	b := all[0].Append(nil)
	for n := range b {
		check.That(t, check.Err(Decode(b[:n])) != nil, "%d of %d octets are read", n, len(b))
	}
	check.That(t, check.Err(Decode(append(b, 0))) != nil, "an octet too many is read")
}

func FuzzDecode(f *testing.F) {
	for _, facts := range scene(f, "revoked") {
		f.Add(facts.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		facts, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(facts.Append(nil))
		must.That(t, err == nil && reflect.DeepEqual(facts, again), "%v: %+v is not %+v", err, again, facts)
		Compare(&facts, &again)
		for range facts.Claims() {
		}
	})
}
