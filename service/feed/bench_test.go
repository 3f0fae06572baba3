package feed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

const (
	tenant   = "acme-corp"
	nodeID   = "mesh.oslo.1" // with dots, as a cursor has one too
	observer = "spiffe://acme-corp.example/observer/oslo"
)

var nodeKey = seal.Key{ID: nodeID, Private: chance.New(7).Stream("node").Ed25519()}

func sign(statement seal.Object) seal.Object { return seal.Seal(statement, nodeKey) }

// handClock is a clock that advances by a millisecond a reading, or as it is set.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Next() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

// set makes t the next reading.
func (c *handClock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t.Add(-time.Millisecond)
}

// bench is a feed of a node, with its store and its clock.
type bench struct {
	testing.TB
	*Feed
	clock *handClock
}

// newBench makes a feed; change alters its configuration.
func newBench(t testing.TB, change func(*Config)) *bench {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	must.Do(t, os.Mkdir(dir, 0o700))
	store := must.Get(durable.Open(dir, "journal"))(t)
	t.Cleanup(func() { _ = store.Close() })
	clock := &handClock{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	c := Config{TenantID: tenant, NodeID: nodeID, Store: store, Sign: sign, Clock: clock,
		Subscribers: []nodeconfig.SPIFFEPrefix{"spiffe://acme-corp.example/observer"}}
	if change != nil {
		change(&c)
	}
	f := must.Get(New(c))(t)
	return &bench{t, f, clock}
}

// publish publishes n events of a topic, in one update.
func (b *bench) publish(n int, topic string) {
	b.Helper()
	b.publishData(n, topic, seal.Object{"service": "billing"})
}

func (b *bench) publishData(n int, topic string, data seal.Object) {
	b.Helper()
	must.Do(b, b.Store.Update(func(tx *durable.Tx) error {
		for range n {
			if err := b.Publish(tx, topic, data); err != nil {
				return err
			}
		}
		return nil
	}))
	b.Wake()
}

// poll polls without the way over a connection.
func (b *bench) get(q query) ([]int64, string, error) {
	b.Helper()
	answer, err := b.poll(b.Context(), q)
	if err != nil {
		return nil, "", err
	}
	return sequences(answer), seal.Text(answer, "cursor"), nil
}

// Context returns the test's context.
func (b *bench) Context() context.Context { return b.TB.(*testing.T).Context() }

func sequences(answer seal.Object) []int64 {
	list := []int64{}
	for _, e := range seal.List(answer, "events") {
		list = append(list, seal.Integer(seal.Member(e.(seal.Object), "statement"), "sequence"))
	}
	return list
}

// code is the code of a problem, "" if there is none.
func code(err error) string {
	var p *httpd.Problem
	if errors.As(err, &p) {
		return fmt.Sprint(p.Status, " ", p.Code)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// server is a feed behind TLS.
type server struct {
	*bench
	authority *testca.Authority
	url       string
	stop      func()
}

func (b *bench) serve() *server {
	b.Helper()
	s := &server{bench: b, authority: testca.New("local CA")}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(b)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- httpd.Serve(ctx, l, httpd.ServerTLS(s.authority.Server(), s.authority.Pool()), b.Feed)
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		must.Do(b, <-ended)
	})
	b.Cleanup(s.stop)
	s.url = "https://" + l.Addr().String()
	return s
}

// client has a certificate with these URI names.
func (s *server) client(names ...string) *httpd.Client {
	c := httpd.NewClient(httpd.ClientConfig{URL: s.url, Roots: s.authority.Pool(),
		Identity: s.authority.Client("client", names...), Timeout: 20 * time.Second})
	s.Cleanup(c.Close)
	return c
}

// ask asks as the observer.
func (s *server) ask(client *httpd.Client, query string) ([]int64, string, error) {
	answer, err := client.Poll(s.Context(), time.Minute, http.MethodGet, "/v1/trust-events"+query, nil)
	return sequences(answer), seal.Text(answer, "cursor"), err
}
