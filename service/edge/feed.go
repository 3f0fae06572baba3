package edge

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// MaxWait is how long a node waits for events at most.
const MaxWait = 60 * time.Second

// maxEvents is how many events an answer has at most.
const maxEvents = 256

// answer is a node's answer about its events, not verified.
type answer struct {
	events []event
	cursor Cursor
}

// ask asks the node for events after the watch's cursor, and to wait for them.
func (w *Watch) ask(ctx context.Context, wait time.Duration) (answer, error) {
	query := url.Values{"wait_seconds": {strconv.Itoa(int(wait / time.Second))}}
	if w.Cursor != (Cursor{}) {
		query.Set("cursor", w.Cursor.String())
	}
	if len(w.Topics) > 0 {
		query.Set("topics", strings.Join(w.Topics, ","))
	}
	v, err := w.Client.get(ctx, request{path: "/v1/trust-events", query: query, wait: wait})
	var refused *Refused
	if errors.As(err, &refused) && refused.Status == http.StatusGone {
		return answer{}, &Expired{w.Cursor}
	}
	if err != nil {
		return answer{}, err
	}
	return readAnswer(v)
}

// readAnswer reads the form of an answer.
func readAnswer(v *ijson.Value) (answer, error) {
	var r form.Reader
	var a answer
	o := r.Object(v, "events", "cursor")
	for _, e := range o.List("events", 0, maxEvents) {
		a.events = append(a.events, readEvent(&r, e))
	}
	o.Text("cursor", "a cursor such as mesh-oslo-1.42", func(s string) bool {
		var err error
		a.cursor, err = ParseCursor(s)
		return err == nil
	})
	if err := firstFault("the answer", r.Faults()); err != nil {
		return a, &Unverified{err.Error()}
	}
	return a, nil
}

// Expired reports that the node no longer has the events after a cursor (HTTP 410).
type Expired struct{ Cursor Cursor }

// Error returns the message.
func (e *Expired) Error() string {
	return fmt.Sprintf("the node no longer keeps the events after %s: the cursor has expired",
		safetext.Quote(e.Cursor.String()))
}

// Unverified reports that a node's answer about its events cannot be relied on: an event is
// not genuine or not about whom it should be, or one is missing or duplicate.
type Unverified struct{ reason string }

// Error returns the reason, safe to show.
func (u *Unverified) Error() string { return u.reason }

// verify checks one event against the keys and the events before it.
func (w *Watch) verify(e event) error {
	fault := w.keys.verify(w.Cursor.Node, e)
	last, expected := w.Cursor.Sequence, ""
	if len(w.Topics) == 0 {
		expected = strconv.FormatInt(last+1, 10)
	}
	switch {
	case fault != nil:
	case e.tenant != w.Tenant:
		fault = fmt.Errorf("expected tenant %s, found %s", safetext.Quote(w.Tenant), safetext.Quote(e.tenant))
	case e.node != w.Cursor.Node:
		fault = fmt.Errorf("expected node %s, found %s", safetext.Quote(w.Cursor.Node), safetext.Quote(e.node))
	case w.began && e.sequence <= last:
		fault = fmt.Errorf("it was there already: the last one was %d", last)
	case w.began && expected != "" && e.sequence != last+1:
		fault = fmt.Errorf("events are missing: expected %s", expected)
	case len(w.Topics) > 0 && !slices.Contains(w.Topics, e.topic):
		fault = fmt.Errorf("topic %s was not asked for", safetext.Quote(e.topic))
	}
	if fault != nil {
		return &Unverified{fmt.Sprintf("event %d of %s: %v", e.sequence, safetext.Quote(e.node), fault)}
	}
	return nil
}

// place compares the cursor of an answer with the one that was sent, and with
// the events. Without topics it must stand at the last event: otherwise one
// could be left out behind it.
func (w *Watch) place(a answer) error {
	last := w.Cursor.Sequence
	if n := len(a.events); n > 0 {
		last = a.events[n-1].sequence
	}
	exactly := len(w.Topics) == 0 && (w.began || len(a.events) > 0)
	switch c := a.cursor; {
	case w.began && c.Node != w.Cursor.Node:
		return &Unverified{fmt.Sprintf("the cursor of the answer: expected node %s, found %s",
			safetext.Quote(w.Cursor.Node), safetext.Quote(c.Node))}
	case c.Sequence < last, exactly && c.Sequence != last:
		return &Unverified{fmt.Sprintf("the cursor of the answer: expected it at event %d, found %d", last, c.Sequence)}
	}
	return nil
}

// protocol is the name to which the signature of a trust event is bound.
const protocol = "svc.trust-event.v1"

// event is a trust event in its envelope (SPEC 3.1 and 10), not verified.
type event struct {
	tenant, node, topic string
	sequence            int64
	keyID               string
	signature           []byte
	statement           []byte // canonical
	envelope            []byte // canonical
	data                *ijson.Value
}

// readEvent reads an event and records faults of its form.
func readEvent(r *form.Reader, v *ijson.Value) event {
	o := r.Object(v, "statement", "key_id", "signature")
	e := event{envelope: v.Canonical(), keyID: o.Identifier("key_id"),
		signature: o.Bytes("signature", ed25519.SignatureSize, ed25519.SignatureSize)}
	s := o.Get("statement")
	if s == nil {
		return e
	}
	e.statement = s.Canonical()
	if len(e.statement) > form.MaxEvent {
		r.Fault(s, form.TooLarge, "an event of at most 1 MiB", "a larger one")
	}
	f := r.Object(s, "protocol", "tenant_id", "node_id", "sequence", "topic", "occurred_at", "data")
	f.Protocol(protocol)
	f.Time("occurred_at")
	e.tenant, e.node, e.topic, e.sequence = f.Subject("tenant_id"), f.Subject("node_id"), f.Identifier("topic"),
		f.Counter("sequence")
	if e.data = f.Get("data"); e.data != nil && (e.data.Kind() != ijson.Object || e.data.Depth() > form.MaxDataDepth) {
		r.Fault(e.data, form.BadValue, "an object of at most 16 levels", "another value")
	}
	return e
}

// signedBy reports whether the signature of the event is the key's (SPEC 1.8).
func (e event) signedBy(key trust.PublicKey) bool {
	return ed25519.Verify(key[:], trust.PAE(protocol, e.statement), e.signature)
}

// successor reads which key an event identity.rotated names: its id and the key.
func (e event) successor() (id string, key trust.PublicKey, err error) {
	var text string
	for name, to := range map[string]*string{"key_id": &id, "public_key": &text} {
		if v, ok := e.data.Member(name); ok {
			*to = v.Text()
		}
	}
	raw, ok := form.Base64URL(text)
	if !ok || len(raw) != len(key) || !form.Identifier(id) {
		return "", key, fmt.Errorf("expected key_id and public_key in the data, found none of that form")
	}
	return id, trust.PublicKey(raw), nil
}

// line returns the event as a line of output.
func (e event) line() []byte { return append(bytes.Clone(e.envelope), '\n') }
