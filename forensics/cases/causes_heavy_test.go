//go:build heavy

package cases

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// TestOtherEnvironment: where no signature of a tenant holds, or where a second
// history is there that no one known signed, it is not tampering that comes first.
func TestOtherEnvironment(t *testing.T) {
	usual, other := Evidence(t, fleet.Scene), elsewhere(t)
	foreign := other.Clone()
	foreign.Files[fleet.TrustFile] = usual.Files[fleet.TrustFile]
	mixed := usual.Clone()
	for _, name := range other.Names("journals", "cursors", fleet.TenantLog, "bundles") {
		mixed.Files["staging/"+name] = other.Files[name]
	}
	for name, tt := range map[string]struct {
		e     *fleet.Evidence
		given []string
		want  cause.Code
	}{
		"all":           {foreign, collected, cause.OtherEnvironment},
		"journals only": {foreign, []string{"journals"}, cause.OtherEnvironment},
		"one journal":   {foreign, []string{fleet.Journal("mesh-berlin-1")}, cause.OtherEnvironment}, // of two keys
		"both":          {mixed, with(collected, "staging"), cause.ForeignJournal},
		"neither":       {usual, collected, ""},
	} {
		r := examined(t, tt.e, tt.given)
		if got := first(r); got != tt.want {
			t.Errorf("%s: the first cause is %q, want %q", name, got, tt.want)
			logCauses(t, r)
		}
		if slices.ContainsFunc(r.Causes, func(c cause.Cause) bool { return c.Code != tt.want }) ||
			len(r.Causes) > 1 && tt.want == cause.OtherEnvironment {
			t.Errorf("%s: %d causes", name, len(r.Causes))
			logCauses(t, r)
		}
	}
}

// TestTrustFile removes keys from the trust file, and replaces keys by other ones.
func TestTrustFile(t *testing.T) {
	usual, other := Evidence(t, fleet.Scene), elsewhere(t)
	for _, member := range []string{"nodes", "audit_keys", "protected_signer_keys"} {
		for key := range seal.Member(usual.Scene.Trust, member) {
			for want, change := range map[cause.Code]func(keys seal.Object){
				cause.TrustFileIncomplete: func(keys seal.Object) { delete(keys, key) },
				cause.TrustFileWrong:      func(keys seal.Object) { keys[key] = seal.Member(other.Scene.Trust, member)[key] },
			} {
				root := seal.CloneObject(usual.Scene.Trust)
				change(seal.Member(root, member))
				doc := seal.Canonical(root)
				if _, err := trust.Parse(doc); err != nil {
					continue // a file without any signer is none
				}
				e := usual.Clone()
				e.Files[fleet.TrustFile] = fleet.Bytes(doc)
				r := examined(t, e, collected)
				if got := first(r); got != want || !slices.Equal(r.Causes[0].KeyIDs, []string{key}) {
					t.Errorf("%s: the first cause is %q, want %q", key, got, want)
					logCauses(t, r)
				}
				if len(r.Causes) > 1 {
					t.Errorf("%s, %s: there are other causes", want, key)
					logCauses(t, r)
				}
			}
		}
	}
}

// TestNearMisses plays every near miss, which must lead to nothing that is not in the table.
func TestNearMisses(t *testing.T) {
	done := map[string]bool{}
	for _, x := range codeFixtures() {
		exam := x.nearExam()
		key := exam.key() + x.near + fmt.Sprint(x.nearAlso)
		if done[key] {
			continue
		}
		done[key] = true
		t.Run(exam.scene+" "+x.near+" for "+string(x.code), func(t *testing.T) {
			_, found := exam.after(t, x.near)
			expectCodes(t, found, x.nearAlso)
		})
	}
}

// TestEveryDumpWillDo: from any one dump, and no journal, every log is verified
// up to its end.
func TestEveryDumpWillDo(t *testing.T) {
	e := Evidence(t, fleet.Scene)
	for _, name := range wholeDumps {
		t.Run(name, func(t *testing.T) {
			x := exam{fleet.Scene, with(exported, fleet.Store(name)), false, false}
			path := x.add(t, t.TempDir(), e)
			result := must.Get(examine.Examine(t.Context(), path, Root(t, e), examine.Options{}))(t)
			for _, l := range result.Logs {
				check.That(t, l.Verdict == verify.Verified && l.UnanchoredTail == 0 && l.Events != 0,
					"%s: %s, %d events, %d unanchored", l.LogID, l.Verdict, l.Events, l.UnanchoredTail)
			}
			check.That(t, len(result.Logs) == len(e.Scene.Journals)+1, "%d logs", len(result.Logs))
		})
	}
}

// TestDeletedAnywhere deletes any range of a journal, which is found as exactly
// that range, as missing at the beginning, in between or at the end.
func TestDeletedAnywhere(t *testing.T) {
	scene := Evidence(t, fleet.Scene)
	const node = "mesh-berlin-1"
	events := scene.Scene.Journals[node]
	rapid.Check(t, func(r *rapid.T) {
		first := rapid.IntRange(1, len(events)).Draw(r, "first")
		last := rapid.IntRange(first, len(events)).Draw(r, "last")
		e := scene.Clone()
		e.Files[fleet.Journal(node)] = fleet.Bytes(seal.Lines(slices.Concat(events[:first-1], events[last:])))
		code := finding.Gap
		switch {
		case first == 1 && last == len(events):
			code = finding.Gone
		case first == 1:
			code = finding.HeadMissing
		case last == len(events):
			code = finding.TailMissing
		}
		want := say(finding.Finding{Code: code, LogID: "node/" + node, Sequence: uint64(first),
			LastSequence: uint64(last)}.Complete())
		var found []string
		x := exam{fleet.Scene, []string{fleet.Journal(node), fleet.Cursors(node)}, false, false}
		for _, f := range x.examine(t, e) {
			// They are about the rest before a missing end, and about an empty file.
			if f.Code != finding.TailUnanchored && f.Code != finding.SourceNoRecord {
				found = append(found, say(f))
			}
		}
		check.That(r, slices.Equal(found, []string{want}), "found %v, want %s", found, want)
	})
}
