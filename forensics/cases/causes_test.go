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
	"github.com/svc-edge/svc-verify/internal/must"
)

// firstCauses is the cause that comes first after each script. One that is not
// here leads to nothing that needs a cause.
var firstCauses = map[string]cause.Code{
	"untrusted-generation": cause.TrustFileIncomplete, "unknown-key": cause.TrustFileIncomplete,
	"checkpoint-unknown-key": cause.TrustFileIncomplete, "cursor-unknown-key": cause.TrustFileIncomplete,
	"report-unknown-key": cause.TrustFileIncomplete, "bundle-unknown-key": cause.TrustFileIncomplete,
	"bundle-impossible-key": cause.AlteredStore,

	"rename-log": cause.LogRenamed, "copied-early": cause.CopyOrder, "remove-journal": cause.NotCollected,
	"remove-everything": cause.NotCollected, "restore-backup": cause.TwoHistories,
	"forge-far-event": cause.ForgedFarEvent, "sign-far-event": cause.ForgedFarEvent,

	"fork": cause.TwoHistories, "restart": cause.TwoHistories, "rewrite-store": cause.TwoHistories,
	"rewrite-tail": cause.TwoHistories, "rewrite-tail-and-cursors": cause.TwoHistories,
	"broken-link": cause.NodeKeyMisused, "broken-skip": cause.NodeKeyMisused,
	"record-other-sequence":   cause.NodeKeyMisused,
	"tenant-event-in-journal": cause.NodeKeyMisused, "witness-older-head": cause.NodeKeyMisused,
	"witness-other-history": cause.EitherKeyMisused, "two-witness-other-history": cause.AuditKeyMisused,
	"second-copy":            cause.TwoHistories,
	"approval-again-at-node": cause.NodeKeyMisused, "approval-again-in-log": cause.AuditKeyMisused,
	"approval-of-nothing": cause.EitherKeyMisused, "approval-of-two-transactions": cause.EitherKeyMisused,

	"approval-after-issuance": cause.AuditKeyMisused, "decision-after-issuance": cause.AuditKeyMisused,
	"forged-issuance": cause.AuditKeyMisused, "forged-revocation": cause.AuditKeyMisused,
	"issued-twice": cause.AuditKeyMisused, "issued-while-paused": cause.AuditKeyMisused,
	"issued-without-transaction": cause.AuditKeyMisused, "node-event-in-tenant-log": cause.AuditKeyMisused,
	"other-tenants-log": cause.AuditKeyMisused, "record-other-decision": cause.AuditKeyMisused,
	"record-other-domain": cause.AuditKeyMisused, "report-altered-head": cause.AuditKeyMisused,
	"report-altered-signature": cause.AuditKeyMisused, "report-other-node": cause.AuditKeyMisused,
	"resumed-without-request": cause.AuditKeyMisused, "revoked-twice": cause.AuditKeyMisused,
	"revoked-without-transaction": cause.AuditKeyMisused, "rollback": cause.AuditKeyMisused,
	"split-view": cause.AuditKeyMisused, "withheld-revocation": cause.AuditKeyMisused,

	"alter-at-store": cause.AlteredStore, "alter-body": cause.AlteredStore, "alter-bundle": cause.AlteredStore,
	"alter-in-structure": cause.AlteredStore, "alter-recorded-hash": cause.AlteredStore,
	"alter-signature": cause.AlteredStore, "checkpoint-altered-signature": cause.AlteredStore,
	"cursor-altered-signature": cause.AlteredStore, "cursor-other-node": cause.AlteredStore,
	"duplicate-member": cause.AlteredStore, "flood": cause.AlteredStore, "near-crowd": cause.AlteredStore,
	"forge-next-events": cause.AlteredStore, "lose-octet-and-alter": cause.AlteredStore,
	"other-nodes-key": cause.AlteredStore, "splice": cause.AlteredStore, "under-quorum": cause.AlteredStore,

	"lose-octet": cause.LossyStore, "cut-body": cause.LossyStore, "sample-at-store": cause.LossyStore,

	"earlier-copy-and-end": cause.NotCollected,

	"empty-journal": cause.EventsDeleted, "delete-at-source": cause.EventsDeleted, "delete-at-store": cause.EventsDeleted,
	"delete-head": cause.EventsDeleted, "truncate-tail": cause.EventsDeleted, "cut-batch": cause.EventsDeleted,
	"near-sign-far-event": cause.EventsDeleted,

	"hide-event": cause.UnreadSource, "checkpoint-of-nothing": cause.UnreadSource, "cut-frame": cause.UnreadSource,
	"cut-gzip": cause.UnreadSource, "cut-journal": cause.UnreadSource, "cut-line-feed": cause.UnreadSource,
	"cut-zstd": cause.UnreadSource, "database": cause.UnreadSource, "duplicate-body": cause.UnreadSource,
	"garbage": cause.UnreadSource, "garbage-for-event": cause.UnreadSource, "garbage-for-tail": cause.UnreadSource,
	"near-garbage-at-end": cause.UnreadSource, "gzip-trailing-data": cause.UnreadSource,
	"huge-line": cause.UnreadSource, "invalid-utf8-event": cause.UnreadSource,
	"lose-file": cause.UnreadSource, "named-pipe": cause.UnreadSource, "symbolic-link": cause.UnreadSource,
	"two-documents": cause.UnreadSource, "unknown-file": cause.UnreadSource, "unknown-member": cause.UnreadSource,
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

// TestFirstCauses plays every script. Every finding that counts for the verdict,
// save that a limit was reached, follows from a cause.
func TestFirstCauses(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if testing.Short() && i%64 != 0 {
			continue // the rest is played without -short
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
				if !follows[i] && f.Effect() != finding.None && f.Code != finding.LimitReached {
					t.Errorf("%s follows from no cause", say(f))
				}
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
