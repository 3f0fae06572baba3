package server

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/server/revocation"
)

// exposureWindow is within which a certificate counts as about to expire,
// interface 8.
const exposureWindow = 30 * 24 * time.Hour

// witnessGrace is how many poll intervals the nodes have to witness a
// checkpoint before the trust status suffers.
const witnessGrace = 6

// show answers with everything that the console shows.
func (s *Server) show(c *call) (seal.Object, error) {
	var o seal.Object
	err := s.inspect(func() error {
		now := s.now()
		published := s.authority.publisher.Status(now)
		rotations, err := s.store.List(kindRotation, "", 50)
		if err != nil {
			return err
		}
		list := []any{}
		for _, e := range rotations {
			list = append(list, e.Document)
		}
		active, expiring := s.authority.publisher.Expiring(now, exposureWindow)
		health := "healthy"
		if !s.healthy(now, published) {
			health = stateDegraded
		}
		checkpoint, _ := s.cloud.Anchor()
		o = seal.Object{
			"tenant_id": s.config.TenantID, "label": s.label(now, health), "as_of": seal.Time(now), "operator": c.who.Name,
			"nodes": s.nodes.views(now, s.policies.version()), "quorum": s.quorum(now),
			"integrations": s.integrations.views(), "profiles": s.policies.views(),
			"incidents": s.incidents.current.document(),
			"trust_health": seal.Object{
				"status": health, "active_certificates": active, "expiring_within_30_days": int64(len(expiring)),
			},
			"revocation": revocationView(published), "rotations": list,
			"audit": seal.Object{
				"sequence": int64(s.cloud.Sequence()), "checkpoint": versionOf(checkpoint, "sequence"), "witnesses": s.witnessView(),
			},
		}
		return nil
	})
	return o, err
}

// label is the tenant label, interface 3.3. Paused issuance goes before
// everything else.
func (s *Server) label(now time.Time, health string) string {
	if s.incidents.current.paused {
		return "issuance paused"
	}
	if len(s.nodes.byID) == 0 {
		return "No Mesh Nodes connected"
	}
	healthy, all := s.nodes.healthy(now), len(s.nodes.byID)
	switch {
	case healthy < all:
		return fmt.Sprintf("Degraded · %d/%d nodes healthy", healthy, all)
	case health != "healthy":
		return "Degraded"
	}
	return "trust path healthy"
}

// healthy is the tenant's trust status: enough nodes to approve, every list and
// answer published, and the newest checkpoint witnessed.
func (s *Server) healthy(now time.Time, published revocation.Status) bool {
	checkpoint, receipts := s.cloud.Anchor()
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	waiting := checkpoint != nil && int64(len(receipts)) < s.config.RequiredWitnesses
	return s.available(now) && published.Current() && !(waiting && now.Sub(created) >= witnessGrace*s.config.Poll)
}

// available reports whether enough nodes are up for the strictest profile of
// the policy. A degraded node takes part in decisions, interface 3.1.
func (s *Server) available(now time.Time) bool {
	required := s.policies.requiredApprovals()
	return required > 0 && int64(len(s.nodes.up(now))) >= required
}

func (s *Server) quorum(now time.Time) seal.Object {
	state := "fail_closed"
	if s.available(now) {
		state = "available"
	}
	return seal.Object{"healthy": int64(len(s.nodes.up(now))), "required": max(1, s.policies.requiredApprovals()), "state": state}
}

// expiring answers with the certificates that expire soon, the next one first.
func (s *Server) expiring(c *call) (seal.Object, error) {
	limit, err := c.Number("limit", 1, 500, 100)
	if err != nil {
		return nil, err
	}
	list, total := []any{}, 0
	err = s.inspect(func() error {
		_, expiring := s.authority.publisher.Expiring(s.now(), exposureWindow)
		total = len(expiring)
		for _, certificate := range expiring[:min(total, int(limit))] {
			o, err := s.transactions.viewOf(certificate.TransactionID)
			if err != nil {
				return err
			}
			delete(o, "certificates")
			list = append(list, o)
		}
		return nil
	})
	return seal.Object{"certificates": list, "total": int64(total)}, err
}

func revocationView(status revocation.Status) seal.Object {
	lists := []any{}
	for _, l := range status.Lists {
		o := seal.Object{"issuer": l.IssuerKey, "number": l.Number, "state": l.State}
		if l.Number > 0 {
			o["this_update"], o["next_update"] = seal.Time(l.ThisUpdate), seal.Time(l.NextUpdate)
		}
		lists = append(lists, o)
	}
	return seal.Object{"crls": lists, "ocsp": seal.Object{"responses": int64(status.Responses), "attention": int64(status.Attention)}}
}
