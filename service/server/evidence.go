package server

import (
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// evidence answers with proofs from the tenant log, for others to check.
type evidence struct {
	*checkpoints
	transactions *transactions
}

// witnessWait is how long an export waits for witnesses, if nothing is said.
const witnessWait = 15 * time.Second

// export answers with the portable proof of a transaction, at a checkpoint
// that is made for it and that enough nodes witnessed.
func (e *evidence) export(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	wait := witnessWait
	if f.Has("wait_seconds") {
		wait = time.Duration(f.Number("wait_seconds", 0, 60)) * time.Second
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	var bundle seal.Object
	needed := uint64(0) // the event that the checkpoint must cover, 0 before it is known
	if err := e.awaitDone(c.Context(), wait, func() (_ bool, _ time.Duration, err error) {
		bundle, err = e.prove(c, &needed)
		return bundle != nil, 0, err
	}); err != nil || bundle != nil {
		return bundle, err
	}
	return nil, e.witnessPending()
}

// prove returns the bundle if a checkpoint of the log from needed on is
// witnessed, nil if not. It makes the checkpoint if there is none, and no older
// one still collects receipts.
func (e *evidence) prove(c *call, needed *uint64) (seal.Object, error) {
	t, err := e.transactions.of(c)
	if err != nil {
		return nil, err
	}
	if t.Issued == nil {
		return nil, conflictError("no certificate was issued for transaction %s, so there is no evidence", t.id())
	}
	if *needed == 0 {
		*needed = e.cloud.Sequence()
	}
	checkpoint, _ := e.cloud.Anchor()
	covers := checkpoint != nil && uint64(versionOf(checkpoint, "sequence")) >= *needed
	enough := e.witnesses() >= e.config.RequiredWitnesses
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	if !covers && (enough || e.now().Sub(created) >= collectFor) {
		e.anchor()
		return nil, nil
	}
	if !covers || !enough {
		return nil, nil
	}
	bundle, err := e.cloud.Export(t.Transaction)
	if err != nil {
		*needed = e.cloud.Sequence() // it was revoked since
	}
	return bundle, nil
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

// growth is how far the tenant log has grown, reports of nodes left aside: a
// checkpoint makes nodes write, which makes them report, and so on without end.
type growth struct {
	sequence uint64
	at       time.Time
}

// Intervals of automatic actions.
const (
	// collectFor is how long a checkpoint may collect receipts before a newer one replaces it.
	collectFor = 5 * time.Second
	// longestGrowth is after how many quiet times a log that never is quiet
	// gets its checkpoint.
	longestGrowth = 10
)

// checkpoints are made of the tenant log, for the nodes to witness.
type checkpoints struct {
	*tenant
	nodes *nodes
	grown growth
}

// grew adds an event that the cloud logged.
func (cs *checkpoints) grew(event seal.Object) {
	cs.append(event)
	if body := seal.Member(event, "body"); seal.Text(body, "type") != eventtype.NodeReported {
		cs.grown = growth{uint64(seal.Integer(body, "sequence")), cs.now()}
	}
}

// anchor makes a checkpoint of everything that is known, the reports of the
// nodes among it.
func (cs *checkpoints) anchor() {
	cs.nodes.logReports(cs.now(), true)
	cs.cloud.Checkpoint()
	cs.saveCloud()
}

// restore reads the log and the cloud's state besides it.
func (cs *checkpoints) restore(policy seal.Object) error {
	document, err := cs.store.Get(kindState, stateCloud)
	if err != nil {
		return err
	}
	if err := cs.cloud.Restore(cs.store.Events(), document, policy); err != nil {
		return err
	}
	cs.grown = growth{sequence: cs.cloud.Sequence(), at: cs.now()}
	return nil
}

// anchorQuiet makes a checkpoint once the log has stopped growing, or has grown
// for long.
func (cs *checkpoints) anchorQuiet(now time.Time) {
	checkpoint, _ := cs.cloud.Anchor()
	if cs.grown.sequence <= uint64(versionOf(checkpoint, "sequence")) {
		return
	}
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	if quiet := now.Sub(cs.grown.at) >= cs.config.Quiet; quiet || checkpoint != nil &&
		now.Sub(created) >= longestGrowth*cs.config.Quiet {
		cs.anchor()
	}
}

// witnesses is how many receipts the newest checkpoint has.
func (cs *checkpoints) witnesses() int64 {
	_, receipts := cs.cloud.Anchor()
	return int64(len(receipts))
}

// witnessView is who witnessed the newest checkpoint.
func (cs *checkpoints) witnessView() seal.Object {
	_, receipts := cs.cloud.Anchor()
	ids := make([]string, len(receipts))
	for i, receipt := range receipts {
		ids[i] = seal.Text(seal.Member(receipt, "statement"), "node_id")
	}
	return seal.Object{
		"received": int64(len(receipts)), "required": cs.config.RequiredWitnesses, "node_ids": seal.SortedStrings(ids),
	}
}

func (cs *checkpoints) acceptReceipt(n *node, f *fields) error {
	receipt := f.Object("receipt")
	if err := f.close(); err != nil {
		return err
	}
	statement, err := cs.signedBy(n, receipt, "svc.witness-receipt.v1")
	if err != nil {
		return err
	}
	checkpoint, _ := cs.cloud.Anchor()
	if seal.Text(statement, "checkpoint_sha256") != seal.StatementDigest(checkpoint) {
		return conflictError("it is not for the newest checkpoint")
	}
	if err := checkReceipt(statement, seal.Member(checkpoint, "statement")); err != nil {
		return err
	}
	if err := cs.cloud.RecordWitness(receipt); err != nil {
		return conflictError("%s", err)
	}
	cs.saveCloud()
	return nil
}

// wanted is the newest checkpoint, if the node has not witnessed it.
func (cs *checkpoints) wanted(n *node, witnessed int64) seal.Object {
	checkpoint, receipts := cs.cloud.Anchor()
	if seal.SignedFor(n.id, receipts) || versionOf(checkpoint, "sequence") <= witnessed {
		return nil
	}
	return checkpoint
}
