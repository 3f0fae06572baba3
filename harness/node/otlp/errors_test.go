package otlp

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
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

	"github.com/svc-edge/svc-verify/harness/collector"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/internal/nodeconfig/configtest"
)

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestCodes: each way in which a collector fails has its code, the cursor stays,
// and afterwards nothing is lost.
func TestCodes(t *testing.T) {
	for mode, want := range map[collector.Mode]string{
		collector.Down:         TransportFailed,
		collector.Slow:         TransportFailed,
		collector.Lost:         TransportFailed,
		collector.Torn:         TransportFailed,
		collector.Redirect:     TransportFailed,
		collector.RedirectGet:  TransportFailed,
		collector.Reject400:    CollectorRejected,
		collector.Reject429:    CollectorRejected,
		collector.Reject503:    CollectorRejected,
		collector.Partial:      PartialSuccess,
		collector.GarbageBody:  ResponseInvalid,
		collector.GarbageType:  ResponseInvalid,
		collector.GarbageLarge: ResponseInvalid,
		collector.GarbageCut:   ResponseInvalid,
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c := b.config()
			if mode == collector.Slow {
				c.Export.RequestTimeout = 50 * time.Millisecond
			}
			b.append(7, 10)
			e, _ := b.run(c)
			b.drained(e)
			before := b.cursor()
			b.must(b.collector.SetMode(mode))
			b.append(10, 10)
			b.await("two failures", func() bool { return e.Status().Failures >= 2 })
			if s := e.Status(); s.ErrorCode != want || s.Health() != "degraded" || s.Cursor != 7 || s.Backlog() != 10 || s.Successes != 1 {
				t.Errorf("expected %s, found %s", want, describe(s))
			}
			if after := b.cursor(); wire.Digest(after) != wire.Digest(before) {
				t.Errorf("the cursor moved to %v", after)
			}
			b.must(b.collector.SetMode(collector.Accept))
			b.drained(e)
			again := b.checkDeliveries(b.deliveries())
			if keeps := mode != collector.Down && want != CollectorRejected && mode != collector.Redirect && mode != collector.RedirectGet; keeps != (again > 0) {
				t.Errorf("%d deliveries again", again)
			}
		})
	}
}

// TestEveryModeIsTried holds the table above against the collector's modes.
func TestEveryModeIsTried(t *testing.T) {
	if n := len(collector.Modes()); n != 15 {
		t.Errorf("the collector has %d modes; 14 and accept are tried", n)
	}
}

// failing waits until an exporter fails in a way, and returns what it logged.
func (b *bench) failing(c Config, want string) (log string, stop func()) {
	b.Helper()
	var lines lockedBuffer
	c.Log = logTo(&lines)
	e, stop := b.run(c)
	b.await("a failure", func() bool { return e.Status().Failures > 0 })
	if s := e.Status(); s.ErrorCode != want || s.Cursor != 0 {
		b.Errorf("expected %s, found %s\n%s", want, describe(s), lines.String())
	}
	return lines.String(), stop
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
			template := fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth))
			change(template)
			b.clientIdentity(template, b.authority)
			before := b.collector.Counts().Requests
			b.append(3, 10)
			e.Wake()
			b.await("three failures", func() bool { return e.Status().Failures >= 3 })
			if s := e.Status(); s.ErrorCode != ClientIdentityExpired || s.Cursor != 3 {
				t.Error(describe(s))
			}
			if n := b.collector.Counts().Requests - before; n != 0 {
				t.Errorf("%d requests with such a certificate", n)
			}
			b.clientIdentity(fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth)), b.authority)
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
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(r.TLS.PeerCertificates[0].SerialNumber))
		w.Header().Set("Content-Type", mediaType)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{b.serverIdentity(net.IPv4(127, 0, 0, 1))}, ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	c := b.config()
	c.Export.Endpoint = server.URL + collector.Path
	e, _ := b.run(c)
	for range 2 {
		b.append(1, 10)
		b.drained(e)
	}
	b.clientIdentity(fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth)), b.authority)
	b.append(1, 10)
	b.drained(e)
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 3 || seen[0] != seen[1] || seen[1] == seen[2] {
		t.Errorf("the collector saw the certificates %q", seen)
	}
}

// TestConnections: only the collector that the configuration pins is talked to,
// only by TLS 1.3, and only as who the collector knows.
func TestConnections(t *testing.T) {
	stranger := configtest.Issue(t, fresh(configtest.Authority()), nil)
	for name, c := range map[string]struct {
		prepare func(*bench, *Config)
		why     string // in the log
	}{
		"wrong CA": {func(_ *bench, c *Config) {
			c.Export.Authorities.Certificates = []*x509.Certificate{stranger.Certificate}
		}, "certificate signed by unknown authority"},
		"another host": {func(b *bench, c *Config) {
			c.Export.Endpoint = b.serve(&tls.Config{Certificates: []tls.Certificate{b.serverIdentity(net.IPv4(192, 0, 2, 1))}})
		}, "certificate is valid for 192.0.2.1"},
		"TLS 1.2": {func(b *bench, c *Config) {
			c.Export.Endpoint = b.serve(&tls.Config{Certificates: []tls.Certificate{b.serverIdentity(net.IPv4(127, 0, 0, 1))}, MaxVersion: tls.VersionTLS12}) // #nosec G402 -- to be refused
		}, "protocol version"},
		"a client nobody knows": {func(b *bench, _ *Config) {
			b.clientIdentity(fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth)), stranger)
		}, ""}, // what is heard of it depends on who is faster
		"a key for all to read": {func(b *bench, _ *Config) {
			configtest.Put(b, b.dir, "client.key", 0o644, nil)
		}, "otlp_audit_client_private_key_file"},
		"a certificate for servers": {func(b *bench, _ *Config) {
			b.clientIdentity(fresh(configtest.Leaf(x509.ExtKeyUsageServerAuth)), b.authority)
		}, "extended key usage clientAuth"},
		"no HTTP": {func(b *bench, c *Config) {
			c.Export.Endpoint = "https://" + b.listen(func(conn net.Conn) { conn.Write([]byte("SSH-2.0-x\r\n")) }) + collector.Path
		}, "does not look like a TLS handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.append(3, 10)
			config := b.config()
			c.prepare(b, &config)
			log, stop := b.failing(config, TransportFailed)
			if !strings.Contains(log, c.why) {
				t.Errorf("expected %q, found %s", c.why, log)
			}
			stop()
			if n := b.collector.Counts().Records; n != 0 {
				t.Errorf("%d records arrived", n)
			}
			// The near miss: with everything in order they do.
			b.clientIdentity(fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth)), b.authority)
			e, _ := b.run(b.config())
			b.drained(e)
		})
	}
}

// serve runs a server that accepts everything, and returns its endpoint.
func (b *bench) serve(c *tls.Config) string {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
	}))
	server.TLS = c
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	b.Cleanup(server.Close)
	return server.URL + collector.Path
}

// listen accepts connections and hands them over; they are closed afterwards.
func (b *bench) listen(f func(net.Conn)) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	b.must(err)
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

// TestAnswers judges answers that no mode of the collector gives.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		status     int
		want       string
	}{
		"empty":               {mediaType, "", 200, ""},
		"a parameter":         {mediaType + "; charset=binary", "", 200, ""},
		"nothing was partial": {mediaType, "\x0a\x00", 200, ""},
		"a remark":            {mediaType, "\x0a\x05\x12\x03\x1b[m", 200, ""},
		"unknown fields":      {mediaType, "\x12\x00\x0a\x02\x18\x05", 200, ""},
		"exactly 64 KiB":      {mediaType, "\x7a\xfc\xff\x03" + strings.Repeat(" ", 65532), 200, ""},
		"one byte more":       {mediaType, "\x7a\xfd\xff\x03" + strings.Repeat(" ", 65533), 200, ResponseInvalid},
		"one rejected":        {mediaType, "\x0a\x02\x08\x01", 200, PartialSuccess},
		"fewer than none":     {mediaType, "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 200, ResponseInvalid},
		"no media type":       {"", "", 200, ResponseInvalid},
		"JSON":                {"application/json", "{}", 200, ResponseInvalid},
		"no UTF-8":            {mediaType, "\x0a\x03\x12\x01\xff", 200, ResponseInvalid},
		"created":             {mediaType, "", 201, CollectorRejected},
		"no content":          {mediaType, "", 204, CollectorRejected},
		"not modified":        {mediaType, "", 304, TransportFailed},
		"not found":           {mediaType, "", 404, CollectorRejected},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			if c.kind != "" {
				answer.Header().Set("Content-Type", c.kind)
			}
			answer.WriteHeader(c.status)
			answer.WriteString(c.body)
			_, err := judge(answer.Result())
			if got := code(err); got != c.want {
				t.Errorf("expected %q, found %q", c.want, got)
			}
		})
	}
}

func code(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.code
	}
	return ""
}

// TestRemarkIsQuoted: what a collector says reaches the log in printable form.
func TestRemarkIsQuoted(t *testing.T) {
	b := newBench(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		fmt.Fprint(w, "\x0a\x05\x12\x03\x1b[m")
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{b.serverIdentity(net.IPv4(127, 0, 0, 1))}}
	server.StartTLS()
	defer server.Close()
	var log lockedBuffer
	c := b.config()
	c.Log, c.Export.Endpoint = logTo(&log), server.URL+collector.Path
	b.append(1, 10)
	e, stop := b.run(c)
	b.drained(e)
	stop()
	if text := log.String(); strings.ContainsRune(text, '\x1b') || !strings.Contains(text, `\\x1b[m`) {
		t.Error(text)
	}
}

// TestCursorCommitFailed: while another process has the database locked, the
// batch is sent again and again; afterwards the cursor moves.
func TestCursorCommitFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other, err := sql.Open("sqlite", "file:"+b.path("state/state.db"))
	b.must(err)
	defer other.Close()
	other.SetMaxOpenConns(1)
	b.append(7, 10)
	c := b.config()
	locked := false
	c.Sign = func(statement wire.Object) wire.Object {
		if !locked { // the batch was taken, and the cursor is yet to be written
			locked = true
			_, err := other.Exec("BEGIN IMMEDIATE")
			b.must(err)
		}
		return sign(statement)
	}
	e, _ := b.run(c)
	b.await("a failure", func() bool { return e.Status().Failures > 0 })
	if s := e.Status(); s.ErrorCode != CursorCommitFailed || s.Cursor != 0 || b.cursor() != nil {
		t.Error(describe(s))
	}
	_, err = other.Exec("ROLLBACK")
	b.must(err)
	b.drained(e)
	all := b.deliveries()
	if again := b.checkDeliveries(all); again < 1 {
		t.Errorf("%d deliveries again", again)
	}
	b.checkCursor(all[len(all)-1])
}

// TestPendingBatchNotDurable: what cannot be written down is not sent.
func TestPendingBatchNotDurable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other, err := sql.Open("sqlite", "file:"+b.path("state/state.db"))
	b.must(err)
	defer other.Close()
	b.append(7, 10)
	_, err = other.Exec("CREATE TRIGGER full BEFORE INSERT ON document BEGIN SELECT RAISE(FAIL, 'disk full'); END")
	b.must(err)
	b.failing(b.config(), CursorCommitFailed)
	if n := b.collector.Counts().Requests; n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestEndsWhileWaiting: the end of the context ends a request that is never
// answered, and is no failure.
func TestEndsWhileWaiting(t *testing.T) {
	b := newBench(t)
	b.must(b.collector.SetMode(collector.Slow))
	b.append(1, 10)
	c := b.config()
	c.Export.RequestTimeout = time.Hour
	e, err := New(c)
	b.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	b.await("a request", func() bool { return b.collector.Counts().Records == 1 })
	cancel()
	if err := <-ended; err != nil || e.Status().Failures != 0 {
		t.Error(err, describe(e.Status()))
	}
}
