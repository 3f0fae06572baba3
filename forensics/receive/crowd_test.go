package receive

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// slowly are ways to keep a connection and to come to no end. Each gives the bytes
// that are sent after the handshake, and nil where there is none.
var slowly = map[string][]string{
	"no handshake":      nil,
	"nothing sent":      {""},
	"half a head":       {"POST /v1/logs HTTP/1.1\r\nHost: sink\r\nContent-"},
	"half a body":       {posted("/v1/logs", "Content-Length: 9999", "half")},
	"half a chunk":      {posted("/v1/logs", "Transfer-Encoding: chunked", "99\r\n{")},
	"no end of a gzip":  {posted("/v1/logs", "Content-Encoding: gzip\r\nContent-Length: 99", "\x1f\x8b")},
	"no second request": {posted("/v1/logs", "Content-Length: 0", "")},
	"a refused body":    {posted("/elsewhere", "Content-Length: 9999", "half")},
}

// posted is a request, or the beginning of one.
func posted(path, header, body string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: sink\r\nContent-Type: " + typeProto + "\r\n" + header + "\r\n\r\n" + body
}

// keepOpen opens a connection as a slow client does.
func (s *sink) keepOpen(client *http.Client, sent []string) net.Conn {
	s.t.Helper()
	conn := must.Have(net.Dial("tcp", strings.TrimPrefix(s.base, "https://")))
	s.t.Cleanup(func() { conn.Close() })
	for _, text := range sent {
		config := client.Transport.(*http.Transport).TLSClientConfig.Clone()
		config.ServerName = "127.0.0.1"
		conn = tls.Client(conn, config)
		if _, err := io.WriteString(conn, text); err != nil {
			s.t.Fatal(err)
		}
	}
	return conn
}

// stillOpen counts the connections that the server has not closed.
func stillOpen(all []net.Conn) (n int) {
	for _, conn := range all {
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond)) // fails if it is closed
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			n++
		}
	}
	return n
}

// TestCrowd: slow clients hold every connection, and an honest one is answered while
// they do, whether or not it has the certificate that they have.
func TestCrowd(t *testing.T) {
	const most = 8
	for i, name := range slices.Sorted(maps.Keys(slowly)) {
		honest := []*http.Client{oslo(), lisbon()}[i%2]
		s := start(t, withConnections(t, most))
		var slow []net.Conn
		for range 3*most + 1 {
			slow = append(slow, s.keepOpen(oslo(), slowly[name]))
		}
		s.answers(honest)
		n := stillOpen(slow)
		check.That(t, n != 0 && n <= most, "%s: %d slow connections are open, want some of %d", name, n, most)
	}
}

// TestManyConnections is the same with the usual number of connections and slow bodies.
func TestManyConnections(t *testing.T) {
	most := chance.Sized(256, 32)
	s := start(t, withConnections(t, most))
	var slow []net.Conn
	for i := range 3 * most {
		slow = append(slow, s.keepOpen(oslo(), slowly["half a body"]))
		if i == most || i == 3*most-1 {
			s.answers(lisbon())
			check.That(t, stillOpen(slow[i/2:]) != 0, "behind %d connections: none is open", i+1)
		}
	}
}

// TestMemoryOfOneClient: bodies that one client does not end leave room for another.
func TestMemoryOfOneClient(t *testing.T) {
	s := start(t, withConnections(t, 64))
	for range 8 {
		s.keepOpen(oslo(), []string{posted("/v1/logs", "Content-Length: 1048576", strings.Repeat("x", 1<<20-1))})
	}
	s.answers(lisbon())
}

func withConnections(t *testing.T, most int) Options {
	o := options(t.TempDir())
	o.MaxConnections = most
	return o
}

// answers sends a request over a connection of its own, and wants it kept.
func (s *sink) answers(client *http.Client) {
	s.t.Helper()
	defer client.CloseIdleConnections()
	r, err := s.post(client, message{kind: typeProto, body: proto(journal()[0])})
	check.That(s.t, err == nil && r.status == http.StatusOK, "an honest client: %+v, %v", r, err)
}

func lisbon() *http.Client { return client(ours().Client("lisbon")) }

// TestBodies: a body of twice the size makes at most twice the work, whatever it holds.
func TestBodies(t *testing.T) {
	for name, body := range map[string]func(n int) (string, []byte){
		"many records": func(n int) (string, []byte) { return typeProto, proto(slices.Repeat([][]byte{[]byte("x")}, n)...) },
		"many events":  func(n int) (string, []byte) { return typeProto, proto(journal()[:n/8]...) },
		"JSON records": func(n int) (string, []byte) { return typeJSON, asJSON(slices.Repeat([][]byte{[]byte("{}")}, n)...) },
		"open arrays":  func(n int) (string, []byte) { return typeJSON, bytes.Repeat([]byte("["), n) },
		"empty groups": func(n int) (string, []byte) { return typeProto, bytes.Repeat([]byte{0x0a, 0}, n) },
	} {
		work := func(n int) float64 {
			kind, b := body(n)
			format, _ := formatOf(kind)
			return testing.AllocsPerRun(2, func() {
				_, _ = ingest.ReadRequest(t.Context(), ingest.Head{Format: format}, b) // also if it is refused
			})
		}
		if once, twice := work(4000), work(8000); twice > 2.2*once+200 {
			t.Errorf("%s: %.0f allocations, and %.0f for twice as much", name, once, twice)
		}
	}
}
