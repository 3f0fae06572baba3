//go:build unix

package nodeconfig

import (
	"crypto/ecdh"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

func TestIdentities(t *testing.T) {
	const at = "/otlp_audit_client_certificate_file"
	client, server := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
	authority := configtest.Issue(configtest.Authority(), nil)
	other := configtest.Issue(configtest.Authority(), nil)
	leaf := func(change func(*x509.Certificate), usages ...x509.ExtKeyUsage) *configtest.Issued {
		template := configtest.Leaf(usages...)
		change(template)
		return configtest.Issue(template, authority)
	}
	same := func(*x509.Certificate) {}
	good := leaf(same, client)
	expired := configtest.Authority()
	expired.NotAfter = configtest.At.Add(-time.Second)
	old := configtest.Issue(expired, nil)
	tests := []struct {
		name           string
		chain          []*configtest.Issued
		pointer, found string
	}{
		{"leaf alone", []*configtest.Issued{good}, "", ""},
		{"leaf and issuer", []*configtest.Issued{good, authority}, "", ""},
		{"both usages", []*configtest.Issued{leaf(same, server, client)}, "", ""},
		{"server usage", []*configtest.Issued{leaf(same, server)}, at, "1 other usage"},
		{"any usage", []*configtest.Issued{leaf(same, x509.ExtKeyUsageAny)}, at, "1 other usage"},
		{"no usage", []*configtest.Issued{leaf(same)}, at, "no extended key usage"},
		{"CA", []*configtest.Issued{leaf(func(c *x509.Certificate) { c.IsCA = true }, client)}, at, "certificate of a CA"},
		{"wrong issuer", []*configtest.Issued{good, other}, at, "certificate 1 that the next one has not signed"},
		{"issuer twice removed", []*configtest.Issued{good, authority, good}, at,
			"certificate 2 that the next one has not signed"},
		{"from now", []*configtest.Issued{leaf(func(c *x509.Certificate) { c.NotBefore = configtest.At }, client)}, "", ""},
		{"from the next second",
			[]*configtest.Issued{leaf(func(c *x509.Certificate) { c.NotBefore = configtest.At.Add(time.Second) }, client)}, at,
			"valid from 2026-03-02T09:00:01Z"},
		{"until now", []*configtest.Issued{leaf(func(c *x509.Certificate) { c.NotAfter = configtest.At }, client)}, "", ""},
		{"until the last second",
			[]*configtest.Issued{leaf(func(c *x509.Certificate) { c.NotAfter = configtest.At.Add(-time.Second) }, client)}, at,
			"to 2026-03-02T08:59:59Z"},
		{"old issuer", []*configtest.Issued{configtest.Issue(configtest.Leaf(client), old), old}, at, "certificate 2, valid"},
	}
	s := newScene(t)
	for _, tt := range tests {
		s.T = t
		t.Run(tt.name, func(t *testing.T) {
			s := scene{t, s.dir}
			s.identity("exporter", tt.chain[0].Key, tt.chain...)
			s.wants(tt.pointer, tt.found)
		})
	}
	s.identity("exporter", other.Key, good)
	s.wants("/otlp_audit_client_private_key_file", "another one")
	s.identity("exporter", good.Key, good)
	for name, pointer := range map[string]string{"node": "/cloud_client_certificate_file",
		"store-client": "/secret_store_client_certificate_file"} {
		wrong := leaf(same, server)
		s.identity(name, wrong.Key, wrong)
		s.wants(pointer, "1 other usage")
		s.identity(name, good.Key, good)
	}
	s.identity("bootstrap", good.Key, good) // the use of its certificate is the workload's affair
	s.wants("", "")
	s.identity("api", good.Key, good)
	s.wants("/local_api_certificate_file", "1 other usage")
}

func TestAuthorities(t *testing.T) {
	issue := func(change func(*x509.Certificate)) *configtest.Issued {
		template := configtest.Authority()
		change(template)
		return configtest.Issue(template, nil)
	}
	good := issue(func(*x509.Certificate) {})
	old := issue(func(c *x509.Certificate) { c.NotAfter = configtest.At.Add(-time.Second) })
	leaf := configtest.Issue(configtest.Leaf(), good)
	tests := []struct {
		name   string
		bundle []*configtest.Issued
		found  string
	}{
		{"two", []*configtest.Issued{good, issue(func(*x509.Certificate) {})}, ""},
		{"no key usage", []*configtest.Issued{issue(func(c *x509.Certificate) { c.KeyUsage = 0 })}, ""},
		{"signs revocations only", []*configtest.Issued{good,
			issue(func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageCRLSign })}, "certificate 2 that is none of a CA"},
		{"leaf", []*configtest.Issued{leaf}, "certificate 1 that is none of a CA"},
		{"leaf among others", []*configtest.Issued{good, leaf}, "certificate 2 that is none of a CA"},
		{"one is old", []*configtest.Issued{old, good}, ""},
		{"all are old", []*configtest.Issued{old}, "none: valid from"},
		{"as many as there may be", slices.Repeat([]*configtest.Issued{good}, maxCertificates), ""},
		{"one more", slices.Repeat([]*configtest.Issued{good}, maxCertificates+1), "65 certificates"},
	}
	dir := newScene(t).dir
	for setting, name := range bundleFiles {
		for _, tt := range tests {
			t.Run(setting+"/"+tt.name, func(t *testing.T) {
				s := scene{t, dir}
				s.put(name, configtest.Certificates(tt.bundle...))
				defer s.put(name, configtest.Certificates(good))
				if tt.found == "" {
					s.wants("", "")
				} else {
					s.wants("/"+setting, tt.found)
				}
			})
		}
	}
}

func TestPEM(t *testing.T) {
	s := newScene(t)
	certificate, key := s.bytes("pki/node.pem"), s.bytes("pki/node.key")
	x25519 := must.Get(ecdh.X25519().GenerateKey(rand.Reader))(s)
	der := must.Get(x509.MarshalPKCS8PrivateKey(x25519))(s)
	block := func(kind string, content []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
	}
	headed := func(doc []byte) []byte {
		b, _ := pem.Decode(doc)
		b.Headers = map[string]string{"Proc-Type": "4,ENCRYPTED"}
		return pem.EncodeToMemory(b)
	}
	retyped := func(doc []byte) []byte {
		b, _ := pem.Decode(doc)
		return block("TRUSTED CERTIFICATE", b.Bytes)
	}
	broken := []byte("-----BEGIN X-----\n!\n-----END X-----\n")
	for name, doc := range map[string][]byte{
		"empty": nil, "no PEM": []byte("x"), "text first": append([]byte("x\n"), certificate...),
		"text last":          append(slices.Clone(certificate), "x"...),
		"broken block first": append(slices.Clone(broken), certificate...), "a key": key,
		"a key last": append(slices.Clone(certificate), key...),
		"headers":    headed(certificate), "no certificate": block("CERTIFICATE", []byte{0x30, 0}),
		"other type": retyped(certificate), "too long": append(slices.Clone(certificate), strings.Repeat("\n", maxPublic)...),
	} {
		t.Run("certificate/"+name, func(t *testing.T) {
			s := scene{t, s.dir}
			s.put("pki/node.pem", doc)
			s.wants("/cloud_client_certificate_file", "")
		})
	}
	s.put("pki/node.pem", append([]byte("\n \r\n"), certificate...))
	s.wants("", "")
	for name, doc := range map[string][]byte{
		"empty": nil, "no PEM": []byte("x"), "text first": append([]byte("x\n"), key...),
		"text last": append(slices.Clone(key), "x"...), "two keys": append(slices.Clone(key), key...),
		"broken block first": append(slices.Clone(broken), key...), "a certificate": certificate, "headers": headed(key),
		"no key": block("PRIVATE KEY", []byte{0x30, 0}), "key agreement": block("PRIVATE KEY", der),
		"other type": block("ENCRYPTED PRIVATE KEY", der),
		"too long":   append(slices.Clone(key), strings.Repeat("\n", maxSecret)...),
	} {
		t.Run("key/"+name, func(t *testing.T) {
			s := scene{t, s.dir}
			s.put("pki/node.key", doc)
			s.wants("/cloud_client_private_key_file", "")
		})
	}
	s.put("pki/node.key", append([]byte("\n"), key...))
	s.wants("", "")
}

// TestReadClient: a renewed identity is read from the same files, by the same
// rules.
func TestReadClient(t *testing.T) {
	s := newScene(t)
	config, _ := s.read(configtest.At)
	id := config.Export.Identity
	renewed := configtest.Issue(configtest.Leaf(x509.ExtKeyUsageClientAuth), nil)
	s.identity("exporter", renewed.Key, renewed)
	read, faults := id.ReadClient(configtest.At)
	check.That(t, len(faults) == 0 && read.Chain[0].Equal(renewed.Certificate) && matchesKey(read.Key, read.Chain[0]) &&
		read.CertificateFile == id.CertificateFile, "%v, %v", read, faults)
	check.That(t, !id.Chain[0].Equal(renewed.Certificate), "what was read before has changed")
}

// TestReadClientRefuses: a fault is reported, and a readable chain is returned.
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
