package object_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

var when = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// roles are the roles of the keys in each section of a trust file.
var roles = map[string]trust.Role{"audit_keys": trust.Audit, "protected_signer_keys": trust.Signer, "nodes": trust.Node}

// TestFacts removes each key and each registry from the trust file of one conformance case in
// five. Removing one changes the result exactly if the bundle names it.
func TestFacts(t *testing.T) {
	cases := must.Get(fixtures.Cases())(t)
	named, unnamed := 0, 0
	for i, c := range cases {
		if i%5 != 0 || testing.Short() && i%15 != 0 {
			continue
		}
		root, err := trust.Parse(c.Trust)
		in := bundle.Open(c.Bundle)
		if err != nil || in.Bundle == nil || in.Foreign {
			continue
		}
		judged := judge(t, root, c.Bundle)
		before := found(in, root)
		for section, id := range pinned(t, c.Trust) {
			without, err := trust.Parse(remove(t, c.Trust, section, id))
			if err != nil {
				continue // it was the last one
			}
			names := slices.Contains(judged.Facts.Keys, object.KeyRef{Role: roles[section], ID: id})
			if section == "registries" {
				names = slices.ContainsFunc(judged.Facts.Generations, func(g int64) bool { return fmt.Sprint(g) == id })
			}
			if changed := found(in, without) != before; changed != names {
				t.Errorf("%s: without %s/%s other things are found: %v; it names that: %v", c.Name, section, id, changed, names)
			}
			if names {
				named++
			} else {
				unnamed++
			}
		}
	}
	check.That(t, named != 0 && unnamed != 0, "%d are named, and %d are not", named, unnamed)
}

// found is everything that is found in a bundle, and the verdict.
func found(in *bundle.Input, root *trust.Root) string {
	report := verify.Verify(in, root, verify.Policy{})
	return fmt.Sprint(report.Verdict, report.Findings())
}

// pinned yields each section of a trust file with each name in it.
func pinned(t *testing.T, doc []byte) func(func(string, string) bool) {
	t.Helper()
	var file map[string]json.RawMessage
	must.Do(t, json.Unmarshal(doc, &file))
	return func(yield func(string, string) bool) {
		for _, section := range []string{"audit_keys", "nodes", "protected_signer_keys", "registries"} {
			for _, id := range slices.Sorted(maps.Keys(members(t, file[section]))) {
				if !yield(section, id) {
					return
				}
			}
		}
	}
}

func members(t *testing.T, section json.RawMessage) (all map[string]string) {
	t.Helper()
	must.Do(t, json.Unmarshal(section, &all))
	return all
}

// remove returns a trust file without one member.
func remove(t *testing.T, doc []byte, section, id string) []byte {
	t.Helper()
	var file map[string]json.RawMessage
	must.Do(t, json.Unmarshal(doc, &file))
	rest := members(t, file[section])
	delete(rest, id)
	file[section] = must.Get(json.Marshal(rest))(t)
	return must.Get(json.Marshal(file))(t)
}

// TestFactsOf checks the facts of a proof, and of one that does not verify.
func TestFactsOf(t *testing.T) {
	dir, root := scene(t, "revoked")
	proof := octetsOf(t, dir, "svc-evidence-tx-2026-0001.json")
	f := judge(t, root, proof).Facts
	check.That(t, f.TenantID == "acme-corp" && f.TransactionID == "tx-2026-0001" && f.Status == "revoked" &&
		f.CheckpointSequence != 0 && len(f.AsOf) == len("2026-03-02T09:00:00.000Z") && len(f.Unknown) <= 0 &&
		f.Witnesses >= 2 && f.Approvals >= 2 && slices.Equal(f.Generations, []int64{1}) &&
		slices.IsSortedFunc(f.Keys, compareKeys), "%+v", f)
	all := map[trust.Role]bool{}
	for _, k := range f.Keys {
		all[k.Role] = true
	}
	check.That(t, len(all) == 3, "the keys are %v", f.Keys)
	none := must.Get(trust.Parse(regexp.MustCompile(`"(audit|signer|mesh)-`).ReplaceAll(octetsOf(t, dir, "trust.json"),
		[]byte(`"other-$1-`))))(t)
	g := judge(t, none, proof)
	check.That(t, g.Verdict == outcome.Rejected && g.Facts.TransactionID == "" && g.Facts.Witnesses == 0 &&
		g.Facts.Approvals == 0 && slices.Equal(g.Facts.Keys, f.Keys) && slices.Equal(g.Facts.Unknown, f.Keys),
		"under no key: %+v", g)
}

func compareKeys(a, b object.KeyRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.ID, b.ID))
}

// TestPolicyDigest: equal demands have the same digest, and different ones do not.
func TestPolicyDigest(t *testing.T) {
	seen := map[[32]byte]int{}
	for i, p := range []verify.Policy{{}, {MinimumApprovals: 2}, {MinimumApprovals: 3}, {TenantID: "a"}, {TenantID: "b"},
		{TenantID: "a", MinimumApprovals: 2}, {LegacyBefore: when}, {LegacyBefore: when.Add(1e9)}} {
		d := object.PolicyDigest(p)
		first, known := seen[d]
		check.That(t, !known, "policy %d has the digest of %d", i, first)
		seen[d] = i
	}
	check.That(t, object.PolicyDigest(verify.Policy{MinimumApprovals: 1}) == object.PolicyDigest(verify.Policy{}),
		"one approval is demanded in any case")
	for _, p := range []verify.Policy{{TransactionID: "a"}, {At: when, MaxAge: 1e9}, {Certificate: []byte{1}}} {
		func() {
			defer func() { check.That(t, recover() != nil, "%+v has a digest", p) }()
			object.PolicyDigest(p)
		}()
	}
}

// TestSideBySide: many workers get the same results as one.
func TestSideBySide(t *testing.T) {
	dir, root := scene(t, "revoked")
	all := slices.Sorted(maps.Keys(must.FilesBelow(t, dir)))
	j := object.NewJudge(object.Options{Root: root, TempDir: t.TempDir(), Workers: 1})
	want := make([]object.Judgement, len(all))
	for i, name := range all {
		want[i] = judge(t, root, octetsOf(t, dir, name))
	}
	var wait sync.WaitGroup
	for i, name := range all {
		for range 3 {
			wait.Go(func() {
				got, err := j.Octets(t.Context(), octetsOf(t, dir, name))
				check.That(t, err == nil && fmt.Sprint(got) == fmt.Sprint(want[i]), "%s: %+v, %v", name, got, err)
			})
		}
	}
	wait.Wait()
	check.Do(t, j.Err())
}
