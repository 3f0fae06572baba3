package netbound

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// piped is a listener to which a test connects.
type piped chan net.Conn

func (p piped) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p piped) Close() error   { close(p); return nil }
func (p piped) Addr() net.Addr { return &net.UnixAddr{} }

// serve serves a handler over at most so many connections.
func serve(t *testing.T, most int, h http.HandlerFunc) (connect func() net.Conn) {
	p := make(piped)
	// #nosec G112 -- no timeout ends a connection here but the rule that is tested
	server := &http.Server{Handler: Handler(h), ConnContext: WithConn, ConnState: ConnState}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(New(p, most)) }()
	t.Cleanup(func() {
		err := errors.Join(server.Close(), <-ended)
		check.That(t, errors.Is(err, http.ErrServerClosed), "%v", err)
	})
	return func() net.Conn {
		client, conn := net.Pipe()
		go func() { p <- conn }()
		t.Cleanup(func() { client.Close() })
		return client
	}
}

func say(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	must.Get(io.WriteString(conn, text))(t)
}

// answered reads an answer.
func answered(t *testing.T, conn net.Conn) {
	t.Helper()
	answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	b, err := io.ReadAll(answer.Body)
	check.That(t, err == nil && answer.StatusCode == http.StatusOK, "%d %q, %v", answer.StatusCode, b, err)
}

// gone reports whether the server closed a connection.
func gone(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Second)) // fails if it is closed
	_, err := conn.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// readAll reads the body and answers.
func readAll(w http.ResponseWriter, r *http.Request) {
	if b, err := io.ReadAll(r.Body); err == nil {
		_, _ = w.Write(b)
	}
}

// TestSlowClients: whatever the server waits for, the connection makes room for one
// more.
func TestSlowClients(t *testing.T) {
	for name, begin := range map[string]func(*testing.T, net.Conn){
		"nothing":     func(*testing.T, net.Conn) {},
		"half a head": func(t *testing.T, c net.Conn) { say(t, c, request[:20]) },
		"half a body": func(t *testing.T, c net.Conn) {
			say(t, c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf")
		},
		"half a chunk": func(t *testing.T, c net.Conn) {
			say(t, c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nh")
		},
		"an idle one": func(t *testing.T, c net.Conn) {
			say(t, c, request)
			answered(t, c)
		},
		"an answer that is not read": func(t *testing.T, c net.Conn) { say(t, c, request) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				connect := serve(t, 2, readAll)
				var slow []net.Conn
				for range 5 {
					conn := connect()
					begin(t, conn)
					synctest.Wait()
					slow = append(slow, conn)
					time.Sleep(time.Second)
				}
				honest := connect()
				say(t, honest, request)
				answered(t, honest)
				synctest.Wait()
				if name == "an answer that is not read" {
					return // reading it would say nothing
				}
				for i, conn := range slow {
					got := gone(conn)
					check.That(t, got == (i < 4), "connection %d is closed: %v", i, got)
				}
			})
		})
	}
}

// TestWork: a connection stays while the server works on its request, and a further one
// waits until it is done.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		connect := serve(t, 2, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-proceed
		})
		first, second := connect(), connect()
		for _, conn := range []net.Conn{first, second} {
			say(t, conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
		}
		synctest.Wait()
		third := connect()
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			_, _ = io.WriteString(third, request)
		}()
		time.Sleep(time.Minute)
		select {
		case <-asked:
			t.Error("a third connection was accepted")
		default:
		}
		proceed <- struct{}{}
		proceed <- struct{}{}
		answered(t, first)
		answered(t, second)
		proceed <- struct{}{}
		<-asked
		answered(t, third)
	})
}

// TestSlowest: the connection that brings least goes, however old the others are, and
// before it one of a client with more connections.
func TestSlowest(t *testing.T) {
	now := time.Unix(1, 0)
	for name, c := range map[string]struct {
		conns []counted
		want  int
	}{
		"the oldest of the silent": {[]counted{{since: now.Add(-time.Second)}, {since: now.Add(-time.Minute)}}, 1},
		"the slower": {[]counted{{since: now.Add(-time.Minute), octets: 1 << 20},
			{since: now.Add(-time.Second)}}, 1},
		"not one with work": {[]counted{{since: now.Add(-time.Minute), working: true}, {since: now}}, 1},
		"one that does not read": {[]counted{{since: now.Add(-time.Minute), working: true, writes: 1,
			writing: now.Add(-patience)}, {since: now, working: true}}, 0},
		"of the client with most": {[]counted{{since: now.Add(-time.Hour)}, {owner: owner{1}, since: now},
			{owner: owner{1}, since: now.Add(-time.Second)}}, 2},
	} {
		l := New(nil, 0)
		l.now = func() time.Time { return now }
		for i := range c.conns {
			conn := &c.conns[i]
			conn.Conn, _ = net.Pipe()
			l.open[conn] = struct{}{}
			l.owned[conn.owner]++
		}
		l.closeSlowest(func(*counted) bool { return true })
		for i := range c.conns {
			_, open := l.open[&c.conns[i]]
			check.That(t, open != (i == c.want), "%s: connection %d is open: %v", name, i, open)
		}
	}
}

// TestShare: one client has at most half of the connections, and loses its slowest. It
// is refused if the server works on all of them.
func TestShare(t *testing.T) {
	for working, fair := range map[bool]bool{false: true, true: false} {
		l := New(nil, 4)
		var all []*counted
		for range 3 {
			c := &counted{of: l, working: working, since: l.now()}
			c.Conn, _ = net.Pipe()
			l.open[c] = struct{}{}
			l.owned[c.owner]++
			all = append(all, c)
		}
		got := []bool{all[0].belongTo(owner{1}), all[1].belongTo(owner{1}), all[2].belongTo(owner{1})}
		check.That(t, got[0] && got[1] && got[2] == fair, "working %v: %v", working, got)
	}
}
