package server

import (
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/topic"
)

// repeatAfter is when the same news is given to a node again that has done
// nothing about it.
const repeatAfter = time.Second

// position is how far a node has come, by its own account.
type position struct {
	policy, roster, registrations int64
	notices                       int64
	witnessed                     int64
	wait                          time.Duration
	status                        string
	report                        seal.Object // nil if there is none
}

func readPosition(body seal.Object, nodeID string) (position, error) {
	f := readFields(body)
	p := position{
		policy: f.Number("policy_version", 0, form.Largest), roster: f.Number("roster_version", 0, form.Largest),
		registrations: f.Number("registrations_version", 0, form.Largest),
		notices:       f.Number("notices_after", 0, form.Largest), witnessed: f.Number("witnessed", 0, form.Largest),
		wait: time.Duration(f.Number("wait_seconds", 0, 30)) * time.Second,
	}
	// The rest of the health document is for those who ask the node.
	health := form.Read(f.Object("health"))
	if p.status = health.Word("status", nodeOK, nodeDegraded); health.Err() != nil {
		f.Fail("health", "a status of ok or degraded")
	}
	if f.Has("report") {
		p.report = f.Object("report")
	}
	if err := f.close(); err != nil {
		return p, err
	}
	if p.report != nil {
		return p, checkReport(p.report, nodeID)
	}
	return p, nil
}

// polls give the nodes the news for them.
type polls struct {
	*issuances
	registrations *registrations
	checkpoints   *checkpoints
}

// sync is the poll of a node: its sign of life, and whatever is new for it.
func (ps *polls) sync(c *call) (seal.Object, error) {
	p, err := readPosition(c.Body, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if err := ps.update(func() error {
		n, err := ps.nodes.holder(c)
		if err != nil {
			return err
		}
		return ps.nodes.heard(n, p)
	}); err != nil {
		return nil, err
	}
	return ps.poll(c, p)
}

// poll waits for news for a node, and no longer than the poll interval, since the next
// poll is the node's next sign of life.
func (ps *polls) poll(c *call, p position) (seal.Object, error) {
	answer := seal.Object{}
	err := ps.awaitDone(c.Context(), min(p.wait, ps.config.Poll), func() (bool, time.Duration, error) {
		n, err := ps.nodes.holder(c)
		if err != nil {
			return false, 0, err
		}
		var again time.Duration // until the same news may be given again
		answer, again, err = ps.fresh(n, p)
		return len(answer) > 0 && again == 0, again, err
	})
	return answer, err
}

// fresh is the news for a node. If it was given the same a moment ago, again is
// how long it has to wait.
func (ps *polls) fresh(n *node, p position) (answer seal.Object, again time.Duration, err error) {
	answer, err = ps.news(n, p)
	if err != nil || len(answer) == 0 {
		return answer, 0, err
	}
	digest := seal.Digest(answer)
	if since := time.Since(n.lastNewsAt); digest == n.lastNews && since < repeatAfter {
		return answer, repeatAfter - since, nil
	}
	n.lastNews, n.lastNewsAt = digest, time.Now()
	return answer, 0, nil
}

// news is whatever is new for a node, empty if there is nothing.
func (ps *polls) news(n *node, p position) (seal.Object, error) {
	answer := seal.Object{}
	if ps.policies.version() > p.policy {
		answer["policy"] = ps.policies.envelope
	}
	if ps.nodes.published != nil && versionOf(ps.nodes.published, "roster_version") > p.roster {
		answer["roster"] = ps.nodes.published
	}
	if checkpoint := ps.checkpoints.wanted(n, p.witnessed); checkpoint != nil {
		answer["checkpoint"] = checkpoint
	}
	if ps.registrations.version() > p.registrations {
		answer["registrations"] = ps.registrations.views()
	}
	notices, err := ps.notices.after(p.notices)
	if err != nil {
		return nil, err
	}
	if len(notices) > 0 {
		answer["notices"] = notices
	}
	if work := ps.work(n, ps.now()); len(work) > 0 {
		answer["work"] = work
	}
	desired, waiting := ps.integrations.desired(n.id)
	if len(desired) > 0 && (waiting || len(answer) > 0) {
		answer["integrations"] = desired
	}
	return answer, nil
}

// maximumNotices is how many are kept for a node that is behind.
const maximumNotices = 4096

// notices are the messages that every node is to pass on as trust events. Sequences have no
// gap.
type notices struct {
	*ledger
	newest  int64 // sequence
	dropped int64 // sequence through which they are dropped
}

func (n *notices) restore() error {
	return n.store.Each(kindNotice, "", func(e durable.Entry) error {
		n.newest = seal.Integer(e.Document, "sequence")
		return nil
	})
}

// add adds a notice to the current decision.
func (n *notices) add(topic string, data seal.Object) {
	n.newest++
	n.put(kindNotice, ascendingID(n.newest), seal.Object{"sequence": n.newest, "topic": topic, "data": data})
}

// drop drops the notices through a sequence that every node has, and the ones beyond the
// maximum. The newest stays: it holds the sequence.
func (n *notices) drop(had int64) {
	if through := max(min(had, n.newest-1), n.newest-maximumNotices); through > n.dropped {
		n.dropped = through
		n.removeThrough(kindNotice, ascendingID(through))
	}
}

// after are the notices after a sequence, at most a page of them.
func (n *notices) after(sequence int64) ([]any, error) {
	if sequence >= n.newest {
		return nil, nil
	}
	entries, err := n.store.List(kindNotice, ascendingID(sequence), page)
	if err != nil {
		return nil, err
	}
	var list []any
	for _, e := range entries {
		list = append(list, e.Document)
	}
	return list, nil
}

// registrations are the services that workloads run, each with the node that represents it.
type registrations struct {
	*tenant
	document seal.Object // version, and services by name
}

func (r *registrations) restore() error {
	document, err := r.store.Get(kindState, stateServices)
	if document == nil {
		document = seal.Object{"version": int64(0), "services": seal.Object{}}
	}
	r.document = document
	return err
}

func (r *registrations) version() int64 { return seal.Integer(r.document, "version") }

// enter registers a service, or changes its node, and notifies the nodes.
func (r *registrations) enter(registration seal.Object) {
	name, registered := seal.Text(registration, "service"), seal.Member(r.document, "services")
	if known := seal.Member(registered, name); known != nil && seal.Digest(known) == seal.Digest(registration) {
		return
	}
	registered = maps.Clone(registered)
	registered[name] = registration
	r.document = seal.Object{"version": r.version() + 1, "services": registered}
	r.put(kindState, stateServices, r.document)
	r.cloud.Note(eventtype.ServiceClaimed, registration)
	r.notices.add(topic.ServiceClaimed, registration)
}

// views are all registered services as the nodes get them, by name.
func (r *registrations) views() seal.Object {
	registered := seal.Member(r.document, "services")
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		list = append(list, registered[name])
	}
	return seal.Object{"version": r.document["version"], "services": list}
}
