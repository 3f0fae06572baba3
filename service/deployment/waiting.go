package deployment

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// decided waits until a transaction is not pending any more.
func (c Customer) decided(ctx context.Context, cloud *httpd.Client, t seal.Object) (seal.Object, error) {
	path := fmt.Sprintf("%s?wait_seconds=%d", transactionPath(seal.Text(t, "transaction_id")), pollWait/time.Second)
	for {
		switch seal.Text(t, "status") {
		case "pending":
		case "denied":
			return t, &Refused{seal.Text(t, "code"), seal.Text(t, "detail")}
		default:
			return t, nil
		}
		next, err := cloud.Poll(ctx, pollWait, http.MethodGet, path, nil)
		if err != nil {
			return t, asRefused(err)
		}
		t = next
	}
}

// ready returns an error that names the missing condition, or nil.
func (r *Running) ready(ctx context.Context, cloud *httpd.Client) error {
	overview, err := cloud.Do(ctx, http.MethodGet, "/api/v1/overview", nil)
	if err != nil {
		return err
	}
	if nodes := seal.List(overview, "nodes"); len(nodes) < len(r.Nodes) {
		return fmt.Errorf("%d of %d nodes are enrolled", len(nodes), len(r.Nodes))
	}
	for _, n := range seal.ObjectList(overview, "nodes") {
		version := seal.Integer(n, "policy_version")
		switch state := seal.Text(n, "state"); {
		case state == "disabled": // and stays so
		case version+seal.Integer(n, "version_lag") < r.firstPolicies():
			return r.publish(ctx, cloud, version+seal.Integer(n, "version_lag")+1)
		case version < r.firstPolicies():
			return fmt.Errorf("node %s has policy %d", seal.Text(n, "node_id"), version)
		case state != "ok":
			return fmt.Errorf("node %s is %s", seal.Text(n, "node_id"), state)
		}
	}
	return r.assigned(ctx, cloud, overview)
}

// firstPolicies is how many versions of the policy a deployment begins with. The
// secret store needs the third.
func (l *Layout) firstPolicies() int64 {
	if l.SecretStore {
		return 3
	}
	return 1
}

// longest is the longest lifetime that the first policies allow.
const longest = 90 * 24 * time.Hour

// publish publishes a version of the policy, and returns an error: the nodes do not have it
// yet.
func (r *Running) publish(ctx context.Context, cloud *httpd.Client, version int64) error {
	quorum := r.Witnesses()
	var profiles []consent.Profile
	for _, name := range Workloads {
		p := consent.Profile{
			Name: name, Algorithms: signer.Algorithms, MaximumLifetime: longest, RequiredApprovals: quorum,
			Names: r.names(name),
		}
		switch name {
		case "ledger-batch":
			p.Algorithms = []string{"ecdsa-p256"}
		case "edge-gateway":
			p.Capability = "attested-boot"
		}
		profiles = append(profiles, p)
	}
	policy := consent.Policy(version, profiles...)
	if _, err := cloud.Do(ctx, http.MethodPost, "/api/v1/policies", seal.Object{"policy": policy}); err != nil {
		return fmt.Errorf("policy %d: %w", version, err)
	}
	return fmt.Errorf("the nodes do not have policy %d yet", version)
}

// assigned assigns the secret store to its node, unless it was assigned before, and returns an
// error until the node has answered. A store that is degraded does not keep the deployment
// from running: how else could it be repaired?
func (r *Running) assigned(ctx context.Context, cloud *httpd.Client, overview seal.Object) error {
	if !r.SecretStore {
		return nil
	}
	i := r.integration(adapter.SecretStore, r.Nodes[0])
	switch state, _ := integrationState(overview, i.id); state {
	case "":
		if err := i.save(ctx, cloud); err != nil {
			return err
		}
		return fmt.Errorf("the integration %s is assigned", i.id)
	case "pending_node":
		return fmt.Errorf("the integration %s is %s", i.id, state)
	}
	return nil
}
