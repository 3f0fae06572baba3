package event

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// values of each kind of SPEC 4.4: those that have its form, and near misses that
// do not.
var values = map[string]struct{ good, bad []any }{
	"digest": {[]any{strings.Repeat("0", 64), strings.Repeat("f", 64)},
		[]any{"", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("F", 64), int64(0), seal.Object{}}},
	"subject": {[]any{"a", "A.b_c:d@e-1", strings.Repeat("a", 100)},
		[]any{"", "a/2", "a b", strings.Repeat("a", 101), int64(1)}},
	"identifier": {[]any{"a", "a/2", strings.Repeat("a", 128)},
		[]any{"", "a b", strings.Repeat("a", 129), int64(1)}},
	"counter": {[]any{int64(1), int64(1<<53 - 1)},
		[]any{int64(0), int64(-1), "1", true}},
	"signature": {[]any{strings.Repeat("A", 86)},
		[]any{"", strings.Repeat("A", 85), strings.Repeat("A", 87), strings.Repeat("A", 85) + "B", int64(1)}},
	"decision": {[]any{"allow", "deny"}, []any{"", "Allow", "customer", true}},
	"domain":   {[]any{"customer", "service"}, []any{"", "Service", "allow", true}},
}

// kindOf is the kind of each member in SPEC 4.4.
var kindOf = map[string]string{
	"node_id": "subject", "key_id": "identifier", "signature": "signature",
	"audit_sequence": "counter", "sequence": "counter",
	"decision": "decision", "trust_domain": "domain",
	"audit_head": "digest", "head_hash": "digest", "previous_hash": "digest", "skip_hash": "digest",
	"approval_sha256": "digest", "decision_sha256": "digest", "manifest_sha256": "digest",
	"revocation_receipt_sha256": "digest",
	"body_sha256":               "digest", "checkpoint_sha256": "digest", "capability_evidence_sha256": "digest",
}

// TestClosedData: every member of closed data is required, is of its kind, and is the only one
// of its name; an event of another type may have any content there.
func TestClosedData(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(closed)) {
		sound := seal.Object{}
		for _, m := range closed[kind] {
			sound[m.name] = values[kindOf[m.name]].good[0]
		}
		try := func(what string, want bool, change func(seal.Object)) {
			data := seal.CloneObject(sound)
			change(data)
			got := agree(t, withData(kind, data))
			check.That(t, got == want, "%s: %s: accepted %t", kind, what, got)
			check.That(t, agree(t, withData("other."+kind, data)), "other.%s: %s: refused", kind, what)
		}
		try("nothing changed", true, func(seal.Object) {})
		try("a further member", false, func(o seal.Object) { o["x"] = "y" })
		for _, m := range closed[kind] {
			try("no "+m.name, false, func(o seal.Object) { delete(o, m.name) })
			v, ok := values[kindOf[m.name]]
			check.That(t, ok, "%s: SPEC 4.4 says nothing of %s", kind, m.name)
			for _, good := range v.good {
				try("a good "+m.name, true, func(o seal.Object) { o[m.name] = good })
			}
			for _, bad := range v.bad {
				try("a bad "+m.name, false, func(o seal.Object) { o[m.name] = bad })
			}
		}
	}
}

// withData is an event of a type with this data.
func withData(kind string, data seal.Object) []byte {
	digest := strings.Repeat("0", 64)
	return seal.Canonical(seal.Object{
		"body": seal.Object{
			"protocol": Protocol, "tenant_id": "t", "log_id": "tenant/t", "sequence": int64(1),
			"occurred_at": "2026-03-02T09:00:00.000Z", "type": kind, "salt": "AAECAwQFBgcICQoLDA0ODw", "data": data,
		},
		"hash": digest, "previous_hash": digest, "skip_hash": digest, "key_id": "k", "signature": strings.Repeat("A", 86),
	})
}
