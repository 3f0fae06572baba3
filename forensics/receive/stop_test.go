package receive

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
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

// TestConnections: more connections than there may be have to wait, until one is
// closed, however often.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newBounded(always{}, 2)
		accepted := make(chan net.Conn, 10)
		ended := make(chan error, 1)
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					ended <- err
					return
				}
				accepted <- conn
			}
		}()
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
