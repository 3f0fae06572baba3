package agent_test

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

func set(name string, value any) func(seal.Object) { return func(o seal.Object) { o[name] = value } }

// An intent that is not of a policy key, not for this node and transaction, or
// not of its form gets no answer.
func TestRefusesForgedIntents(t *testing.T) {
	d := deploy(t)
	d.run()
	d.assign(desired("web", "nginx", 1))
	altered := d.intent("tx-1", 1, same)
	seal.Member(altered, "statement")["revision"] = int64(2)
	audit := d.cloud.audit
	audit.ID = policyID
	forged := map[string]seal.Object{
		"altered": altered, "nothing": {},
		"by the audit key":     seal.Seal(seal.Member(d.intent("tx-1", 1, same), "statement"), d.cloud.audit),
		"under the key's name": seal.Seal(seal.Member(d.intent("tx-1", 1, same), "statement"), audit),
	}
	for name, change := range map[string]func(seal.Object){
		"another tenant": set("tenant_id", "other"), "another node": set("node_id", "mesh-lisbon-1"),
		"another transaction": set("transaction_id", "tx-2"),
		"another protocol":    set("protocol", "svc.policy.v1"), "a member too many": set("comment", "x"),
		"no form":      set("integration_id", "a b"),
		"no kind":      func(o seal.Object) { delete(o, "kind") },
		"no reference": func(o seal.Object) { delete(o, "adapter_reference") },
		"no profile":   func(o seal.Object) { delete(o, "profile_id") }, "revision 0": set("revision", int64(0)),
		"no names":          set("names", []any{}),
		"names in disorder": set("names", seal.Strings([]string{"dns:web.example", "dns:a.example"})),
		"a name twice":      set("names", seal.Strings([]string{"dns:a.example", "dns:a.example"})),
		"no name":           set("names", seal.Strings([]string{"web"})),
		"an unknown mode":   set("promotion", "at-once"), "an unknown algorithm": set("algorithm", "dsa"),
		"policy 0": set("policy_version", int64(0)), "no digest": set("policy_sha256", "x"),
		"no time": set("issued_at", "now"),
	} {
		forged[name] = d.intent("tx-1", 1, change)
	}
	for name, intent := range forged {
		d.refuses(name, requestWork("tx-1", intent))
	}
	check.Equal(t, d.cloud.count("request"), 0, "a forged intent was answered")
	d.rotation("tx-1", 1) // the near miss
}

// An intent is bound to the desired state and the policy that the node has.
func TestIntentsAreBound(t *testing.T) {
	d := deploy(t)
	_, stop := d.run()
	d.assign(desired("web", "nginx", 4))
	for name, c := range map[string]struct {
		change func(seal.Object)
		want   string
	}{
		"another integration": {set("integration_id", "other"), "integration_unavailable"},
		"another integration there": {func(o seal.Object) { o["integration_id"], o["kind"] = "other", "secret_store" },
			"secret_store_integration_unavailable"},
		"another kind":      {set("kind", "secret_store"), "secret_store_integration_binding_mismatch"},
		"another reference": {set("adapter_reference", "local/other"), "integration_binding_mismatch"},
		"another profile":   {set("profile_id", "other"), "integration_binding_mismatch"},
		"an older revision": {set("revision", int64(3)), "integration_binding_mismatch"},
		"a newer revision":  {set("revision", int64(5)), "integration_binding_mismatch"},
		"an older policy":   {set("policy_version", int64(6)), "policy_changed"},
		"another policy":    {set("policy_sha256", strings.Repeat("ab", 32)), "policy_changed"},
		"another name besides": {set("names", seal.Strings([]string{"dns:a.example", "dns:evil.example"})),
			"names_not_allowed"},
		"one of the names": {set("names", seal.Strings([]string{"dns:web.example"})), ""},
		"none of these":    {same, ""},
	} {
		transaction := "tx-" + strings.ReplaceAll(name, " ", "-")
		d.cloud.ask(requestWork(transaction, d.intent(transaction, 4, c.change)))
		result := d.cloud.result("request", transaction)
		check.That(t, seal.Text(result, "error_code") == c.want && (seal.Text(result, "csr") == "") == (c.want != ""),
			"%s: %s, want %q", name, seal.Canonical(result), c.want)
	}
	stop()
	for _, event := range d.checkJournal() {
		body := seal.Member(event, "body")
		if seal.Text(body, "type") == "rotation.requested" {
			data := seal.Member(body, "data")
			for name, want := range map[string]any{
				"adapter_reference": "local/web", "profile_id": "payments-tls", "revision": int64(4),
				"policy_sha256": seal.Digest(policy(7)),
			} {
				check.Equal(t, data[name], want, "the journal says %s", seal.Canonical(data))
			}
			check.That(t, len(seal.Text(data, "intent_sha256")) == 64 && len(seal.Text(data, "csr_sha256")) == 64,
				"the journal says %s", seal.Canonical(data))
		}
	}
	got := types(d.journal())
	check.That(t, got["rotation.requested"] == 2 && got["rotation.refused"] == 10, "journal: %v", got)
}
