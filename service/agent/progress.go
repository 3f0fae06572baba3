package agent

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/feed"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/topic"
)

// progress is how far the node has followed the cloud.
type progress struct {
	*core
	outbox        *outbox
	synced        time.Time // when the policy was last confirmed by the cloud
	noticed       int64     // the sequence of the cloud's last notice
	registrations int64     // their version
}

// restore reads how far the node has followed the cloud.
func (p *progress) restore() error {
	kept, err := p.onlyOnes(kindPolicy, kindRegistrations, kindNotices)
	if err != nil {
		return err
	}
	if policy := kept[kindPolicy]; policy != nil {
		if p.synced, err = seal.ParseTime(seal.Text(policy, "synced_at")); err != nil {
			return fmt.Errorf("the stored policy: %w", err)
		}
	}
	p.registrations = seal.Integer(kept[kindRegistrations], "version")
	p.noticed = seal.Integer(kept[kindNotices], "sequence")
	return nil
}

// adoptRoster adopts a newer roster of the tenant's nodes.
func (p *progress) adoptRoster(_ context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	envelope, _ := value.(seal.Object)
	err := p.update(func(tx *durable.Tx) error {
		if err := p.node.TakeRoster(envelope); err != nil {
			return refuse(err)
		}
		return tx.Put(kindRoster, only, envelope)
	})
	return err == nil, err
}

// adoptPolicy adopts a newer policy. An answer without one means that the node's policy is in
// force.
func (p *progress) adoptPolicy(_ context.Context, value any) (bool, error) {
	now := p.now()
	if value == nil {
		p.metrics.policySuccesses.Inc()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.node.PolicyVersion() > 0 {
			p.synced = now
		}
		return false, nil
	}
	envelope, _ := value.(seal.Object)
	err := p.update(func(tx *durable.Tx) error {
		if err := p.node.TakePolicy(envelope); err != nil {
			return refuse(err)
		}
		p.synced = now
		return tx.Put(kindPolicy, only, seal.Object{"policy": envelope, "synced_at": seal.Time(now)})
	})
	if err != nil {
		p.metrics.policyFailures.Inc()
		return false, err
	}
	p.metrics.policySuccesses.Inc()
	p.log.Info("a policy was taken over", "policy_version", seal.Integer(seal.Member(envelope, "statement"),
		"policy_version"))
	return true, nil
}

// adoptRegistrations adopts the registrations: which node serves which service. An answer
// without them means that the node has the current ones.
func (p *progress) adoptRegistrations(_ context.Context, value any) (bool, error) {
	if value == nil {
		p.metrics.registrations.Inc()
		return false, nil
	}
	document, _ := value.(seal.Object)
	r := form.Read(document)
	version := r.Number("version", 1, form.Largest)
	for i, service := range r.Objects("services") {
		s := form.Read(service)
		s.Text("service", form.Identifier)
		s.Text("workload_profile", form.Identifier)
		s.Text("node_id", form.SubjectID)
		if err := s.Close(); err != nil {
			return false, fmt.Errorf("services/%d: %w", i, err)
		}
	}
	if err := r.Close(); err != nil {
		return false, err
	}
	p.metrics.registrations.Inc()
	fresh := false
	err := p.update(func(tx *durable.Tx) error {
		if version <= p.registrations {
			return nil
		}
		fresh, p.registrations = true, version
		return tx.Put(kindRegistrations, only, document)
	})
	return fresh, err
}

// validNotice checks a notice before it is passed on.
func validNotice(about string, data seal.Object) error {
	if !topic.FromCloud(about) {
		return fmt.Errorf("topic: the cloud has no say in %s", about)
	}
	return feed.Validate(about, data)
}

// adoptNotices passes the cloud's notices on as trust events, each once.
func (p *progress) adoptNotices(_ context.Context, value any) (bool, error) {
	return adoptEach("notices", value, p.adoptNotice)
}

func (p *progress) adoptNotice(_ int, notice seal.Object) (bool, error) {
	r := form.Read(notice)
	sequence, about, data := r.Number("sequence", 1, form.Largest), r.Text("topic", form.Identifier), r.Object("data")
	if err := r.Close(); err != nil {
		return false, err
	}
	fresh := false
	err := p.update(func(tx *durable.Tx) error {
		if sequence <= p.noticed {
			return nil
		}
		fresh, p.noticed = true, sequence
		if err := validNotice(about, data); err != nil {
			p.log.Warn("a notice was left out", "sequence", sequence, "error", err.Error())
		} else if err := p.publish(about, data); err != nil {
			return err
		}
		return tx.Put(kindNotices, only, seal.Object{"sequence": sequence})
	})
	return fresh, err
}

// witness replays the tenant log up to a checkpoint and witnesses it.
func (p *progress) witness(ctx context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	checkpoint, _ := value.(seal.Object)
	p.mu.Lock()
	needed, err := p.node.NeedsReplay(checkpoint)
	replay := p.node.Replay()
	p.mu.Unlock()
	if err != nil {
		return false, err
	}
	until := uint64(seal.Integer(seal.Member(checkpoint, "statement"), "sequence"))
	for needed && replay.Sequence() < until {
		page := fmt.Sprintf("links?after=%d&to=%d", replay.Sequence(), until)
		answer, err := p.cloud.Do(ctx, http.MethodGet, p.path(page), nil)
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
	return needed, p.update(func(tx *durable.Tx) error {
		receipt, err := p.node.WitnessReplay(checkpoint, replay)
		if err != nil {
			return refuse(err)
		}
		if err := tx.Put(kindWitnessed, only, p.node.WitnessedState()); err != nil {
			return err
		}
		return p.outbox.offer(tx, seal.Object{"kind": "witness", "receipt": receipt})
	})
}

// takeLinks gives the links of one answer to a replay.
func takeLinks(take func(seal.Link) error, answer seal.Object) error {
	r := form.Read(answer)
	links := r.Objects("links")
	if err := r.Close(); err != nil {
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
	r := form.Read(o)
	link := seal.Link{Sequence: uint64(max(0, r.Number("sequence", 1, form.Largest)))}
	for name, hash := range map[string]*seal.Hash{
		"previous_hash": &link.Previous, "skip_hash": &link.Skip, "body_sha256": &link.Body,
	} {
		parsed, err := seal.ParseHash(r.Text(name, form.Digest))
		if err != nil {
			return link, fmt.Errorf("%s: %w", name, err)
		}
		*hash = parsed
	}
	return link, r.Close()
}
