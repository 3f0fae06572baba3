package receive

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestStop: a request that is on its way when the sink stops is kept and
// answered, and no other is taken.
func TestStop(t *testing.T) {
	s := start(t, options(t.TempDir()))
	body := proto(journal()[:50]...)
	from, to := io.Pipe()
	r := must(http.NewRequest(http.MethodPost, s.base+logsPath, from))
	r.Header.Set("Content-Type", typeProto)
	status := make(chan int, 1)
	go func() {
		answer, err := oslo().Do(r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		answer.Body.Close()
		status <- answer.StatusCode
	}()
	must(to.Write(body[:1000]))
	<-s.active
	stopped := make(chan Counts, 1)
	go func() { stopped <- s.stop() }()
	must(to.Write(body[1000:]))
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-status; got != http.StatusOK {
		t.Errorf("answered %d", got)
	}
	if got := <-stopped; got.Requests != 1 || got.Events != 50 {
		t.Errorf("%+v", got)
	}
	if r, err := s.post(client(ours().Client("late")), message{kind: typeProto, body: body}); err == nil {
		t.Errorf("%d after the stop", r.status)
	}
	sources := must(s.reader().Sources(t.Context()))
	if len(sources) != 1 || sources[0].Events != 50 {
		t.Errorf("%+v", sources)
	}
}

// always is a listener to which somebody always connects.
type always struct{ net.Listener }

func (always) Accept() (net.Conn, error) {
	conn, _ := net.Pipe()
	return conn, nil
}

func (always) Close() error { return nil }

// TestConnections: more connections than there may be have to wait while
// requests come over all others, until one is closed, however often.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newBounded(always{}, 2)
		accepted, ended := acceptAll(l, func(conn net.Conn) { requestCame(withConn(t.Context(), conn)) })
		for _, want := range []int{2, 1, 1} {
			synctest.Wait()
			if len(accepted) != want {
				t.Fatalf("%d connections, want %d", len(accepted), want)
			}
			conn := <-accepted
			for range want - 1 {
				<-accepted
			}
			_, _ = conn.Close(), conn.Close()
		}
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}

// acceptAll accepts connections until the listener is closed.
func acceptAll(l net.Listener, each func(net.Conn)) (accepted chan net.Conn, ended chan error) {
	accepted, ended = make(chan net.Conn, 10), make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			each(conn)
			accepted <- conn
		}
	}()
	return accepted, ended
}

// few is a listener to which somebody connects so many times.
type few struct {
	net.Listener
	left chan net.Conn
}

func (f few) Accept() (net.Conn, error) {
	conn, ok := <-f.left
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

// TestSilentConnections: of those that say nothing, the oldest makes room for one
// more; those over which a request came stay.
func TestSilentConnections(t *testing.T) {
	f := few{left: make(chan net.Conn, 10)}
	var others []net.Conn
	for range 5 {
		conn, other := net.Pipe()
		f.left <- conn
		others = append(others, other)
	}
	close(f.left)
	l := newBounded(f, 3)
	n := 0
	_, ended := acceptAll(l, func(conn net.Conn) {
		if n++; n == 1 {
			requestCame(withConn(t.Context(), conn))
		}
	})
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	for i, closed := range []bool{false, true, true, false, false} {
		_ = others[i].SetDeadline(time.Unix(1, 0)) // fails where the other side is closed
		_, err := others[i].Read(make([]byte, 1))
		if (err == io.EOF) != closed {
			t.Errorf("connection %d: %v", i, err)
		}
	}
	if len(l.fresh) != 2 || len(l.slots) != 3 {
		t.Errorf("%d fresh ones of %d", len(l.fresh), len(l.slots))
	}
}

// TestSilentClients: however many connect and say nothing, a request comes
// through.
func TestSilentClients(t *testing.T) {
	o := options(t.TempDir())
	o.MaxConnections = 8
	s := start(t, o)
	for n := range 40 {
		conn := must(net.Dial("tcp", strings.TrimPrefix(s.base, "https://")))
		t.Cleanup(func() { conn.Close() })
		if n%10 == 9 {
			r, err := s.post(client(ours().Client(fmt.Sprint("client-", n))), message{kind: typeProto, body: proto(journal()[n])})
			if err != nil || r.status != http.StatusOK {
				t.Errorf("after %d silent connections: %d, %v", n+1, r.status, err)
			}
		}
	}
}

// TestAfterTheStop: a request that comes to the archive too late is put off.
func TestAfterTheStop(t *testing.T) {
	s := start(t, options(t.TempDir()))
	s.stop()
	if _, err := s.archive.keep(&job{err: make(chan error, 1)}); err != errStopped {
		t.Error(err)
	}
	if a := s.notKept(errStopped); a.status != http.StatusServiceUnavailable || a.header != "Retry-After" {
		t.Errorf("%+v", a)
	}
}
