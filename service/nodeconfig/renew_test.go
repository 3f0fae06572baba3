//go:build unix

package nodeconfig

import (
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

// TestReadClient: a renewed identity is read from the same files, by the same
// rules.
func TestReadClient(t *testing.T) {
	s := newScene(t)
	config, _ := s.read(configtest.At)
	id := config.Export.Identity
	renewed := configtest.Issue(configtest.Leaf(x509.ExtKeyUsageClientAuth), nil)
	s.identity("exporter", renewed.Key, renewed)
	read, faults := id.ReadClient(configtest.At)
	check.That(t, len(faults) == 0 && read.Chain[0].Equal(renewed.Certificate) && matches(read.Key, read.Chain[0]) &&
		read.CertificateFile == id.CertificateFile, "%v, %v", read, faults)
	check.That(t, !id.Chain[0].Equal(renewed.Certificate), "what was read before has changed")
}

// TestReadClientRefuses: a fault is a fault, and what can be read of the chain
// is there.
func TestReadClientRefuses(t *testing.T) {
	server := configtest.Issue(configtest.Leaf(x509.ExtKeyUsageServerAuth), nil)
	for name, c := range map[string]struct {
		change func(scene)
		at     time.Time
		chain  bool
		want   string
	}{
		"expired": {func(scene) {}, configtest.At.AddDate(0, 2, 0), true, "valid now"},
		"readable by others": {func(s scene) { s.chmod("pki/exporter.key", 0o640) }, configtest.At, true,
			"/otlp_audit_client_private_key_file"},
		"another usage": {func(s scene) { s.identity("exporter", server.Key, server) }, configtest.At, true, "clientAuth"},
		"another key": {func(s scene) { s.put("pki/exporter.key", testca.PrivateKey(server.Key)) },
			configtest.At, true, "another one"},
		"no certificate": {func(s scene) { s.put("pki/exporter.pem", nil) }, configtest.At, false, "0 certificates"},
		"a pipe":         {func(s scene) { s.pipe("pki/exporter.pem") }, configtest.At, false, "pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			config, _ := s.read(configtest.At)
			c.change(s)
			read, faults := config.Export.Identity.ReadClient(c.at)
			check.That(t, len(faults) != 0 && strings.Contains(faults.Error(), c.want) && (len(read.Chain) > 0) == c.chain,
				"%d certificates, %v", len(read.Chain), faults)
		})
	}
}
