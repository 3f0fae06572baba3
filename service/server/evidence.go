package server

import (
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// evidence is what the tenant log proves, for others to check.
type evidence struct {
	*checkpoints
	transactions *transactions
}

// witnessWait is how long an export waits for witnesses, if nothing is said.
const witnessWait = 15 * time.Second

// export answers with the portable proof of a transaction, at a checkpoint
// that is made for it and that enough nodes witnessed.
func (e *evidence) export(c *call) (seal.Object, error) {
	f := read(c.Body)
	wait := witnessWait
	if f.Has("wait_seconds") {
		wait = time.Duration(f.Number("wait_seconds", 0, 60)) * time.Second
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	var needed uint64
	if err := e.inspect(func() error {
		t, err := e.transactions.of(c)
		if err == nil && t.Issued == nil {
			err = conflict("no certificate was issued for transaction %s, so there is no evidence", t.id())
		}
		needed = e.cloud.Sequence()
		return err
	}); err != nil {
		return nil, err
	}
	end := time.NewTimer(wait)
	defer end.Stop()
	for over := false; ; {
		bundle, changed, err := e.prove(c, &needed)
		if bundle != nil || err != nil {
			return bundle, err
		}
		if over {
			return nil, e.witnessPending()
		}
		select {
		case <-changed:
		case <-time.After(tick):
		case <-e.broken:
		case <-end.C:
			over = true
		case <-c.Context().Done():
			over = true
		}
	}
}

// prove returns the bundle if a checkpoint of the log from needed on is
// witnessed, nil if not. It makes the checkpoint if there is none, and no older
// one still collects receipts.
func (e *evidence) prove(c *call, needed *uint64) (bundle seal.Object, changed chan struct{}, err error) {
	err = e.update(func() error {
		checkpoint, _ := e.cloud.Anchor()
		covers := checkpoint != nil && uint64(versionOf(checkpoint, "sequence")) >= *needed
		enough := e.witnesses() >= e.config.RequiredWitnesses
		created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
		changed = e.changed
		if !covers && (enough || e.now().Sub(created) >= collectFor) {
			e.anchor()
			return nil
		}
		if !covers || !enough {
			return nil
		}
		t, err := e.transactions.of(c)
		if err != nil {
			return err
		}
		if bundle, err = e.cloud.Export(t.Transaction); err != nil {
			*needed = e.cloud.Sequence() // it was revoked since
		}
		return nil
	})
	return bundle, changed, err
}

// witnessPending is the problem while too few nodes witnessed.
func (e *evidence) witnessPending() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	have, want := e.witnesses(), e.config.RequiredWitnesses
	return &httpd.Problem{
		Status: http.StatusServiceUnavailable, Code: "audit_customer_witness_pending",
		Detail:   fmt.Sprintf("too few nodes have witnessed the checkpoint (%d/%d)", have, want),
		Received: have, Required: want,
	}
}

// window answers with a window of the tenant log.
func (e *evidence) window(c *call) (seal.Object, error) {
	limit, err := c.Number("limit", 1, 500, 200)
	if err != nil {
		return nil, err
	}
	to, err := c.Number("to", 0, form.Largest, form.Largest)
	if err != nil {
		return nil, err
	}
	return e.answerView(func() (seal.Object, error) {
		head := int64(e.cloud.Sequence())
		to = min(to, head)
		lines, err := e.store.Lines(uint64(max(0, to-limit)), int(min(limit, to)))
		if err != nil {
			return nil, err
		}
		events := make([]any, len(lines))
		for i, line := range lines {
			if events[i], err = seal.Parse(line); err != nil {
				return nil, err
			}
		}
		answer := seal.Object{
			"events": events, "head": seal.Object{"sequence": head, "hash": e.cloud.Head().String()},
			"witnesses": e.witnessView(),
		}
		if checkpoint, _ := e.cloud.Anchor(); checkpoint != nil {
			answer["checkpoint"] = seal.Object{"sequence": versionOf(checkpoint, "sequence")}
		}
		return answer, nil
	})
}

// links answers with the links of the tenant log that a node replays before it
// witnesses, SPEC 5.2.
func (e *evidence) links(c *call) (seal.Object, error) {
	const maximum = 4096
	after, err := c.Number("after", 0, form.Largest, 0)
	if err != nil {
		return nil, err
	}
	to, err := c.Number("to", 1, form.Largest, form.Largest)
	if err != nil {
		return nil, err
	}
	return e.answerView(func() (seal.Object, error) {
		if _, err := e.nodes.caller(c); err != nil {
			return nil, err
		}
		list := []any{}
		for link := range e.cloud.Links(uint64(after)) {
			if link.Sequence > uint64(to) || len(list) == maximum {
				break
			}
			list = append(list, link.Redacted())
		}
		return seal.Object{"links": list}, nil
	})
}
