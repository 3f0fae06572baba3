package secretstore_test

import (
	"crypto"
	"crypto/x509"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

// TestBootstrapPending: the first pointer is refused, and then the token
// altogether. The codes tell one from the other.
func TestBootstrapPending(t *testing.T) {
	t.Parallel()
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		w := newMaker(t).real(t, b)
		path := w.settings.TokenFile.Path
		rules := kv.AdapterRules(w.place.mount, w.place.base)
		rules[0].Path = w.place.mount + "/data/" + w.place.base + "/generations/*"
		pointer := kv.Rule{Path: w.place.mount + "/data/" + w.place.base + "/pointer",
			Capabilities: []string{"read", "update"}}
		whole := must.Get(os.ReadFile(path))(t)
		for _, step := range []struct{ token, code string }{
			{b.Token(t, append(rules, pointer)...), adapter.BootstrapFailed},
			{"hvs.unknown", adapter.StoreUnavailable},
			{string(whole), ""},
		} {
			rewrite(t, path, []byte(step.token), 0o600)
			w.expect(step.code)
			w.expect(step.code)
		}
		w.epilogue()
	})
}

// TestOtherBootstrapPair: the configuration names another pair after the node was
// interrupted. A generation that no pointer names yet is left; a pointer that may
// have been placed is the first all the same.
func TestOtherBootstrapPair(t *testing.T) {
	for at, slot := range map[string]string{"keep store.bootstrapped": "slot-000001",
		"file slot-000001.pem": "slot-000002"} {
		t.Run(at, func(t *testing.T) {
			w := newMaker(t).memory(t)
			w.script = func(p point) outcome {
				if p.name == at {
					return p.outcomes()[0]
				}
				return fine
			}
			_ = w.check()
			w.script = nil
			other := pairNumber(5)
			if slot == "slot-000002" {
				w.inUse = pemDigest(other.Certificate)
			}
			w.settings.Bootstrap.Chain = []*x509.Certificate{other.Leaf, issuer().Certificate}
			w.settings.Bootstrap.Key = other.PrivateKey.(crypto.Signer)
			w.start()
			w.expect("")
			check.Equal(t, w.active(), slot, "is in use")
		})
	}
}

// TestStagedTwice: a rotation takes the place of one that was staged and never
// promoted.
func TestStagedTwice(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	before := w.active()
	first, second, third := deliveryNumber(2, false), deliveryNumber(3, false), deliveryNumber(4, false)
	must.Equal(t, w.stage(first), "", "staged with")
	w.line.down = true
	check.Equal(t, w.stage(second), adapter.StoreUnavailable, "staged with")
	w.line.down = false
	w.settle()
	if code := w.promote(first); code != adapter.PromotionInterrupted || w.active() != before {
		t.Errorf("promoted with %q", code)
	}
	if code := w.stage(third); code != "" || seal.Text(w.standing().record, "standby") != "slot-000005" {
		t.Errorf("staged with %q, the pointer is %v", code, w.standing().record)
	}
	w.service.tell(follows)
	if code := w.promote(third); code != "" || w.active() != "slot-000005" {
		t.Errorf("promoted with %q, %s is in use", code, w.active())
	}
	w.epilogue()
}
