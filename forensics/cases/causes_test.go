package cases

import (
	"bytes"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// firstCauses is the cause that comes first after each script of which nobody is the actor. One
// that is not here leads to nothing that needs a cause. The others are in docs/manipulations.md.
var firstCauses = map[string]cause.Code{
	"rename-log": cause.LogRenamed, "copied-early": cause.CopyOrder, "near-crowd": cause.AlteredStore,
	"sample-at-store": cause.LossyStore, "near-sign-far-event": cause.EventsDeleted,

	"cut-frame": cause.UnreadSource, "cut-gzip": cause.UnreadSource, "cut-line-feed": cause.UnreadSource,
	"cut-zstd": cause.UnreadSource, "database": cause.UnreadSource, "duplicate-body": cause.UnreadSource,
	"garbage": cause.UnreadSource, "garbage-for-event": cause.UnreadSource, "garbage-for-tail": cause.UnreadSource,
	"near-garbage-at-end": cause.UnreadSource, "gzip-trailing-data": cause.UnreadSource,
	"huge-line": cause.UnreadSource, "lose-file": cause.UnreadSource, "named-pipe": cause.UnreadSource,
	"symbolic-link": cause.UnreadSource, "two-documents": cause.UnreadSource, "unknown-file": cause.UnreadSource,
}

// examined examines what is given of evidence.
func examined(t *testing.T, e *fleet.Evidence, given []string) *verdict.Result {
	t.Helper()
	path := exam{fleet.Scene, given, false, false}.add(t, t.TempDir(), e)
	return must.Get(examine.Examine(t.Context(), path, fleettest.Root(t, e), examine.Options{}))(t)
}

// first is the code of the first cause of a result, "" if there is none.
func first(r *verdict.Result) cause.Code {
	if len(r.Causes) == 0 {
		return ""
	}
	return r.Causes[0].Code
}

func logCauses(t *testing.T, r *verdict.Result) {
	t.Helper()
	for _, c := range r.Causes {
		t.Logf("%s: %s %s, for %q, against %q", c.Code, c.Message, c.Follow(r.Findings), c.For, c.Against)
	}
}

// TestFirstCauses plays every script of which nobody is the actor. Every finding that counts for the verdict,
// save that a limit was reached, follows from a cause.
func TestFirstCauses(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if s.Actor(tamper.Damage{}) != "" || testing.Short() && i%20 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e, damage := must.Two(s.Apply(fleettest.Evidence(t, fleet.Scene)))(t)
			r := examined(t, e, givenOf(s.Name))
			if got := first(r); got != firstCauses[s.Name] {
				t.Errorf("the first cause is %q, want %q", got, firstCauses[s.Name])
				logCauses(t, r)
			}
			follows := map[int]bool{}
			for _, c := range r.Causes {
				for _, i := range c.Findings {
					follows[i] = true
				}
			}
			for i, f := range r.Findings {
				check.That(t, follows[i] || f.Effect() == finding.None || f.Code == finding.LimitReached,
					"%s follows from no cause", say(f))
			}
			if len(r.Causes) > 0 && damage.LogID != "" && len(r.Causes[0].Logs) > 0 &&
				!slices.Contains(r.Causes[0].Logs, damage.LogID) {
				t.Errorf("the first cause is about %v, and the damage about %s", r.Causes[0].Logs, damage.LogID)
			}
		})
	}
}

// elsewhere is the evidence of another environment: the same tenant, nodes and key
// ids, and other keys.
func elsewhere(t *testing.T) *fleet.Evidence {
	t.Helper()
	return must.Get(fleet.Build(fleet.Scene, 2, fleettest.Length))(t)
}

// TestAlteredUnderAWrongKey: events that do not give their hashes are not made
// good by a trust file.
func TestAlteredUnderAWrongKey(t *testing.T) {
	e := fleettest.Evidence(t, fleet.Scene).Clone()
	root := seal.CloneObject(e.Scene.Trust)
	delete(seal.Member(root, "nodes"), "mesh-oslo-1")
	e.Files[fleet.TrustFile] = fleet.Bytes(seal.Canonical(root))
	content := must.Get(e.Content(fleet.Journal("mesh-oslo-1")))(t)
	e.Files[fleet.Journal("mesh-oslo-1")] = fleet.Bytes(bytes.ReplaceAll(content, []byte(`"occurred_at":"2026-`),
		[]byte(`"occurred_at":"2027-`)))
	r := examined(t, e, []string{fleet.Journal("mesh-oslo-1"), fleet.Journal("mesh-berlin-1")})
	if got := first(r); got != cause.AlteredStore {
		t.Errorf("the first cause is %q", got)
		logCauses(t, r)
	}
}

// TestRenamedAlone: the hashes of a log under another name are known from what
// anchors the log too.
func TestRenamedAlone(t *testing.T) {
	s, _ := tamper.Lookup("rename-log")
	e, _ := must.Two(s.Apply(fleettest.Evidence(t, fleet.Scene)))(t)
	for name, tt := range map[string]struct {
		given []string
		want  cause.Code
	}{
		"with its anchors":  {[]string{fleet.TenantLog, fleet.Journal("mesh-berlin-1")}, cause.LogRenamed},
		"with its store":    {[]string{fleet.Journal("mesh-berlin-1"), fleet.Store("kafka/raw.jsonl")}, cause.LogRenamed},
		"with nothing else": {[]string{fleet.Journal("mesh-berlin-1")}, cause.AlteredStore},
	} {
		r := examined(t, e, tt.given)
		if got := first(r); got != tt.want {
			t.Errorf("%s: the first cause is %q, want %q", name, got, tt.want)
			logCauses(t, r)
		}
	}
}
