package feed

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spiffe/go-spiffe/v2/bundle/x509bundle"
	"github.com/spiffe/go-spiffe/v2/svid/x509svid"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/topic"
)

// Limits of an answer.
const (
	maxEvents = 256
	// maxEventBytes bounds the events of an answer of at most 1 MiB.
	maxEventBytes = 1<<20 - 1<<10
)

// ServeHTTP answers GET /v1/trust-events (service/docs/service.md); without a
// subscriber there is no such endpoint. A poll that waits
// is answered when the request's context ends.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(f.Subscribers) == 0 {
		httpd.WriteProblem(w, r, httpd.Refuse(http.StatusNotFound, "not_found", "there is no such endpoint"))
		return
	}
	httpd.ReadOnly(httpd.Handle(f.answer)).ServeHTTP(w, r)
}

func (f *Feed) answer(c *httpd.Call) (seal.Object, error) {
	if err := f.authorise(c); err != nil {
		return nil, err
	}
	q, err := f.parse(c)
	if err != nil {
		return nil, err
	}
	return f.poll(c.Context(), q)
}

// authorise lets an observer in whose certificate is an X.509-SVID with an id
// under one of the prefixes. The certificate is judged at each call: a connection
// may be older than its period of validity.
func (f *Feed) authorise(c *httpd.Call) error {
	refused := httpd.Forbidden("expected a client certificate that is an X.509-SVID of a subscriber")
	if c.TLS == nil || len(c.TLS.VerifiedChains) == 0 {
		return refused
	}
	chain := c.TLS.VerifiedChains[0]
	id, err := httpd.SPIFFEID(chain[0])
	if err != nil {
		return refused
	}
	root := x509bundle.FromX509Authorities(id.TrustDomain(), []*x509.Certificate{chain[len(chain)-1]})
	if _, _, err := x509svid.Verify(chain, root); err != nil {
		return refused
	}
	if !slices.ContainsFunc(f.Subscribers, func(p nodeconfig.SPIFFEPrefix) bool { return p.Covers(id.String()) }) {
		return refused
	}
	return nil
}

// poll looks for events after the query's cursor until there are some, the wait
// is over or the context has ended.
func (f *Feed) poll(ctx context.Context, q query) (seal.Object, error) {
	over := time.NewTimer(q.wait)
	defer over.Stop()
	for {
		events, changed, err := f.look(&q)
		if err != nil {
			return nil, err
		}
		if len(events) > 0 {
			return f.deliver(events, q.after), nil
		}
		select {
		case <-changed:
		case <-over.C:
			return f.deliver(nil, q.after), nil
		case <-ctx.Done():
			return f.deliver(nil, q.after), nil
		}
	}
}

// deliver makes an answer of events.
func (f *Feed) deliver(events []seal.Object, last uint64) seal.Object {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(events) > 0 {
		f.counts.Batches++
		f.counts.Delivered += uint64(len(events))
	}
	return seal.Object{"events": seal.Objects(events), "cursor": formatCursor(f.NodeID, last)}
}

// page is how many events are read from the store at once.
const page = 256

// look returns the events that the query asks for, and moves its cursor to the
// last one that was looked at. The channel is closed when there may be more.
func (f *Feed) look(q *query) ([]seal.Object, <-chan struct{}, error) {
	changed, err := f.locate(q)
	if err != nil {
		return nil, nil, err
	}
	var events []seal.Object
	for room := maxEventBytes; ; {
		entries, err := f.Store.List(kindEvent, eventID(q.after), page)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			// Events may have been dropped since the cursor was judged.
			if e.ID != eventID(q.after+1) {
				return nil, nil, errExpired
			}
			if q.wants(e.Document) {
				if room -= len(seal.Canonical(e.Document)) + 1; room < 0 || len(events) == maxEvents {
					return events, changed, nil
				}
				events = append(events, e.Document)
			}
			q.after++
		}
		if len(entries) < page {
			return events, changed, nil
		}
	}
}

// locate judges the query's cursor against the events that are kept, or puts it
// before the oldest one.
func (f *Feed) locate(q *query) (<-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		return nil, err
	}
	oldest := f.expire(f.Clock.Next())
	if q.fromOldest {
		q.fromOldest, q.after = false, oldest-1
	}
	if q.after < oldest-1 || q.after > f.head {
		return nil, errExpired
	}
	return f.changed, nil
}

// maxWait is the longest poll in seconds.
const maxWait = 60

// query is the request of an observer.
type query struct {
	fromOldest bool   // there was no cursor
	after      uint64 // the last event that was looked at
	topics     []string
	wait       time.Duration
}

// wants reports whether an event has a requested topic.
func (q *query) wants(event seal.Object) bool {
	return q.topics == nil || slices.Contains(q.topics, seal.Text(seal.Member(event, "statement"), "topic"))
}

var errExpired = httpd.Refuse(http.StatusGone, "cursor_expired",
	"the events after the cursor are no longer all kept, or it is not of this node")

// parse reads the parameters of a call. Others are refused, and so is one that
// is twice.
func (f *Feed) parse(c *httpd.Call) (q query, err error) {
	parameters, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return q, httpd.Invalid("the query cannot be read")
	}
	for name, values := range parameters {
		switch {
		case len(values) != 1:
			err = httpd.Invalid("%s: expected it once", strconv.QuoteToASCII(name))
		case name == "cursor":
			q.after, err = f.parseCursor(values[0])
		case name == "topics":
			q.topics, err = parseTopics(values[0])
		case name != "wait_seconds":
			err = httpd.Invalid("expected cursor, topics or wait_seconds, found %s", strconv.QuoteToASCII(name))
		}
		if err != nil {
			return q, err
		}
	}
	q.fromOldest = !parameters.Has("cursor")
	seconds, err := c.Number("wait_seconds", 0, maxWait, 0)
	q.wait = time.Duration(seconds) * time.Second
	return q, err
}

// formatCursor writes a cursor: the node, and the last event that was looked at.
func formatCursor(nodeID string, sequence uint64) string {
	return fmt.Sprintf("%s.%d", nodeID, sequence)
}

// maxSequence is the largest sequence, SPEC 1.4.
const maxSequence = 1<<53 - 1

// parseCursor reads a cursor in the one form in which it is written. One of
// another node has nothing to go on with here.
func (f *Feed) parseCursor(text string) (uint64, error) {
	dot := strings.LastIndexByte(text, '.')
	if dot < 1 {
		return 0, httpd.Invalid("cursor: expected <node id>.<sequence>")
	}
	n, err := strconv.ParseUint(text[dot+1:], 10, 64)
	if err != nil || n > maxSequence || formatCursor(text[:dot], n) != text {
		return 0, httpd.Invalid("cursor: expected <node id>.<sequence>")
	}
	if text[:dot] != f.NodeID {
		return 0, errExpired
	}
	return n, nil
}

func parseTopics(text string) ([]string, error) {
	topics := strings.Split(text, ",")
	for i, about := range topics {
		if !topic.Known(about) || slices.Contains(topics[:i], about) {
			return nil, httpd.Invalid("topics: expected some of %s, each once", strings.Join(topic.All(), ","))
		}
	}
	return topics, nil
}
