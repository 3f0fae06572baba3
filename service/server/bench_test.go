package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/server"
)

const tenant = "acme-corp"

var wall = chance.Wall()

// shifted is a clock that a test can set forward.
type shifted struct {
	clock  chance.Clock
	offset atomic.Int64
}

func (c *shifted) Next() time.Time { return c.clock.Next().Add(time.Duration(c.offset.Load())) }

func (c *shifted) now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

func (c *shifted) pass(d time.Duration) { c.offset.Add(int64(d)) }

// bench is a cloud that answers on loopback.
type bench struct {
	t      testing.TB
	config server.Config
	ca     *testca.Authority
	clock  *shifted
	url    string
	server *server.Server
	ended  chan error
	stop   func()

	clients sync.Map // by role and name
}

func start(t testing.TB, change ...func(*server.Config)) *bench {
	t.Helper()
	b := &bench{t: t, ca: testca.New("cloud CA"), clock: &shifted{clock: wall}}
	b.config = server.Config{
		TenantID: tenant, Dir: t.TempDir(), RequiredWitnesses: 2, Poll: time.Minute, Quiet: time.Hour, Clock: b.clock,
		Now: b.clock.now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	must.Do(t, os.Chmod(b.config.Dir, 0o700))
	for _, f := range change {
		f(&b.config)
	}
	b.run()
	t.Cleanup(func() { b.stop() })
	return b
}

// run starts the server, on a port of its own the first time.
func (b *bench) run() {
	b.t.Helper()
	cloud, err := server.New(b.config)
	must.Do(b.t, err)
	var l net.Listener
	must.Eventually(b.t, "the port is free", func() bool {
		if b.url == "" {
			l, err = httpd.Listen()
		} else {
			l, err = net.Listen("tcp", strings.TrimPrefix(b.url, "https://"))
		}
		return err == nil
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- cloud.Serve(ctx, l, server.TLS(b.ca.Server(), b.ca.Pool())) }()
	b.server, b.url, b.ended = cloud, "https://"+l.Addr().String(), ended
	b.stop = func() {
		cancel()
		check.OK(b.t, errors.Join(<-ended, cloud.Close()), "the server ended")
		b.hangUp()
		b.stop = func() {}
	}
}

// hangUp closes the connections that the clients keep to a server that is gone.
// A call over one of them would fail, unless the client has noticed by then.
func (b *bench) hangUp() {
	b.clients.Range(func(_, client any) bool {
		client.(*httpd.Client).Close()
		return true
	})
}

// restart ends the server and starts it again.
func (b *bench) restart() {
	b.t.Helper()
	b.stop()
	b.run()
}

// identity is the certificate of a role and a name.
func (b *bench) identity(path string) tls.Certificate {
	return b.ca.Client("caller", "spiffe://"+tenant+".example/"+path)
}

// client returns a client with the certificate of a role and a name, the same
// one for the same.
func (b *bench) client(path string) *httpd.Client {
	if kept, ok := b.clients.Load(path); ok {
		return kept.(*httpd.Client)
	}
	made := httpd.NewClient(httpd.ClientConfig{
		URL: b.url, Roots: b.ca.Pool(), Identity: b.identity(path), Timeout: time.Minute,
	})
	kept, _ := b.clients.LoadOrStore(path, made)
	return kept.(*httpd.Client)
}

// try makes a call.
func (b *bench) try(as, method, path string, body seal.Object) (seal.Object, error) {
	return b.client(as).Poll(context.Background(), time.Minute, method, path, body)
}

// as makes a call that must succeed.
func (b *bench) as(who, method, path string, body seal.Object) seal.Object {
	b.t.Helper()
	o, err := b.try(who, method, path, body)
	must.OK(b.t, err, "%s %s as %s", method, path, who)
	return o
}

// refused makes a call that must be refused with this code.
func (b *bench) refused(code string, as, method, path string, body seal.Object) *httpd.Problem {
	b.t.Helper()
	o, err := b.try(as, method, path, body)
	return b.problem(code, o, err)
}

func (b *bench) problem(code string, o seal.Object, err error) *httpd.Problem {
	b.t.Helper()
	var p *httpd.Problem
	if !errors.As(err, &p) || p.Code != code {
		b.t.Errorf("expected %s, found %v %v", code, o, err)
		return &httpd.Problem{}
	}
	slip := clitest.Slip(p.Detail)
	check.That(b.t, slip == "", "%s: %s in %s", code, slip, p.Detail)
	return p
}

const operator = "operator/ada"

// policy is a policy that allows payments-api, edge-gateway with a capability,
// and store-tls.
func policy(version int64) seal.Object {
	month := 30 * 24 * time.Hour
	return consent.Policy(version,
		consent.Profile{Name: "payments-api", Algorithms: signer.Algorithms, MaximumLifetime: month, RequiredApprovals: 2},
		consent.Profile{Name: "edge-gateway", Algorithms: signer.Algorithms, MaximumLifetime: month, RequiredApprovals: 2,
			Capability: "attested-boot"},
		consent.Profile{Name: "store-tls", Algorithms: signer.Algorithms, MaximumLifetime: 2 * month, RequiredApprovals: 2,
			Names: []string{"dns:store-tls.acme.example", "dns:web.acme.example"}},
	)
}

func (b *bench) publish(version int64) {
	b.t.Helper()
	b.as(operator, http.MethodPost, "/api/v1/policies", seal.Object{"policy": policy(version)})
}

// order returns the request of a workload.
func order(t testing.TB, id, profile string) seal.Object {
	t.Helper()
	return orderFor(t, id, profile, "dns:"+profile+".acme.example")
}

// orderFor is [order] for other names.
func orderFor(t testing.TB, id, profile string, names ...string) seal.Object {
	t.Helper()
	csr := must.Get(pki.Request(testca.NewKey(), names))(t)
	return seal.Object{
		"transaction_id": id, "workload_profile": profile, "names": seal.Strings(names),
		"extended_key_usages": seal.Strings([]string{"serverAuth"}), "lifetime_seconds": int64(3600), "csr": seal.Base64(csr),
	}
}

// request opens a transaction.
func (b *bench) request(id, profile string) seal.Object {
	b.t.Helper()
	return b.as("workload/"+profile, http.MethodPost, "/api/v1/transactions", order(b.t, id, profile))
}

// status is the transaction as an operator sees it, once it is not pending or
// the wait is over.
func (b *bench) status(id string, wait string) seal.Object {
	b.t.Helper()
	return b.as(operator, http.MethodGet, "/api/v1/transactions/"+id+"?wait_seconds="+wait, nil)
}

// becomes waits for a transaction's status.
func (b *bench) becomes(id, status string) seal.Object {
	b.t.Helper()
	o := b.status(id, "60")
	must.That(b.t, seal.Text(o, "status") == status,
		"transaction %s is %s, not %s: %s", id, seal.Text(o, "status"), status, seal.Canonical(o))
	return o
}

// issued has a workload ask for a certificate, and waits until it is issued.
func (b *bench) issued(id, profile string) seal.Object {
	b.t.Helper()
	b.request(id, profile)
	return b.becomes(id, "issued")
}

// overview returns the console's overview.
func (b *bench) overview() seal.Object {
	b.t.Helper()
	return b.as(operator, http.MethodGet, "/api/v1/overview", nil)
}

// events are all events of the tenant log.
func (b *bench) events() []seal.Object {
	b.t.Helper()
	var all []seal.Object
	for to := int64(0); ; {
		o := b.as(operator, http.MethodGet, "/api/v1/audit/events?limit=500&to="+big.NewInt(to+500).String(), nil)
		head := seal.Integer(seal.Member(o, "head"), "sequence")
		for _, event := range seal.ObjectList(o, "events") {
			if seal.Integer(seal.Member(event, "body"), "sequence") > to {
				all = append(all, event)
			}
		}
		if to = to + 500; to >= head {
			return all
		}
	}
}

// types are the types of the tenant log's events.
func (b *bench) types() []string {
	b.t.Helper()
	var list []string
	for _, event := range b.events() {
		list = append(list, seal.Text(seal.Member(event, "body"), "type"))
	}
	return list
}

// count is how many events of a type there are.
func (b *bench) count(eventType string) int {
	b.t.Helper()
	n := 0
	for _, found := range b.types() {
		if found == eventType {
			n++
		}
	}
	return n
}
