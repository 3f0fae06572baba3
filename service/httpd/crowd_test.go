package httpd

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestCrowd: clients that come to no end keep nobody out, be they more than there are
// connections. An honest client is answered while they hold the others, even one with
// the certificate that they have.
func TestCrowd(t *testing.T) {
	ca := testca.New("test")
	same := ca.Client("test", oslo)
	config := &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{same}, MinVersion: tls.VersionTLS13,
		ServerName: "127.0.0.1"}
	const patient = 8 * time.Second // less than a connection without a request may stay
	const half = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{"
	for name, begin := range map[string]func(net.Conn) (net.Conn, error){
		"no handshake": func(c net.Conn) (net.Conn, error) { return c, nil },
		"half a body": func(c net.Conn) (net.Conn, error) {
			over := tls.Client(c, config)
			_, err := io.WriteString(over, half)
			return over, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, ServerTLS(ca.Server(), ca.Pool()), Handle(who))
			var crowd []net.Conn
			for range maxConnections + 10 {
				conn, err := net.Dial("tcp", strings.TrimPrefix(base, "https://"))
				must.Do(t, err)
				defer conn.Close()
				if conn, err = begin(conn); err != nil {
					t.Fatal(err)
				}
				crowd = append(crowd, conn)
			}
			for who, identity := range map[string]tls.Certificate{"another": ca.Client("test", oslo), "the same": same} {
				client := NewClient(ClientConfig{URL: base, Roots: ca.Pool(), Identity: identity, Timeout: patient})
				defer client.Close()
				check.OK(t, check.Err(client.Do(t.Context(), http.MethodGet, "/x", nil)), "%s", who)
			}
			if held := stillOpen(crowd); held == 0 || held > maxConnections {
				t.Errorf("%d connections are open, expected some of %d", held, maxConnections)
			}
		})
	}
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
