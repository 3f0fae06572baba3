package agent_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/httpd"
)

const (
	tenant   = "acme-corp"
	nodeID   = "mesh-oslo-1"
	policyID = "policy-2026-1"
	auditID  = "audit-2026-1"
)

// testCloud speaks service/docs/service.md with a node, and follows the instructions of a
// test.
type testCloud struct {
	t                testing.TB
	authority        *testca.Authority
	identity         tls.Certificate
	policyKey, audit seal.Key
	url              string

	mu        sync.Mutex
	changed   chan struct{}
	down      bool // answers nothing but unavailable
	log       *seal.Log
	roster    *consent.Roster
	rosterAt  int64
	offers    seal.Object // members of the next answers of sync, by name
	work      []seal.Object
	results   []seal.Object
	syncs     []seal.Object
	enrolled  []string
	linkPages int
	refuse    string // code with which results are refused

	forced      seal.Object // members of every answer of sync
	resultsDown bool        // calls with results are lost
	lost        int         // of them

	ordered map[string]bool // automatic rotations whose promotion was ordered
}

func newCloud(t testing.TB) *testCloud {
	t.Helper()
	stream := chance.New(5).Stream("cloud")
	c := &testCloud{
		t: t, authority: testca.New("cloud CA"), changed: make(chan struct{}),
		policyKey: seal.Key{ID: policyID, Private: stream.Ed25519()}, audit: seal.Key{ID: auditID, Private: stream.Ed25519()},
		log: seal.NewLog(tenant, "tenant/"+tenant), roster: consent.NewRoster(tenant), offers: seal.Object{},
		ordered: map[string]bool{},
	}
	c.identity = identity(c.authority, "/operator/cloud", testca.NewKey())
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	c.url = "https://" + l.Addr().String()
	mux := http.NewServeMux()
	for path, f := range map[string]func(*httpd.Call) (seal.Object, error){
		"POST /api/v1/nodes/{id}/enrolment": c.enrolment, "POST /api/v1/nodes/{id}/sync": c.sync,
		"POST /api/v1/nodes/{id}/results": c.take, "GET /api/v1/nodes/{id}/links": c.links,
	} {
		mux.Handle(path, httpd.Handle(c.checked(f)))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- httpd.Serve(ctx, l, httpd.ServerTLS(c.identity, c.authority.Pool()), mux) }()
	t.Cleanup(func() {
		cancel()
		err := <-ended
		check.That(t, err == nil || err == http.ErrServerClosed, "%v", err)
	})
	return c
}

func (c *testCloud) pin() [sha256.Size]byte {
	return sha256.Sum256(c.identity.Leaf.RawSubjectPublicKeyInfo)
}

// checked lets the node in, and no one else.
func (c *testCloud) checked(f func(*httpd.Call) (seal.Object, error)) func(*httpd.Call) (seal.Object, error) {
	return func(call *httpd.Call) (seal.Object, error) {
		caller, err := call.Caller()
		if err != nil {
			return nil, err
		}
		if caller.Role != "node" || caller.Name != call.PathValue("id") {
			return nil, httpd.Refuse(http.StatusForbidden, "identity_refused", "it is %s", caller.Name)
		}
		c.mu.Lock()
		down := c.down
		c.mu.Unlock()
		if down {
			panic(http.ErrAbortHandler) // the connection is lost
		}
		return f(call)
	}
}

// sees makes a condition on the state of the cloud.
func (c *testCloud) sees(condition func() bool) func() bool {
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return condition()
	}
}

func (c *testCloud) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *testCloud) enrolment(call *httpd.Call) (seal.Object, error) {
	envelope := seal.Member(call.Body, "enrolment")
	statement := seal.Member(envelope, "statement")
	id := seal.Text(statement, "key_id")
	public, err := seal.Unbase64(seal.Text(statement, "public_key"))
	if err != nil {
		return nil, httpd.Invalid("public_key")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.roster.Nodes) == 0 {
		c.roster.Nodes[id] = public // the first one signs for itself
	}
	if _, err := c.roster.Open(envelope, "svc.node-enrolment.v1"); err != nil {
		delete(c.roster.Nodes, id)
		return nil, httpd.Invalid("%s", err)
	}
	c.roster.Nodes[id] = public
	c.enrolled = append(c.enrolled, id)
	return seal.Object{}, nil
}

func (c *testCloud) sync(call *httpd.Call) (seal.Object, error) {
	wait := time.NewTimer(time.Duration(seal.Integer(call.Body, "wait_seconds")) * time.Second)
	defer wait.Stop()
	c.mu.Lock()
	c.syncs = append(c.syncs, call.Body)
	c.mu.Unlock()
	for {
		c.mu.Lock()
		answer, changed := c.news(call.Body), c.changed
		c.mu.Unlock()
		if len(answer) > 0 {
			return answer, nil
		}
		select {
		case <-changed:
		case <-wait.C:
			return answer, nil
		case <-call.Context().Done():
			return answer, nil
		}
	}
}

// news returns everything new to a node that reports this.
func (c *testCloud) news(said seal.Object) seal.Object {
	answer := seal.Object{}
	for name, value := range c.offers {
		o, _ := value.(seal.Object)
		statement := seal.Member(o, "statement")
		fresh := map[string]bool{
			"policy":        seal.Integer(statement, "policy_version") > seal.Integer(said, "policy_version"),
			"roster":        seal.Integer(statement, "roster_version") > seal.Integer(said, "roster_version"),
			"checkpoint":    seal.Integer(statement, "sequence") > seal.Integer(said, "witnessed"),
			"registrations": seal.Integer(o, "version") > seal.Integer(said, "registrations_version"),
		}
		if is, known := fresh[name]; is || !known {
			answer[name] = value
		}
	}
	for name, value := range c.forced {
		answer[name] = value
	}
	if len(c.work) > 0 {
		answer["work"] = seal.Objects(c.work)
	}
	return answer
}

// lastSync returns the body of the node's last sync.
func (c *testCloud) lastSync() seal.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.syncs) == 0 {
		return nil
	}
	return c.syncs[len(c.syncs)-1]
}

func (c *testCloud) take(call *httpd.Call) (seal.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resultsDown {
		c.lost++
		panic(http.ErrAbortHandler) // the connection is lost
	}
	refused := []any{}
	for i, result := range seal.ObjectList(call.Body, "results") {
		if c.refuse != "" {
			refused = append(refused, seal.Object{"index": int64(i), "code": c.refuse, "detail": "as the test wants"})
			continue
		}
		if !c.order(result) {
			c.results = append(c.results, result)
		}
		c.work = slices.DeleteFunc(c.work, func(piece seal.Object) bool {
			kind := seal.Text(piece, "kind")
			if kind == "promote" && seal.Text(result, "status") != "staged" {
				kind = "deliver"
			}
			return seal.Text(result, "transaction_id") == seal.Text(piece, "transaction_id") && seal.Text(result, "kind") == kind
		})
		if seal.Text(result, "kind") == "integration" {
			delete(c.offers, "integrations")
		}
	}
	return seal.Object{"refused": refused}, nil
}

// order has an automatic rotation promoted that was staged, once, and reports
// whether the result was of such a one.
func (c *testCloud) order(result seal.Object) bool {
	id := seal.Text(result, "transaction_id")
	ordered, is := c.ordered[id]
	if !is || seal.Text(result, "status") != "staged" {
		return false
	}
	for _, piece := range c.work {
		if seal.Text(piece, "transaction_id") == id && !ordered {
			c.ordered[id] = true
			c.work = append(c.work, promoteWork(id, seal.Integer(piece, "revision")))
		}
	}
	return true
}

func (c *testCloud) links(call *httpd.Call) (seal.Object, error) {
	after, err := call.Number("after", 0, 1<<53-1, 0)
	if err != nil {
		return nil, err
	}
	to, err := call.Number("to", 1, 1<<53-1, 1)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.linkPages++
	links := []any{}
	for l := range c.log.Since(uint64(after)) {
		if l.Sequence > uint64(to) || len(links) == 64 { // a small page, so that there are several
			break
		}
		links = append(links, seal.Object{
			"sequence": int64(l.Sequence), "previous_hash": l.Previous.String(), "skip_hash": l.Skip.String(),
			"body_sha256": l.Body.String(),
		})
	}
	return seal.Object{"links": links}, nil
}

// result waits for a result for a transaction, or for one of a kind if the
// transaction is empty.
func (c *testCloud) result(kind, transaction string) seal.Object {
	c.t.Helper()
	var found seal.Object
	must.Eventually(c.t, kind+" of "+transaction, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, r := range c.results {
			if seal.Text(r, "kind") == kind && seal.Text(r, "transaction_id") == transaction {
				found = r
			}
		}
		return found != nil
	})
	return found
}

// count is how many results of a kind there were.
func (c *testCloud) count(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, r := range c.results {
		if seal.Text(r, "kind") == kind {
			n++
		}
	}
	return n
}
