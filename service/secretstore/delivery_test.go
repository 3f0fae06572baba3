package secretstore_test

import (
	"crypto"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/adapter"
)

// desired is what the console wants at first in all worlds.
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
