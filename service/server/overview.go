package server

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/server/revocation"
)

// exposureWindow is within which a certificate counts as about to expire.
const exposureWindow = 30 * 24 * time.Hour

// witnessGrace is how many poll intervals the nodes have to witness a
// checkpoint before the trust status suffers.
const witnessGrace = 6

// overview is the tenant as the console shows it.
type overview struct {
	*issuances
	checkpoints *checkpoints
}

// show answers with everything that the console shows.
func (v *overview) show(c *call) (seal.Object, error) {
	return v.answerView(func() (seal.Object, error) {
		now := v.now()
		published := v.authority.publisher.Status(now)
		rotations, err := v.store.List(kindRotation, "", 50)
		if err != nil {
			return nil, err
		}
		list := []any{}
		for _, e := range rotations {
			list = append(list, e.Document)
		}
		active, expiring := v.authority.publisher.Expiring(now, exposureWindow)
		health := "healthy"
		if !v.healthy(now, published) {
			health = stateDegraded
		}
		checkpoint, _ := v.cloud.Anchor()
		return seal.Object{
			"tenant_id": v.config.TenantID, "label": v.label(now, health), "as_of": seal.Time(now),
			"operator": c.who.Name,
			"nodes":    v.nodes.views(now, v.policies.version()), "quorum": v.quorum(now),
			"integrations": v.integrations.views(), "profiles": v.policies.views(),
			"incidents": form.Document(v.incidents.current),
			"trust_health": seal.Object{
				"status": health, "active_certificates": active, "expiring_within_30_days": expiring,
			},
			"revocation": revocationView(published), "rotations": list,
			"audit": seal.Object{
				"sequence": int64(v.cloud.Sequence()), "checkpoint": versionOf(checkpoint, "sequence"),
				"witnesses": v.checkpoints.witnessView(),
			},
		}, nil
	})
}

// label is the tenant label. Paused issuance goes before
// everything else.
func (v *overview) label(now time.Time, health string) string {
	if v.incidents.current.Paused {
		return "issuance paused"
	}
	if len(v.nodes.byID) == 0 {
		return "No Mesh Nodes connected"
	}
	healthy, all := v.nodes.healthy(now), len(v.nodes.byID)
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
func (v *overview) healthy(now time.Time, published revocation.Status) bool {
	checkpoint, receipts := v.cloud.Anchor()
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	waiting := checkpoint != nil && int64(len(receipts)) < v.config.RequiredWitnesses
	return v.available(now) && published.Current() && !(waiting && now.Sub(created) >= witnessGrace*v.config.Poll)
}

// available reports whether enough nodes are up for the strictest profile of
// the policy. A degraded node takes part in decisions.
func (v *overview) available(now time.Time) bool {
	required := v.policies.requiredApprovals()
	return required > 0 && int64(len(v.nodes.up(now))) >= required
}

func (v *overview) quorum(now time.Time) seal.Object {
	state := "fail_closed"
	if v.available(now) {
		state = "available"
	}
	return seal.Object{"healthy": int64(len(v.nodes.up(now))), "required": max(1, v.policies.requiredApprovals()),
		"state": state}
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
	return seal.Object{"crls": lists, "ocsp": seal.Object{"responses": int64(status.Responses),
		"attention": int64(status.Attention)}}
}
