package deployment

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
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
	overview, err := c.view(ctx, "/api/v1/overview")
	if err != nil {
		return fleet{}, err
	}
	f := fleet{disabled: map[string]bool{}}
	seen := map[string]bool{}
	for _, n := range seal.ObjectList(overview, "nodes") {
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

// waits returns what a transaction that is pending waits for. It is empty while
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

// ready returns an error that names what is missing, or nil.
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

// publish publishes a version of the policy, and says that the nodes do not have
// it.
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

// assigned assigns the secret store to its node, unless it was assigned before,
// and says so until the node has answered. A store that is degraded does not
// keep the deployment from running: how else could it be repaired?
func (r *Running) assigned(ctx context.Context, cloud *httpd.Client, overview seal.Object) error {
	if !r.SecretStore {
		return nil
	}
	i := r.integration(AdapterSecretStore, r.Nodes[0])
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
