package receive

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// The authority that the sinks of the tests know, and one that they do not.
var (
	ours   = sync.OnceValue(func() *testca.Authority { return testca.New("ours") })
	theirs = sync.OnceValue(func() *testca.Authority { return testca.New("theirs") })
)

// client returns a client that shows a certificate, if it has one.
func client(identity ...tls.Certificate) *http.Client { return ours().HTTP(identity...) }

// sink is a running server.
type sink struct {
	*Server
	t      testing.TB
	path   string // of the case
	base   string // of its URLs
	rested chan time.Time
	logged *memo
	active chan struct{} // a request is being worked on
	stop   func() Counts // may be called once or not at all
}

// memo collects lines.
type memo struct {
	sync.Mutex
	lines []string
}

func (m *memo) add(line string) {
	m.Lock()
	defer m.Unlock()
	m.lines = append(m.lines, line)
}

func (m *memo) all() []string {
	m.Lock()
	defer m.Unlock()
	return append([]string(nil), m.lines...)
}

// options returns the options of the tests, with a case in a folder.
func options(dir string) Options {
	return Options{Case: filepath.Join(dir, "case.db"), TLS: must.Have(TLS(ours().Files(dir))), MaxBody: 1 << 20,
		MaxConnections: 64}
}

// start starts a sink on the loopback. It rests only on demand.
func start(t testing.TB, o Options) *sink {
	t.Helper()
	s := &sink{t: t, path: o.Case, rested: make(chan time.Time), logged: &memo{}, active: make(chan struct{}, 1)}
	o.Log = s.logged.add
	s.Server = must.Have(Open(o))
	s.archive.rested = func() <-chan time.Time { return s.rested }
	handler := s.server.Handler
	s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.active <- struct{}{}:
		default: // said already
		}
		handler.ServeHTTP(w, r)
	})
	l := must.Have(net.Listen("tcp", "127.0.0.1:0"))
	s.base = "https://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan Counts, 1)
	go func() {
		counts, err := s.Serve(ctx, l)
		check.Do(t, err)
		done <- counts
	}()
	s.stop = sync.OnceValue(func() Counts { cancel(); return <-done })
	t.Cleanup(func() { s.stop() })
	return s
}

var oslo = sync.OnceValue(func() *http.Client { return client(ours().Client("oslo")) })

// message is a request of a test, protobuf by default.
type message struct {
	method, path, kind, encoding, batch string
	body                                []byte
}

// reply is the answer to a message.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// post sends a request to the sink.
func (s *sink) post(c *http.Client, m message) (reply, error) {
	if m.method == "" {
		m.method = http.MethodPost
	}
	if m.path == "" {
		m.path = logsPath
	}
	r, err := http.NewRequest(m.method, s.base+m.path, bytes.NewReader(m.body))
	if err != nil {
		return reply{}, err
	}
	for name, value := range map[string]string{"Content-Type": m.kind, "Content-Encoding": m.encoding,
		read.BatchHeader: m.batch} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := c.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, b}, err
}

// reader opens the case of a sink for reading.
func (s *sink) reader() *store.Case {
	s.t.Helper()
	c := must.Get(store.OpenCase(s.path))(s.t)
	s.t.Cleanup(func() { c.Close() })
	return c
}

// rest makes the sink let go of the case, and returns once it has.
func (s *sink) rest() {
	for range 2 { // the second is taken when the first was acted on
		s.rested <- time.Time{}
	}
}
