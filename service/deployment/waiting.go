package deployment

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Tell takes a sentence about what a command waits for, nil for no one who
// listens.
type Tell func(sentence string)

// teller tells each sentence once.
type teller struct {
	tell Tell
	last string
}

// slice is how long a call that waits is held if someone is to be told what it
// waits for.
const slice = 2 * time.Second

// hold is how long a call may be held.
func (t *teller) hold() time.Duration {
	if t.tell == nil {
		return pollWait
	}
	return slice
}

// say tells a sentence that is another one than the last.
func (t *teller) say(sentence string) {
	if t.tell != nil && sentence != t.last && sentence != "" {
		t.last = sentence
		t.tell(sentence)
	}
}

// fleet is which nodes of a deployment can take part now, and which cannot and
// why.
type fleet struct {
	up       []string
	away     []string // "mesh-oslo-1 is offline"
	disabled map[string]bool
}

// fleet asks the cloud for the state of its nodes.
func (c Customer) fleet(ctx context.Context) (fleet, error) {
	cloud, err := c.CallCloud("operator", "ada")
	if err != nil {
		return fleet{}, err
	}
	defer cloud.Close()
	overview, err := cloud.Do(ctx, http.MethodGet, "/api/v1/overview", nil)
	if err != nil {
		return fleet{}, refused(err)
	}
	f := fleet{disabled: map[string]bool{}}
	seen := map[string]bool{}
	for _, each := range seal.List(overview, "nodes") {
		n, _ := each.(seal.Object)
		id, state := seal.Text(n, "node_id"), seal.Text(n, "state")
		seen[id], f.disabled[id] = true, state == "disabled"
		if state == "ok" || state == "degraded" {
			f.up = append(f.up, id)
			continue
		}
		away := id + " is " + state
		if seen, err := seal.ParseTime(seal.Text(n, "last_seen")); err == nil && state == "offline" {
			away += ", last heard at " + seen.UTC().Format(time.TimeOnly) + " UTC"
		}
		f.away = append(f.away, away)
	}
	for _, id := range c.Nodes {
		if !seen[id] {
			f.away = append(f.away, id+" is not enrolled")
		}
	}
	return f, nil
}

// waits says what a transaction that is pending waits for. It is empty while
// every node that is needed can answer, unless the transaction is late.
func (f fleet) waits(t seal.Object, late bool) string {
	approvals := seal.Member(t, "approvals")
	received, required := seal.Integer(approvals, "received"), seal.Integer(approvals, "required")
	if int64(len(f.up)) >= required && !late {
		return ""
	}
	text := fmt.Sprintf("%s waits for nodes: %d of %d must approve, %d have, %d can be reached",
		seal.Text(t, "transaction_id"), required, len(f.up)+len(f.away), received, len(f.up))
	if len(f.away) == 0 {
		return text
	}
	return text + "; " + strings.Join(f.away, ", ")
}

// decided waits until a transaction is not pending any more, and tells what it
// waits for.
func (c Customer) decided(ctx context.Context, cloud *httpd.Client, t seal.Object, w *teller) (seal.Object, error) {
	path := transactionPath(seal.Text(t, "transaction_id"))
	for late := false; ; late = true {
		switch seal.Text(t, "status") {
		case "pending":
		case "denied":
			return t, &Refused{seal.Text(t, "code"), seal.Text(t, "detail")}
		default:
			return t, nil
		}
		if w.tell != nil {
			f, err := c.fleet(ctx)
			if err != nil {
				return t, err
			}
			w.say(f.waits(t, late))
		}
		next, err := cloud.Poll(ctx, w.hold(), http.MethodGet, fmt.Sprintf("%s?wait_seconds=%d", path,
			w.hold()/time.Second), nil)
		if err != nil {
			return t, refused(err)
		}
		t = next
	}
}
