package agent

import (
	"context"
	"fmt"
	"net/http"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/feed"
)

// takeRoster takes over a newer roster of the tenant's nodes.
func (a *Agent) takeRoster(_ context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	envelope, _ := value.(seal.Object)
	err := a.update(func(tx *durable.Tx) error {
		if err := a.node.TakeRoster(envelope); err != nil {
			return refuse(err)
		}
		return tx.Put(kindRoster, only, envelope)
	})
	return err == nil, err
}

// takePolicy takes over a newer policy. An answer without one says that the
// node's is that in force.
func (a *Agent) takePolicy(_ context.Context, value any) (bool, error) {
	now := a.now()
	if value == nil {
		a.metrics.policySuccesses.Inc()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.node.PolicyVersion() > 0 {
			a.synced = now
		}
		return false, nil
	}
	envelope, _ := value.(seal.Object)
	err := a.update(func(tx *durable.Tx) error {
		if err := a.node.TakePolicy(envelope); err != nil {
			return refuse(err)
		}
		a.synced = now
		return tx.Put(kindPolicy, only, seal.Object{"policy": envelope, "synced_at": seal.Time(now)})
	})
	if err != nil {
		a.metrics.policyFailures.Inc()
		return false, err
	}
	a.metrics.policySuccesses.Inc()
	a.log.Info("a policy was taken over", "policy_version", seal.Integer(seal.Member(envelope, "statement"), "policy_version"))
	return true, nil
}

// takeRegistrations takes over which node serves which service. An answer
// without them says that the node's are those of now.
func (a *Agent) takeRegistrations(_ context.Context, value any) (bool, error) {
	if value == nil {
		a.metrics.registrations.Inc()
		return false, nil
	}
	document, _ := value.(seal.Object)
	r := newReader(document)
	version := r.number("version", 1)
	for i, service := range r.members("services") {
		s := newReader(service)
		s.text("service", identifierForm)
		s.text("workload_profile", identifierForm)
		s.text("node_id", subjectForm)
		if err := s.end(); err != nil {
			return false, fmt.Errorf("services/%d: %w", i, err)
		}
	}
	if err := r.end(); err != nil {
		return false, err
	}
	a.metrics.registrations.Inc()
	fresh := false
	err := a.update(func(tx *durable.Tx) error {
		if version <= a.registrations {
			return nil
		}
		fresh, a.registrations = true, version
		return tx.Put(kindRegistrations, only, document)
	})
	return fresh, err
}

// noticeTopics are the topics of trust events that begin in the cloud. The
// others are the node's own to say.
var noticeTopics = map[string]bool{
	"service.claimed": true, "trust_bundle.updated": true, "policy.version.available": true, "incident.issuance_paused": true,
}

func validNotice(topic string, data seal.Object) error {
	if !noticeTopics[topic] {
		return fmt.Errorf("topic: the cloud has no say in %s", topic)
	}
	return feed.Validate(topic, data)
}

// takeNotices passes the cloud's notices on as trust events, each once.
func (a *Agent) takeNotices(_ context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	list := newReader(seal.Object{"notices": value})
	notices := list.members("notices")
	if err := list.end(); err != nil {
		return false, err
	}
	news := false
	for i, notice := range notices {
		fresh, err := a.takeNotice(notice)
		if err != nil {
			return news, fmt.Errorf("notices/%d: %w", i, err)
		}
		news = news || fresh
	}
	return news, nil
}

func (a *Agent) takeNotice(notice seal.Object) (bool, error) {
	r := newReader(notice)
	sequence, topic, data := r.number("sequence", 1), r.text("topic", identifierForm), r.member("data")
	if err := r.end(); err != nil {
		return false, err
	}
	fresh := false
	err := a.update(func(tx *durable.Tx) error {
		if sequence <= a.noticed {
			return nil
		}
		fresh, a.noticed = true, sequence
		if err := validNotice(topic, data); err != nil {
			a.log.Warn("a notice was left out", "sequence", sequence, "error", err.Error())
		} else if err := a.publish(topic, data); err != nil {
			return err
		}
		return tx.Put(kindNotices, only, seal.Object{"sequence": sequence})
	})
	return fresh, err
}

// takeCheckpoint replays the tenant log up to a checkpoint and witnesses it.
func (a *Agent) takeCheckpoint(ctx context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	checkpoint, _ := value.(seal.Object)
	a.mu.Lock()
	needed, err := a.node.NeedsReplay(checkpoint)
	replay := a.node.Replay()
	a.mu.Unlock()
	if err != nil {
		return false, err
	}
	until := uint64(seal.Integer(seal.Member(checkpoint, "statement"), "sequence"))
	for needed && replay.Sequence() < until {
		page := fmt.Sprintf("links?after=%d&to=%d", replay.Sequence(), until)
		answer, err := a.cloud.Do(ctx, http.MethodGet, a.path(page), nil)
		if err != nil {
			return false, fmt.Errorf("links: %w", err)
		}
		before := replay.Sequence()
		if err := takeLinks(replay.Take, answer); err != nil {
			return false, err
		}
		if replay.Sequence() == before {
			return false, fmt.Errorf("links: expected some after %d, found none", before)
		}
	}
	return needed, a.update(func(tx *durable.Tx) error {
		receipt, err := a.node.WitnessReplay(checkpoint, replay)
		if err != nil {
			return refuse(err)
		}
		if err := tx.Put(kindWitnessed, only, a.node.WitnessedState()); err != nil {
			return err
		}
		return a.outbox.offer(tx, seal.Object{"kind": "witness", "receipt": receipt})
	})
}

// takeLinks gives the links of one answer to a replay.
func takeLinks(take func(seal.Link) error, answer seal.Object) error {
	r := newReader(answer)
	links := r.members("links")
	if err := r.end(); err != nil {
		return err
	}
	for i, o := range links {
		link, err := readLink(o)
		if err != nil {
			return fmt.Errorf("links/%d: %w", i, err)
		}
		if err := take(link); err != nil {
			return err
		}
	}
	return nil
}

func readLink(o seal.Object) (seal.Link, error) {
	r := newReader(o)
	link := seal.Link{Sequence: uint64(max(0, r.number("sequence", 1)))}
	for name, hash := range map[string]*seal.Hash{
		"previous_hash": &link.Previous, "skip_hash": &link.Skip, "body_sha256": &link.Body,
	} {
		parsed, err := seal.ParseHash(r.text(name, hashForm))
		if err != nil {
			return link, fmt.Errorf("%s: %w", name, err)
		}
		*hash = parsed
	}
	return link, r.end()
}
