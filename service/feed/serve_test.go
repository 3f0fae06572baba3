package feed

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/topic"
)

// TestTwoObservers: each has a cursor of its own, and a poll without events is
// no batch.
func TestTwoObservers(t *testing.T) {
	s := newBench(t, nil).serve()
	oslo, pager := s.client(observer), s.client("spiffe://acme-corp.example/observer")
	s.publish(3, "service.claimed")
	for _, c := range []struct {
		client *httpd.Client
		query  string
		want   []int64
	}{
		{oslo, "", []int64{1, 2, 3}},
		{oslo, "?cursor=mesh.oslo.1.3", []int64{}},
		{pager, "?cursor=mesh.oslo.1.1", []int64{2, 3}},
		{oslo, "?cursor=mesh.oslo.1.2&topics=service.claimed,identity.rotated&wait_seconds=0", []int64{3}},
		{pager, "?cursor=mesh.oslo.1.0&topics=identity.rotated", []int64{}},
	} {
		got, cursor, err := s.ask(c.client, c.query)
		check.That(t, err == nil && slices.Equal(got, c.want) && cursor == "mesh.oslo.1.3",
			"%s: found %v, %s, %v", c.query, got, cursor, err)
	}
	c := s.Counts()
	check.That(t, c.Batches == 3 && c.Delivered == 6, "%+v", c)
}

// TestQueries: every parameter once and in one form.
func TestQueries(t *testing.T) {
	s := newBench(t, nil).serve()
	client := s.client(observer)
	for query, want := range map[string]string{
		"":                                           "",
		"?cursor=mesh.oslo.1.0":                      "",
		"?cursor=mesh.oslo.1.1":                      "410 cursor_expired",
		"?cursor=mesh.oslo.2.0":                      "410 cursor_expired",
		"?cursor=oslo.1.0":                           "410 cursor_expired",
		"?cursor=":                                   "400 request_invalid",
		"?cursor=mesh.oslo.1":                        "410 cursor_expired", // of a node mesh.oslo
		"?cursor=0":                                  "400 request_invalid",
		"?cursor=.0":                                 "400 request_invalid",
		"?cursor=mesh.oslo.1.":                       "400 request_invalid",
		"?cursor=mesh.oslo.1.00":                     "400 request_invalid",
		"?cursor=mesh.oslo.1.-0":                     "400 request_invalid",
		"?cursor=mesh.oslo.1.%2B0":                   "400 request_invalid",
		"?cursor=mesh.oslo.1.0x0":                    "400 request_invalid",
		"?cursor=mesh.oslo.1.0%20":                   "400 request_invalid",
		"?cursor=mesh.oslo.1.9007199254740991":       "410 cursor_expired",
		"?cursor=mesh.oslo.1.9007199254740992":       "400 request_invalid",
		"?cursor=mesh.oslo.1.0&cursor=mesh.oslo.1.0": "400 request_invalid",
		"?topics=":                                   "400 request_invalid",
		"?topics=service.claimed,":                   "400 request_invalid",
		"?topics=service.claimed,service.claimed":    "400 request_invalid",
		"?topics=service.Claimed":                    "400 request_invalid",
		"?topics=" + strings.Join(topic.All(), ","):  "",
		"?wait_seconds=0":                            "",
		"?wait_seconds=61":                           "400 request_invalid",
		"?wait_seconds=-1":                           "400 request_invalid",
		"?wait_seconds=1.5":                          "400 request_invalid",
		"?wait_seconds=":                             "400 request_invalid",
		"?wait_seconds=0&wait_seconds=0":             "400 request_invalid",
		"?after=0":                                   "400 request_invalid",
		"?%1b=0":                                     "400 request_invalid",
		"?cursor=%zz":                                "400 request_invalid",
		"?cursor=mesh.oslo.1.0;topics=x":             "400 request_invalid",
	} {
		_, _, err := s.ask(client, query)
		check.That(t, code(err) == want, "%s: expected %q, found %q", query, want, code(err))
	}
}

// TestObservers: the right to read is decided by whole segments of the one SPIFFE id.
func TestObservers(t *testing.T) {
	s := newBench(t, nil).serve()
	const refused = "403 identity_refused"
	for name, c := range map[string]struct {
		names []string
		want  string
	}{
		"the prefix itself":  {[]string{"spiffe://acme-corp.example/observer"}, ""},
		"below it":           {[]string{observer}, ""},
		"further below":      {[]string{observer + "/a/b"}, ""},
		"a longer segment":   {[]string{"spiffe://acme-corp.example/observers"}, refused},
		"a shorter one":      {[]string{"spiffe://acme-corp.example/observe"}, refused},
		"another case":       {[]string{"spiffe://acme-corp.example/Observer"}, refused},
		"another domain":     {[]string{"spiffe://acme-corp.example.org/observer"}, refused},
		"the domain":         {[]string{"spiffe://acme-corp.example"}, refused},
		"further inside":     {[]string{"spiffe://acme-corp.example/x/observer"}, refused},
		"two names":          {[]string{observer, "spiffe://acme-corp.example/observer/pager"}, refused},
		"no name":            {nil, refused},
		"no SPIFFE id":       {[]string{"https://acme-corp.example/observer"}, refused},
		"a slash at its end": {[]string{"spiffe://acme-corp.example/observer/"}, refused},
		"dots":               {[]string{"spiffe://acme-corp.example/x/../observer"}, refused},
		"escaped":            {[]string{"spiffe://acme-corp.example/observer%2Foslo"}, refused},
		"a query":            {[]string{observer + "?x"}, refused},
	} {
		_, _, err := s.ask(s.client(c.names...), "")
		check.That(t, code(err) == c.want, "%s: expected %q, found %q", name, c.want, code(err))
	}
}

// spelt makes a template contain an id, byte for byte.
func spelt(id string) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		c.URIs, c.ExtraExtensions = nil, testca.SpeltTemplate("observer", id).ExtraExtensions
	}
}

// TestSVIDRules: the rules of X.509-SVID for a leaf are enforced, and a connection does not
// outlive the certificate.
func TestSVIDRules(t *testing.T) {
	b := newBench(t, nil)
	authority := testca.New("local CA")
	for name, c := range map[string]struct {
		change func(*x509.Certificate)
		want   string
	}{
		"in order":       {func(*x509.Certificate) {}, ""},
		"has a spelt id": {spelt(observer), ""},
		"is in capitals": {spelt("SPIFFE" + strings.TrimPrefix(observer, "spiffe")), "403 identity_refused"},
		"has a fragment": {spelt(observer + "#x"), "403 identity_refused"},
		"ends with a #":  {spelt(observer + "#"), "403 identity_refused"},
		"is escaped":     {spelt(strings.Replace(observer, "oslo", "%6fslo", 1)), "403 identity_refused"},
		"of a CA":        {func(c *x509.Certificate) { c.IsCA = true }, "403 identity_refused"},
		"signs": {func(c *x509.Certificate) { c.KeyUsage |= x509.KeyUsageCertSign; c.IsCA = true },
			"403 identity_refused"},
		"signs CRLs":       {func(c *x509.Certificate) { c.KeyUsage |= x509.KeyUsageCRLSign }, "403 identity_refused"},
		"has expired":      {func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Second) }, "403 identity_refused"},
		"is not yet valid": {func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }, "403 identity_refused"},
	} {
		template := testca.ClientTemplate("observer", observer)
		c.change(template)
		leaf := authority.Issue(template).Leaf
		r := httptest.NewRequest(http.MethodGet, "/v1/trust-events", nil)
		r.TLS = &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{leaf, authority.Certificate}}}
		check.Equal(t, code(check.Err(b.answer(&httpd.Call{Request: r}))), c.want, "a leaf that %s", name)
		r.TLS.VerifiedChains, r.TLS.PeerCertificates = nil, []*x509.Certificate{leaf}
		check.Equal(t, code(check.Err(b.answer(&httpd.Call{Request: r}))), "403 identity_refused",
			"a leaf that nobody verified")
	}
	_, err := b.answer(&httpd.Call{Request: httptest.NewRequest(http.MethodGet, "/", nil)})
	check.That(t, code(err) == "403 identity_refused", "without TLS: %q", code(err))
}

// TestOff: while no one may read it there is no endpoint, and it is read by GET.
func TestOff(t *testing.T) {
	off := newBench(t, func(c *Config) { c.Subscribers = []nodeconfig.SPIFFEPrefix{} }).serve()
	_, _, err := off.ask(off.client(observer), "")
	check.That(t, code(err) == "404 not_found", "%v", err)
	on := newBench(t, nil).serve()
	client := on.client(observer)
	_, err = client.Do(t.Context(), http.MethodPost, "/v1/trust-events",
		seal.Object{})
	check.That(t, code(err) == "405 method_not_allowed", "%v", err)
	_, err = off.client(observer).Do(t.Context(), http.MethodPost, "/v1/trust-events",
		seal.Object{})
	check.That(t, code(err) == "404 not_found", "%v", err)
}

// TestPollWaits: a poll waits for a requested event, and no longer.
func TestPollWaits(t *testing.T) {
	s := newBench(t, nil).serve()
	client := s.client(observer)
	got := make(chan string)
	go func() {
		list, cursor, err := s.ask(client, "?topics=certificate.staged&wait_seconds=60")
		got <- fmt.Sprint(list, cursor, err)
	}()
	s.publish(2, "service.claimed")
	s.publish(1, "certificate.staged")
	text := <-got
	check.That(t, text == "[3]mesh.oslo.1.3<nil>", "%v", text)
	list, cursor, err := s.ask(client, "?cursor=mesh.oslo.1.3&wait_seconds=1")
	check.That(t, err == nil && len(list) == 0 &&
		cursor == "mesh.oslo.1.3", "%v %v %v", list, cursor, err)
}

// TestPollEndsWithTheServer: a client that waits is answered, and continues later from the
// same place.
func TestPollEndsWithTheServer(t *testing.T) {
	s := newBench(t, nil).serve()
	client := s.client(observer)
	s.publish(2, "service.claimed")
	got := make(chan string)
	arrived := make(chan struct{})
	clock := s.Clock
	s.Clock = clockFunc(func() time.Time {
		close(arrived)
		return clock.Next()
	})
	go func() {
		list, cursor, err := s.ask(client, "?cursor=mesh.oslo.1.2&wait_seconds=60")
		got <- fmt.Sprint(list, cursor, err)
	}()
	<-arrived
	s.stop()
	text := <-got
	check.That(t, text == "[]mesh.oslo.1.2<nil>", "%v", text)
}

type clockFunc func() time.Time

func (f clockFunc) Next() time.Time { return f() }

// TestWaitOutlivesTheEvents: an observer that waits at a place after which events were dropped
// gets an error, and one that lost nothing does not.
func TestWaitOutlivesTheEvents(t *testing.T) {
	for n, want := range map[int]string{10: "", 11: "410 cursor_expired", 22: "410 cursor_expired"} {
		b := newBench(t, func(c *Config) { c.MaxEvents = 10 })
		b.publish(5, "service.claimed")
		q := query{topics: []string{"certificate.staged"}}
		events, _, err := b.look(&q)
		must.That(t, err == nil && len(events) == 0 && q.after == 5, "%v %v %v", events, q.after, err)
		b.publish(n, "service.claimed")
		if _, _, err := b.look(&q); code(err) != want {
			t.Errorf("%d events later: expected %q, found %q", n, want, code(err))
		}
	}
}

// TestDroppedMeanwhile: events that leave the store after the cursor was judged are reported
// as missing, not skipped.
func TestDroppedMeanwhile(t *testing.T) {
	b := newBench(t, nil)
	b.publish(5, "service.claimed")
	b.expect(query{after: 2}, "3 4 5, mesh.oslo.1.5")
	must.Do(b, b.Store.Update(func(tx *durable.Tx) error { return tx.DeleteThrough(kindEvent, eventID(3)) }))
	b.expect(query{after: 2}, "410 cursor_expired")
	b.expect(query{after: 3}, "4 5, mesh.oslo.1.5")
}

// TestCursors: a written cursor is read back, and nothing else is read.
func TestCursors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &Feed{Config: Config{NodeID: rapid.StringMatching(`[A-Za-z0-9._:@-]{1,100}`).Draw(t, "node")}}
		n := rapid.Uint64Range(0, maxSequence).Draw(t, "sequence")
		got, err := f.parseCursor(formatCursor(f.NodeID, n))
		must.That(t, err == nil && got == n, "%d, %v", got, err)
		other := &Feed{Config: Config{NodeID: f.NodeID + rapid.SampledFrom([]string{".", ".0", "x", "-"}).Draw(t, "more")}}
		got, err = other.parseCursor(formatCursor(f.NodeID, n))
		must.That(t, err != nil, "a cursor of another node is %d", got)
	})
}

func FuzzCursor(f *testing.F) {
	for _, text := range []string{"mesh.oslo.1.0", "mesh.oslo.1.9007199254740992", "mesh.oslo.1.01", "..", "1", "\xff.1"} {
		f.Add(text)
	}
	feed := &Feed{Config: Config{NodeID: nodeID}}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := feed.parseCursor(text)
		check.That(t, err != nil || formatCursor(nodeID, n) == text && n <= maxSequence, "%q is read as %d", text, n)
		check.That(t, (err == nil || code(err) == "400 request_invalid") || code(err) == "410 cursor_expired",
			"%q: %v", text, err)
	})
}
