package deploy

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/api"
	"github.com/svc-edge/svc-verify/harness/rules"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// ready returns what is still missing, nil if nothing is.
func (r *Running) ready(ctx context.Context, cloud *api.Client) error {
	overview, err := cloud.Do(ctx, http.MethodGet, "/api/v1/overview", nil)
	if err != nil {
		return err
	}
	if nodes := wire.List(overview, "nodes"); len(nodes) < len(r.Nodes) {
		return fmt.Errorf("%d of %d nodes are enrolled", len(nodes), len(r.Nodes))
	}
	for _, each := range wire.List(overview, "nodes") {
		n, _ := each.(wire.Object)
		switch state := wire.Text(n, "state"); {
		case state == "disabled": // and stays so
		case wire.Integer(n, "policy_version") == 0:
			return r.firstPolicy(ctx, cloud)
		case state != "ok":
			return fmt.Errorf("node %s is %s", wire.Text(n, "node_id"), state)
		}
	}
	return nil
}

// longest is the longest lifetime that the first policy allows.
const longest = 90 * 24 * time.Hour

// firstPolicy publishes a policy, if there is none yet, and says that the nodes
// do not have it.
func (r *Running) firstPolicy(ctx context.Context, cloud *api.Client) error {
	quorum := r.Witnesses()
	policy := rules.Policy(1,
		rules.Profile{Name: "payments-api", Algorithms: signer.Algorithms, MaximumLifetime: longest, RequiredApprovals: quorum},
		rules.Profile{Name: "ledger-batch", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: longest, RequiredApprovals: quorum},
		rules.Profile{Name: "edge-gateway", Algorithms: signer.Algorithms, MaximumLifetime: longest, RequiredApprovals: quorum, Capability: "attested-boot"},
	)
	if _, err := cloud.Do(ctx, http.MethodPost, "/api/v1/policies", wire.Object{"policy": policy}); err != nil {
		return fmt.Errorf("the first policy: %w", err)
	}
	return fmt.Errorf("the nodes have no policy yet")
}
