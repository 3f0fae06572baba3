package secretstore_test

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
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

// TestStagedTwice: a rotation replaces one that was staged and never promoted.
func TestStagedTwice(t *testing.T) {
	w := newMaker(t).memory(t).atRest()
	before := w.active()
	first, second, third := deliveryNumber(2, false), deliveryNumber(3, false), deliveryNumber(4, false)
	must.Equal(t, w.stage(first), "", "staged with")
	w.line.down = true
	check.Equal(t, w.stage(second), adapter.StoreUnavailable, "staged with")
	w.line.down = false
	w.settle()
	code := w.promote(first)
	check.That(t, code == adapter.PromotionInterrupted && w.active() == before, "promoted with %q", code)
	if code := w.stage(third); code != "" || seal.Text(w.standing().record, "standby") != "slot-000005" {
		t.Errorf("staged with %q, the pointer is %v", code, w.standing().record)
	}
	w.service.tell(follows)
	if code := w.promote(third); code != "" || w.active() != "slot-000005" {
		t.Errorf("promoted with %q, %s is in use", code, w.active())
	}
	w.epilogue()
}

// desired is the first state that the console wants in all worlds.
var desired = adapter.Desired{
	IntegrationID: "store-1", Kind: "secret_store", AdapterReference: "local/payments",
	ProfileID: "payments-api", Revision: 1, Enabled: true,
}

// delivery is one that the agent has to carry out.
type delivery struct {
	adapter.Delivery
	automatic bool
	digest    string // certificate_sha256
}

func deliveryNumber(n int, automatic bool) delivery {
	pair := pairNumber(n)
	return delivery{adapter.Delivery{
		Desired: desired, TransactionID: fmt.Sprintf("transaction-%d", n),
		Certificates: pair.Certificate, Key: pair.PrivateKey.(crypto.Signer),
	}, automatic, pemDigest(pair.Certificate)}
}

// Pairs are made once, as keys take their time.
var (
	pairs     = map[int]tls.Certificate{}
	pairsLock sync.Mutex
	issuer    = sync.OnceValue(func() *testca.Authority { return testca.New("issuer") })
)

// pairNumber is a leaf with its issuer and its key; 0 is the bootstrap's.
func pairNumber(n int) tls.Certificate {
	pairsLock.Lock()
	defer pairsLock.Unlock()
	if _, there := pairs[n]; !there {
		template := testca.ServerTemplate()
		template.SerialNumber = big.NewInt(int64(n) + 1)
		template.DNSNames = []string{"payments.example"}
		template.NotBefore, template.NotAfter = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2046, 1, 1, 0, 0, 0, 0, time.UTC)
		pair := issuer().Issue(template)
		pair.Certificate = append(pair.Certificate, issuer().Certificate.Raw)
		pairs[n] = pair
	}
	return pairs[n]
}

// pemOf writes certificates, independently of the package under test.
func pemOf(chain [][]byte) string {
	var doc string
	for _, der := range chain {
		doc += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	return doc
}
