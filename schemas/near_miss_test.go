package schemas_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas/validate"
)

// set replaces the value at a pointer (without escapes in it) of a decoded
// document.
func set(t *testing.T, root any, pointer string, value any) {
	t.Helper()
	path := strings.Split(pointer, "/")[1:]
	for _, name := range path[:len(path)-1] {
		switch v := root.(type) {
		case map[string]any:
			root = v[name]
		case []any:
			i := must.Get(strconv.Atoi(name))(t)
			root = v[i]
		}
	}
	last := path[len(path)-1]
	switch v := root.(type) {
	case map[string]any:
		v[last] = value
	case []any:
		i := must.Get(strconv.Atoi(last))(t)
		v[i] = value
	default:
		t.Fatalf("nothing at %s", pointer)
	}
}

func repeat(n int, value any) []any { return slices.Repeat([]any{value}, n) }

// members is an object of n members, each a key.
func members(n int) map[string]any {
	all := map[string]any{}
	for i := range n {
		all[strconv.Itoa(i+1)] = strings.Repeat("A", 43)
	}
	return all
}

// TestNearMisses changes one value of an example; the violation must be at
// that value.
func TestNearMisses(t *testing.T) {
	digest := strings.Repeat("ab", 32)
	tests := []struct {
		schema, pointer string
		bad             []any
		good            []any
	}{
		{"witness-receipt", "/head_hash", []any{strings.ToUpper(digest), digest[1:], digest + "a", digest + "\n", "", 1,
			true}, []any{digest}},
		{"witness-receipt", "/tenant_id", []any{"", "a/b", "a b", "a\n", "ä", strings.Repeat("a", 101)},
			[]any{strings.Repeat("a", 100), "A-z.0_9:@"}},
		{"witness-receipt", "/log_id", []any{"tenant/", "node/a/b", "log/a", "tenant/a "},
			[]any{"node/n", "tenant/" + strings.Repeat("a", 100)}},
		{"witness-receipt", "/sequence", []any{0, -1, "1"}, []any{1, 1<<53 - 1}},
		{"witness-receipt", "/protocol", []any{"svc.witness-receipt.v2", "svc.approval.v1"}, nil},
		{"witness-receipt", "/witnessed_at", []any{
			"2026-02-30T09:00:00.000Z", "2026-03-02T24:00:00.000Z", "2026-03-02T09:00:60.000Z", "2026-03-02T09:00:00Z",
			"2026-03-02T09:00:00,000Z",
			"2026-03-02T09:00:00.000+00:00", "2026-03-02t09:00:00.000z", "2026-03-02 09:00:00.000Z", "2026-03-02T9:00:00.000Z",
			"2026-03-02T09:00:00.0000Z"},
			[]any{"2024-02-29T23:59:59.999Z"}},
		{"archive-run", "/number", []any{0, 1, "2"}, []any{2, 1<<53 - 1}},
		{"archive-run", "/tool", []any{"", "a\nb", "a\u2028", strings.Repeat("a", 1025)},
			[]any{"ä \"", strings.Repeat("a", 1024)}},
		{"custody-entry", "/number", []any{0, 1, "2"}, []any{2, 1<<53 - 1}},
		{"custody-entry", "/command", []any{"", "a\nb", strings.Repeat("a", 65)}, []any{"show crosscheck"}},
		{"custody-entry", "/walk/findings", []any{-1, "1"}, []any{0}},
		{"custody-entry", "/walk/result_sha256", []any{"", digest[1:]}, []any{digest}},
		{"archive-run", "/exit", []any{-1, 4}, []any{0, 3}},
		{"archive-run", "/counts/altered", []any{-1, "1"}, []any{0}},
		{"archive-run", "/sample", []any{0, 1_000_001}, []any{1, 1_000_000}},
		{"archive-renewal", "/files/0/name", []any{"", "seals", "0001/notes.txt", "1/token.tst", "0001/certificate-17.cer"},
			[]any{"0001/token.tst", "0256/revocation-32.ocsp"}},
		{"archive-renewal", "/hash", []any{"sha-256", ""}, []any{"sha3-512"}},
		{"archive-renewal", "/tree/root", []any{strings.Repeat("ab", 32), strings.Repeat("AB", 64)},
			[]any{strings.Repeat("ab", 64)}},
		{"archive-renewal", "/number", []any{0, 257}, []any{256}},
		{"archive-algorithms", "/algorithms/0/bits", []any{0, 65537, "256"}, []any{65536}},
		{"archive-algorithms", "/algorithms/0/name", []any{"sha-1", ""}, []any{"rsa"}},
		{"archive-object", "/path", []any{"", "/a", "a//b", "a/", "%4", "%e9", "a\x00"}, []any{"a", "%E9/b", "a b"}},
		{"archive-object", "/wrong", []any{"lost", ""}, []any{"missing"}},
		{"archive-change", "/before/verdict", []any{"", "unreadable"}, []any{"inconclusive"}},
		{"archive-change", "/class", []any{"", "Moved", "a b"}, []any{"moved"}},
		{"envelope", "/signature", []any{strings.Repeat("A", 85) + "B", strings.Repeat("A", 86) + "==",
			strings.Repeat("A", 85), strings.Repeat("A", 85) + "+"}, []any{strings.Repeat("A", 86)}},
		{"envelope", "/key_id", []any{"", "a b", strings.Repeat("k", 129)}, []any{"node/2", strings.Repeat("k", 128)}},
		{"envelope", "/statement/protocol", []any{"svc.audit-event.v1", "svc.evidence-manifest.v1"}, nil},
		{"audit-event", "/body/salt", []any{strings.Repeat("A", 21) + "B", strings.Repeat("A", 22) + "=="},
			[]any{strings.Repeat("A", 21) + "g"}},
		{"seal", "/signatures/ml_dsa_65", []any{strings.Repeat("A", 4411), strings.Repeat("A", 4413),
			strings.Repeat("A", 4411) + "+", ""}, []any{strings.Repeat("A", 4412)}},
		{"seal", "/statement/root", []any{digest, digest + strings.ToUpper(digest), ""}, []any{digest + digest}},
		{"seal", "/statement/objects", []any{0, -1, "1"}, []any{1, 1<<53 - 1}},
		{"seal", "/statement/trust_sha512", []any{[]any{}, repeat(2, digest+digest)}, nil},
		{"seal", "/statement/hash", []any{"sha-256", "SHA-512"}, []any{"sha3-512"}},
		{"seal-leaf", "/size", []any{-1, "0"}, []any{0, 1<<53 - 1}},
		{"seal-proof", "/inclusion", []any{repeat(54, digest+digest)}, []any{[]any{}}},
		{"seal-trust", "/keys", []any{map[string]any{}}, nil},
		{"seal-key", "/ml_dsa_65_seed", []any{strings.Repeat("A", 42), strings.Repeat("A", 42) + "B"},
			[]any{strings.Repeat("A", 43)}},
		{"audit-checkpoint", "/required_witnesses", []any{0}, []any{1}},
		{"evidence-status", "/status", []any{"revoked ", "Issued", "held"}, nil},
		{"revocation-receipt", "/reason", []any{"certificateHold", "removeFromCRL", ""}, []any{"superseded", "aACompromise"}},
		{"revocation-receipt", "/certificate_serial", []any{"0", "0a", "A", "", "-1", strings.Repeat("f", 41)},
			[]any{"1", "a0b", strings.Repeat("f", 40)}},
		{"terms", "/algorithm", []any{"rsa-1024", "ECDSA-P256", "ecdsa-p521"}, []any{"ed25519"}},
		{"terms", "/lifetime_seconds", []any{0}, []any{1}},
		{"terms", "/names", []any{[]any{}, repeat(2, "dns:a"), repeat(1025, "dns:a")}, []any{[]any{"dns:a"}}},
		{"terms", "/names/0", []any{
			"dns:", "DNS:a", "dns:A", "dns:a..b", "dns:a.", "dns:.a", "dns:-a", "dns:a-", "dns:a_b", "dns:*", "dns:a.*.b",
			"dns:" + strings.Repeat("a", 64),
			"ip:256.1.1.1", "ip:1.2.3", "ip:01.2.3.4", "ip:2001:DB8::1", "ip:fe80::1%eth0", "uri:", "uri:a", "uri:1a:b",
			"uri:a:b c", "uri:a:ä",
			"email:a", "email:@b", "email:a@", "email:a@b@c", "dir:x", "a", "uri:a:" + strings.Repeat("b", 1024)},
			[]any{"dns:*.a.b", "dns:a", "ip:192.0.2.1", "ip:2001:db8::1", "uri:spiffe://a/b", "uri:urn:x", "email:a@b",
				"dns:" + strings.Repeat("a", 63)}},
		{"terms", "/extended_key_usages/0", []any{"anyExtendedKeyUsage", "OCSPSigning"}, []any{"timeStamping"}},
		{"trust", "/minimum_audit_witnesses", []any{-1, 1025}, []any{0, 1024}},
		{"trust", "/audit_keys", []any{map[string]any{}, members(1025)}, []any{members(1024)}},
		{"trust", "/nodes", []any{map[string]any{}, members(65537)}, []any{members(65536)}},
		{"signer-registry", "/signers/0/issuer_public_key_sha256", []any{[]any{}, []any{digest, digest}},
			[]any{[]any{digest}}},
		{"audit-path", "/links", []any{[]any{}}, nil},
		{"manifest", "/approvals", []any{[]any{}}, nil},
		{"result", "/certificate_serial", []any{"00"}, nil},
	}
	examples := specExamples(t)
	for _, tt := range tests {
		t.Run(tt.schema+tt.pointer, func(t *testing.T) {
			i := slices.IndexFunc(examples, func(e example) bool { return e.schema == tt.schema })
			root := decode(t, examples[i].doc)
			for _, value := range tt.bad {
				set(t, root, tt.pointer, value)
				if v := violations(t, tt.schema, root); !slices.ContainsFunc(v,
					func(v validate.Violation) bool { return v.Pointer == tt.pointer }) {
					t.Errorf("%.60v: the violations are %v", value, v)
				}
			}
			for _, value := range tt.good {
				set(t, root, tt.pointer, value)
				if v := violations(t, tt.schema, root); len(v) != 0 {
					t.Errorf("%.60v: the violations are %v", value, v)
				}
			}
		})
	}
}

func violations(t *testing.T, schema string, root any) []validate.Violation {
	t.Helper()
	doc := must.Get(json.Marshal(root))(t)
	return must.Get(validate.Document(schema, doc))(t)
}

// TestForbiddenMembers adds a member that belongs to a sibling of the document.
func TestForbiddenMembers(t *testing.T) {
	tests := []struct {
		schema, having  string // an example of the schema that has this text
		pointer         string
		value           any
		violatedPointer string
	}{
		{"decision", `"trust_domain":"service"`, "/node_id", "mesh-oslo-1", "/node_id"},
		{"decision", `"trust_domain":"service"`, "/approvals", []any{strings.Repeat("ab", 32)}, "/approvals"},
		{"evidence-status", `"status":"issued"`, "/revocation_receipt_sha256", strings.Repeat("ab", 32),
			"/revocation_receipt_sha256"},
		{"audit-checkpoint", `.v0"`, "/required_witnesses", 1, "/required_witnesses"},
		{"audit-checkpoint", `.v1"`, "/protocol", "svc.audit-checkpoint.v0", "/required_witnesses"},
		{"trust", "nodes", "/nodes/mesh-oslo-1~1", "x", "/nodes/mesh-oslo-1~01"},
		{"result", `"verified":false`, "/status", "issued", ""},
	}
	for _, tt := range tests {
		t.Run(tt.schema+tt.pointer, func(t *testing.T) {
			examples := specExamples(t)
			i := slices.IndexFunc(examples, func(e example) bool {
				return e.schema == tt.schema && strings.Contains(string(e.doc), tt.having)
			})
			root := decode(t, examples[i].doc)
			set(t, root, tt.pointer, tt.value)
			v := violations(t, tt.schema, root)
			if !slices.ContainsFunc(v, func(v validate.Violation) bool { return v.Pointer == tt.violatedPointer }) {
				t.Errorf("the violations are %v", v)
			}
		})
	}
}

// TestBundlePlaces puts a statement of another protocol, or of the other trust
// domain, where it does not belong.
func TestBundlePlaces(t *testing.T) {
	bundle := sceneBundles(t)[0]
	places := []string{"/status", "/approvals/0", "/decisions/customer", "/decisions/service", "/signer_receipt",
		"/revocation_receipt", "/checkpoint", "/witness_receipts/0"}
	parts := map[string]any{}
	root := decode(t, bundle.doc).(map[string]any)
	parts["/status"], parts["/signer_receipt"], parts["/checkpoint"] = root["status"], root["signer_receipt"],
		root["checkpoint"]
	parts["/revocation_receipt"] = root["revocation_receipt"]
	parts["/approvals/0"], parts["/witness_receipts/0"] = root["approvals"].([]any)[0], root["witness_receipts"].([]any)[0]
	decisions := root["decisions"].(map[string]any)
	parts["/decisions/customer"], parts["/decisions/service"] = decisions["customer"], decisions["service"]
	for _, place := range places {
		for from, part := range parts {
			changed := decode(t, bundle.doc)
			set(t, changed, place, part)
			if v := violations(t, "bundle", changed); (len(v) == 0) != (from == place) {
				t.Errorf("the part of %s at %s: %v", from, place, v)
			}
		}
	}
}
