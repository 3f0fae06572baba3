package replay_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// file is a trust file as an operator edits it.
type file struct {
	Audit      map[string]string `json:"audit_keys"`
	Signer     map[string]string `json:"protected_signer_keys"`
	Registries map[string]string `json:"registries"`
	Nodes      map[string]string `json:"nodes"`
	Quorum     int               `json:"minimum_audit_witnesses"`
}

// sections returns the keys of a file by role.
func (f file) sections() map[trust.Role]map[string]string {
	return map[trust.Role]map[string]string{trust.Audit: f.Audit, trust.Signer: f.Signer, trust.Node: f.Nodes}
}

func (f file) clone() file {
	return file{maps.Clone(f.Audit), maps.Clone(f.Signer), maps.Clone(f.Registries), maps.Clone(f.Nodes), f.Quorum}
}

func (f file) root(t must.T) *trust.Root {
	doc := must.Get(json.Marshal(f))(t)
	return must.Get(trust.Parse(doc))(t)
}

// pool is bundles, and a trust file under which the honest ones verify.
type pool struct {
	docs [][]byte
	base file
}

// pools are the conformance cases.
func pools(t *testing.T) []pool {
	t.Helper()
	cases := must.Get(fixtures.Cases())(t)
	conformance := pool{}
	seen := map[string]bool{}
	for i, c := range cases {
		verified := strings.HasPrefix(c.Name, "verified/") || strings.Contains(c.Name, "near-miss")
		if whole := len(c.Bundle) < 1<<20 && !seen[string(c.Bundle)]; whole && (verified || i%6 == 0) {
			conformance.docs = append(conformance.docs, c.Bundle)
		}
		seen[string(c.Bundle)] = true
		if c.Name == "verified/rotated-keys-tx-2026-0001" {
			read(t, c.Trust, &conformance.base)
		}
	}
	return conformance.shards()
}

// shards returns pools of about twelve of the bundles each.
func (p pool) shards() (list []pool) {
	n := (len(p.docs) + 11) / 12
	for i := range n {
		one := pool{base: p.base}
		for j := i; j < len(p.docs); j += n {
			one.docs = append(one.docs, p.docs[j])
		}
		list = append(list, one)
	}
	return list
}

func read(t *testing.T, doc []byte, v any) {
	t.Helper()
	must.Do(t, json.Unmarshal(doc, v))
}

// said contains the parts of a bundle that its verdict under a trust file can depend on, by
// its JSON alone.
type said struct {
	readable    bool
	keys        map[[2]string]bool // role and key id
	generations map[string]bool
	witnesses   []envelope
	approvals   []envelope
}

type envelope struct {
	KeyID     string          `json:"key_id"`
	Signature string          `json:"signature"`
	Statement json.RawMessage `json:"statement"`
}

// sayings reads a bundle.
func sayings(doc []byte) said {
	s := said{keys: map[[2]string]bool{}, generations: map[string]bool{}}
	s.readable = bundle.Open(doc).Bundle != nil
	var b struct {
		Witnesses  []envelope `json:"witness_receipts"`
		Approvals  []envelope `json:"approvals"`
		Registries []struct {
			Generation json.Number `json:"generation"`
		} `json:"signer_registries"`
	}
	var whole any
	if json.Unmarshal(doc, &whole) != nil || json.Unmarshal(doc, &b) != nil {
		return s
	}
	s.walk(whole)
	s.witnesses, s.approvals = b.Witnesses, b.Approvals
	for _, r := range b.Registries {
		s.generations[r.Generation.String()] = true
	}
	return s
}

// walk finds the key ids of everything that is signed.
func (s *said) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.walk(e)
		}
	case map[string]any:
		id, isText := v["key_id"].(string)
		if _, signed := v["signature"]; signed && isText {
			s.keys[[2]string{role(v), id}] = true
		}
		for _, e := range v {
			s.walk(e)
		}
	}
}

// role is the role that has to sign an envelope (SPEC 3.3).
func role(v map[string]any) string {
	statement, _ := v["statement"].(map[string]any)
	protocol, _ := statement["protocol"].(string)
	switch protocol {
	case "svc.approval.v1", "svc.capability-evidence.v1", "svc.witness-receipt.v1":
		return "node"
	case "svc.signer-receipt.v1", "svc.revocation-receipt.v1":
		return "signer"
	case "svc.decision.v1":
		if statement["trust_domain"] == "customer" {
			return "node"
		}
	}
	return "audit"
}

// votes counts the envelopes of nodes that a trust file lets open, as SPEC 5.3 does.
func (f file) votes(list []envelope) int {
	nodes, keys := map[string]bool{}, map[string]bool{}
	for _, e := range list {
		public, err := base64.RawURLEncoding.DecodeString(f.Nodes[e.KeyID])
		signature, err2 := base64.RawURLEncoding.DecodeString(e.Signature)
		canonical, fault := ijson.Canonical(e.Statement)
		if err != nil || err2 != nil || fault != nil || len(public) != ed25519.PublicKeySize {
			continue
		}
		var statement struct {
			Protocol string `json:"protocol"`
			Node     string `json:"node_id"`
		}
		node, _, _ := strings.Cut(e.KeyID, "/")
		if json.Unmarshal(e.Statement, &statement) == nil && statement.Node == node &&
			ed25519.Verify(public, trust.PAE(statement.Protocol, canonical), signature) {
			nodes[node], keys[string(public)] = true, true
		}
	}
	return min(len(nodes), len(keys))
}

// touched reports whether a change can touch a bundle.
func touched(s said, from, to file, before, after verify.Policy) bool {
	if !s.readable {
		return false
	}
	sections := to.sections()
	for role, keys := range from.sections() {
		for id := range s.keys {
			if id[0] == string(role) && keys[id[1]] != sections[role][id[1]] {
				return true
			}
		}
	}
	for g := range s.generations {
		if from.Registries[g] != to.Registries[g] {
			return true
		}
	}
	between := func(n, a, b int) bool { return min(a, b) <= n && n < max(a, b) }
	return between(from.votes(s.witnesses), from.Quorum, to.Quorum) ||
		between(from.votes(s.approvals), max(before.MinimumApprovals, 1), max(after.MinimumApprovals, 1))
}

// verdict is the verdict on a bundle, and the code that decides it.
func verdict(doc []byte, root *trust.Root, p verify.Policy) [2]string {
	report := verify.Verify(bundle.Open(doc), root, p)
	code := ""
	if report.Verdict != verify.Verified {
		code = string(report.Decides().Code)
	}
	return [2]string{string(report.Verdict), code}
}

func sorted[M ~map[K]V, K ~string, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }
