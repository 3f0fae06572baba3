package receive

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/netbound"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// How long a client may take. A body of the usual limit comes in time at a
// megabyte a second.
const (
	headTime  = 10 * time.Second  // for the handshake, and for the head of a request
	readTime  = 60 * time.Second  // for a whole request
	writeTime = 180 * time.Second // from its head to the end of the answer
	idleTime  = 120 * time.Second // between two requests
	stopTime  = 70 * time.Second  // for the requests that are there when the sink stops
)

// maxHead bounds the head of a request in bytes.
const maxHead = 16 << 10

// How many bodies of the largest size may be in memory at once, of all clients and of
// one.
const (
	bodiesAtOnce   = 4
	bodiesOfClient = 3
)

// Options are the options of a sink.
type Options struct {
	Case           string // the case's path; it is made if there is none
	CaseOptions    []store.Option
	TLS            *tls.Config
	MaxBody        int64        // bytes of a request's body, also after decompression
	MaxConnections int          // that are open at once
	Log            func(string) // called with a line for each refused request, safe to show
}

// Counts are the counters of a sink.
type Counts struct {
	Requests int64 // that were acknowledged
	Refused  int64 // and those that were not
	Events   int64 // deliveries of events
	Others   int64 // log records that are no events
	Rejected int64 // of these, records with only the beginning kept
}

// Server is an OTLP/HTTP sink for log records.
type Server struct {
	archive *archive
	memory  memory
	maxBody int64
	server  *http.Server
	most    int
	log     func(string)
	now     func() time.Time
	counts  struct{ requests, refused, events, others, rejected atomic.Int64 }
}

// Open opens the case and returns a sink for it.
func Open(o Options) (*Server, error) {
	s := &Server{maxBody: o.MaxBody, most: o.MaxConnections, log: o.Log, now: time.Now}
	s.memory = memory{left: bodiesAtOnce * (o.MaxBody + 1), most: bodiesOfClient * (o.MaxBody + 1),
		held: map[string]int64{}}
	s.archive = &archive{path: o.Case, options: o.CaseOptions, jobs: make(chan *job), stopped: make(chan struct{}),
		rested: func() <-chan time.Time { return time.After(rest) },
		warn:   func(text string) { s.log(safetext.Line(text)) }}
	s.server = &http.Server{
		Handler:           netbound.Handler(s),
		TLSConfig:         o.TLS,
		ReadHeaderTimeout: headTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHead,
		Protocols:         new(http.Protocols),
		ConnContext:       netbound.WithConn,
		ConnState:         netbound.ConnState,
		ErrorLog:          log.New(lines(o.Log), "", 0),
	}
	s.server.Protocols.SetHTTP1(true)
	return s, s.archive.openCase()
}

// Close closes the case of a sink that will not be served.
func (s *Server) Close() error { return s.archive.w.LetGo() }

// Serve serves a listener until ctx ends. Requests that were received by then are
// still answered. Then the case is closed. Serve can be called once.
func (s *Server) Serve(ctx context.Context, l net.Listener) (Counts, error) {
	archived := make(chan struct{})
	go func() {
		defer close(archived)
		s.archive.serveRequests()
	}()
	served := make(chan error, 1)
	go func() { served <- s.server.ServeTLS(netbound.New(l, s.most), "", "") }()
	var err error
	select {
	case <-ctx.Done():
		if err = s.waitForRequests(); err == nil {
			if err = <-served; errors.Is(err, http.ErrServerClosed) {
				err = nil
			}
		}
	case err = <-served:
	}
	close(s.archive.stopped)
	<-archived
	c := &s.counts
	return Counts{c.requests.Load(), c.refused.Load(), c.events.Load(), c.others.Load(), c.rejected.Load()}, err
}

// waitForRequests waits for the requests that are there. A client that uses more than the
// allowed time is cut off.
func (s *Server) waitForRequests() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := s.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.server.Close()
}

// lines passes on the messages of net/http about a connection, each as a line.
type lines func(string)

// Write implements io.Writer.
func (l lines) Write(b []byte) (int, error) {
	l(safetext.Line(strings.TrimSpace(string(b))))
	return len(b), nil
}
