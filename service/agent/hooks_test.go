package agent

import (
	"context"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Adapt replaces an adapter of a node that does not run yet.
func Adapt(a *Agent, kind string, by adapter.Adapter) { a.adapters.byKind[kind] = by }

// RotateIdentity rotates the key of a node at once. Operators order it,
// [OrderRotation].
func (a *Agent) RotateIdentity() error {
	return a.identity.rotate(seal.Base64(chance.Fresh().Stream("order").Bytes(16)))
}

// Whatever the cloud answers, the node does not panic, signs no event that it cannot keep, and
// continues.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"work":[{"kind":"approve","transaction_id":"tx","terms":{},"capability_evidence":[]}]}`,
		`{"work":[{"kind":"approve","transaction_id":"tx","capability_evidence":[],"terms":{"workload_profile":"p","algorithm":"a","lifetime_seconds":1,"policy_version":1,"policy_sha256":"0000000000000000000000000000000000000000000000000000000000000000","required_approvals":1,"names":["dns:a"],"extended_key_usages":["x"],"public_key_sha256":"0000000000000000000000000000000000000000000000000000000000000000"}}]}`,
		`{"work":[{"kind":"observe","transaction_id":"tx","workload_profile":"p","capability":"c"},{"kind":"decide","transaction_id":"tx","terms":{},"approvals":[{}],"capability_evidence":[{}]}]}`,
		`{"integrations":[{"integration_id":"web","kind":"nginx","adapter_reference":"","profile_id":"","revision":1,"enabled":true}],"work":[{"kind":"request","transaction_id":"tx","integration_id":"web","revision":1,"names":["dns:a.example"],"algorithm":"ecdsa-p256"},{"kind":"deliver","transaction_id":"tx","integration_id":"web","revision":1,"certificates":["AA"],"promotion":"manual"},{"kind":"promote","transaction_id":"tx","integration_id":"web","revision":1}]}`,
		`{"policy":{"statement":{}},"roster":{"statement":{}},"checkpoint":{"statement":{}}}`,
		`{"notices":[{"sequence":1,"topic":"service.claimed","data":{}}],"registrations":{"version":1,"services":[]}}`,
		`{"work":1,"policy":[],"roster":"","checkpoint":true,"notices":{},"integrations":"","registrations":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		answer, err := seal.Parse(b)
		if err != nil || len(b) > 1<<16 {
			return
		}
		a := judging(t)
		a.feed = feedOf(t, a)
		a.metrics = newMetrics(a.feed, nil)
		a.cloud = httpd.NewClient(httpd.ClientConfig{URL: "https://127.0.0.1:1", Timeout: time.Second})
		a.follower.adopt(context.Background(), answer)
		a.integrations.checkAll(context.Background())
		must.OK(t, a.dead(), "%s", b)
		if n, err := a.store.Sequence(); err != nil || n != a.node.Sequence() {
			t.Fatalf("%s: %d events are durable, %d were signed; %v", b, n, a.node.Sequence(), err)
		}
		must.OK(t, a.update(note(a)), "%s: it does not go on", b)
	})
}
