package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

// failing waits until an exporter fails in a way, and returns the logged text, which contains
// no key of the client or of the node.
func (b *bench) failing(c Config, want string) (log string, stop func()) {
	b.Helper()
	var lines must.Text
	c.Log = logTo(&lines)
	e, stop := b.run(c)
	must.Eventually(b, "a failure", func() bool { return e.Status().Failures > 0 })
	s := e.Status()
	check.That(b, s.ErrorCode == want && s.Cursor == 0, "expected %s, found %s\n%s", want, describe(s), lines.String())
	log = lines.String()
	check.That(b, !strings.Contains(log, "PRIVATE") && !strings.Contains(log, string(nodeKey.Private.Seed())),
		"the log holds a key")
	return log, stop
}

// TestIdentityExpiredAndRenewed: nothing is sent with a certificate that is not
// valid now, and a renewed file is taken up without a restart.
func TestIdentityExpiredAndRenewed(t *testing.T) {
	for name, change := range map[string]func(*x509.Certificate){
		"expired":   func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Second) },
		"not valid": func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.append(3, 10)
			e, _ := b.run(b.config())
			b.drained(e) // there is a connection now
			template := testca.ClientTemplate("exporter")
			change(template)
			b.identify(b.authority.Issue(template))
			before := b.collector.Counts().Requests
			b.append(3, 10)
			e.Wake()
			must.Eventually(b, "three failures", func() bool { return e.Status().Failures >= 3 })
			s := e.Status()
			check.That(t, s.ErrorCode == ClientIdentityExpired && s.Cursor == 3, "%v", describe(s))
			check.Equal(t, b.collector.Counts().Requests-before, 0, "requests with such a certificate")
			b.renew()
			b.drained(e)
			b.checkDeliveries(b.deliveries())
		})
	}
}

// TestRenewedIdentityIsShown: the next request after a renewal comes over a
// connection of the new certificate, though the old one is still valid.
func TestRenewedIdentityIsShown(t *testing.T) {
	b := newBench(t)
	var mu sync.Mutex
	var seen []string
	c := b.config()
	c.Export.Endpoint = b.serve(&tls.Config{ClientAuth: tls.RequireAnyClientCert}, func(r *http.Request) string {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(r.TLS.PeerCertificates[0].SerialNumber))
		return ""
	})
	e, _ := b.run(c)
	for range 2 {
		b.append(1, 10)
		b.drained(e)
	}
	b.renew()
	b.append(1, 10)
	b.drained(e)
	mu.Lock()
	defer mu.Unlock()
	check.That(t, len(seen) == 3 && seen[0] == seen[1] && seen[1] != seen[2],
		"the collector saw the certificates %q", seen)
}

// TestConnections: only the collector that the configuration pins is talked to,
// only by TLS 1.3, and only as who the collector knows.
func TestConnections(t *testing.T) {
	stranger := testca.New("collector CA") // only by name
	for name, c := range map[string]struct {
		prepare func(*bench, *Config)
		why     string // in the log
	}{
		"wrong CA": {func(_ *bench, c *Config) {
			c.Export.Authorities.Certificates = []*x509.Certificate{stranger.Certificate}
		}, "certificate signed by unknown authority"},
		"another host": {func(b *bench, c *Config) {
			another := b.serverIdentity(net.IPv4(192, 0, 2, 1))
			c.Export.Endpoint = b.serve(&tls.Config{Certificates: []tls.Certificate{another}}, noRemark)
		}, "certificate is valid for 192.0.2.1"},
		"TLS 1.2": {func(b *bench, c *Config) {
			c.Export.Endpoint = b.serve(&tls.Config{MaxVersion: tls.VersionTLS12}, noRemark) // #nosec G402 -- to be refused
		}, "protocol version"},
		"a client nobody knows": {func(b *bench, _ *Config) {
			b.identify(stranger.Client("exporter"))
		}, ""}, // the message depends on which side is faster
		"a key for all to read": {func(b *bench, _ *Config) {
			configtest.Put(b, b.dir, "client.key", 0o644, nil)
		}, "otlp_audit_client_private_key_file"},
		"a certificate for servers": {func(b *bench, _ *Config) {
			b.identify(b.authority.Server())
		}, "extended key usage clientAuth"},
		"no HTTP": {func(b *bench, c *Config) {
			c.Export.Endpoint = "https://" + b.listen(func(conn net.Conn) { conn.Write([]byte("SSH-2.0-x\r\n")) }) +
				collector.Path
		}, "does not look like a TLS handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.append(3, 10)
			config := b.config()
			c.prepare(b, &config)
			log, stop := b.failing(config, TransportFailed)
			check.That(t, strings.Contains(log, c.why), "expected %q, found %s", c.why, log)
			stop()
			check.Equal(t, b.collector.Counts().Records, 0, "records arrived")
			// The near miss: with everything in order they do.
			b.renew()
			e, _ := b.run(b.config())
			b.drained(e)
		})
	}
}

// TestNoProxy: the proxy settings of the environment are not used.
func TestNoProxy(t *testing.T) {
	b := newBench(t)
	s := sender{export: b.export()}
	must.Do(t, s.identify(time.Now()))
	check.That(t, s.transport.Proxy == nil, "a proxy is asked for")
}

func noRemark(*http.Request) string { return "" }

// serve runs a server that accepts everything with an answer, and returns its endpoint. It has
// the identity of 127.0.0.1 if the configuration has none.
func (b *bench) serve(c *tls.Config, answer func(*http.Request) string) string {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = io.WriteString(w, answer(r))
	}))
	if c.Certificates == nil {
		c.Certificates = []tls.Certificate{b.serverIdentity(net.IPv4(127, 0, 0, 1))}
	}
	server.TLS = c
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	b.Cleanup(server.Close)
	return server.URL + collector.Path
}

// listen accepts connections and hands them over; they are closed afterwards.
func (b *bench) listen(f func(net.Conn)) (address string) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(b)
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f(conn)
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}
