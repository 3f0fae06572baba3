package netbound

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

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
		l := New(always{}, 2)
		accepted, ended := acceptAll(l, func(conn net.Conn) { Came(WithConn(t.Context(), conn)) })
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
	l := New(f, 3)
	n := 0
	_, ended := acceptAll(l, func(conn net.Conn) {
		if n++; n == 1 {
			Came(WithConn(t.Context(), conn))
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
