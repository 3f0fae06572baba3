package verify_test

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// TestEveryMutantIsRefused damages every scene's bundle in every single way that package kit
// knows: each byte, each leaf, each member, each element. Not one may be verified, unless it
// is the same document in canonical form. It prints the number of mutants of each kind. All of
// them are verified in a session, which is several times faster, and a sample without one,
// with the same result. Every byte is damaged in the first scene, and every fifth in the
// others. Of large bundles, and of a scene's after its first, one mutant in 23 is tried; with
// -short there is only a smaller sample.
func TestEveryMutantIsRefused(t *testing.T) {
	counts, scenes := map[string]int{}, map[string]bool{}
	for _, c := range sceneBundles(t) {
		scene, _, _ := strings.Cut(c.Name, "-tx-")
		every, octets := 23, 23
		if !scenes[scene] && len(c.Bundle) < 17_000 {
			every, octets = 1, 5
			if len(scenes) == 0 {
				octets = 1
			}
		}
		if scenes[scene] = true; testing.Short() {
			every, octets = 10*sampled, 10*sampled
		}
		t.Run(c.Name, func(t *testing.T) { killAll(t, c, every, octets, counts) })
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-26s %7d mutants", kind, counts[kind])
	}
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
	must.That(t, len(cases) != 0, "no scene's bundle")
	return cases
}

// fresh asks for freshness, so that the list is whole. A bundle need not be fresh; here it
// must only be proven.
var fresh = verify.Policy{At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), MaxAge: 24 * time.Hour}

// killAll verifies one in every of the mutants of a case's bundle, and one in octets of the
// mutants of its bytes, on two workers, and counts them by their kinds.
func killAll(t *testing.T, c fixtures.Case, every, octets int, counts map[string]int) {
	doc, fault := ijson.Canonical(bytes.TrimSpace(c.Bundle))
	must.That(t, fault == nil, "%v", fault)
	root := must.Get(trust.Parse(c.Trust))(t)
	r := verify.Verify(bundle.Open(doc), root, fresh)
	must.That(t, r.Proven(), "the untouched bundle is %s", r.Verdict)
	session := trust.NewSession(root, trust.SessionMemory)
	work := make(chan kit.Mutation, 64)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for m := range work {
				kill(t, m, doc, session.Root())
			}
		})
	}
	n, ofKind := 0, map[string]int{}
	for m := range kit.Mutations(doc) {
		step := every
		if strings.HasSuffix(m.Kind, " flipped") {
			step = octets
		}
		if ofKind[m.Kind]++; ofKind[m.Kind]%step != 0 {
			continue
		}
		counts[m.Kind]++
		if n++; n%sampled == 0 || every > sampled {
			alone := verify.Verify(bundle.Open(m.Apply(doc)), root, fresh)
			inSession := verify.Verify(bundle.Open(m.Apply(doc)), session.Root(), fresh)
			check.That(t, reflect.DeepEqual(alone, inSession), "%s at %s: the session has another report", m.Kind, m.Place)
		}
		work <- m
	}
	close(work)
	workers.Wait()
	must.Do(t, session.Err())
	must.That(t, n != 0, "no mutants")
}

// kill verifies one mutant, which must be refused with a finding.
func kill(t *testing.T, m kit.Mutation, original []byte, root *trust.Root) {
	doc := m.Apply(original)
	r := verify.Verify(bundle.Open(doc), root, fresh)
	if r.Proven() || r.Verdict == verify.Verified {
		same, fault := ijson.Canonical(doc)
		check.That(t, fault == nil && bytes.Equal(same, original), "verified: %s at %s", m.Kind, m.Place)
	} else if f, ok := r.First(); !ok || f.Code == "" {
		t.Errorf("refused without a finding: %s at %s", m.Kind, m.Place)
	}
}
