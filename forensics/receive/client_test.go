package receive

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"testing"

	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestClientOf: a client is named as its certificate names it, not as net/url
// would spell that.
func TestClientOf(t *testing.T) {
	ca := testca.New("ours")
	for id, want := range map[string]string{
		"spiffe://acme.example/node/oslo":   "spiffe://acme.example/node/oslo",
		"SPIFFE://acme.example/node/oslo":   "SPIFFE://acme.example/node/oslo",
		"spiffe://acme.example/node/oslo#":  "spiffe://acme.example/node/oslo#",
		"spiffe://acme.example/node/oslo#x": "spiffe://acme.example/node/oslo#x",
	} {
		template := testca.SpeltTemplate("", id)
		template.Subject = pkix.Name{}
		state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{ca.Issue(template).Leaf}}
		if got := clientOf(state); got != want {
			t.Errorf("%s is named %q", id, got)
		}
	}
}
