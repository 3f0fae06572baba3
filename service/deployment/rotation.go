package deployment

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Rotation is a certificate that is to be rotated.
type Rotation struct {
	Node      string // node id
	Adapter   string // [adapter.Nginx] or [adapter.SecretStore]
	Promotion string // manual or automatic_after_health
}

// RotateCertificate has an adapter of a node get a new certificate, and waits
// until it is promoted, or staged if an operator is to promote it. The adapter
// is assigned first if it is not. It returns the transaction, and [Refused] if
// it was denied or failed.
func (c Customer) RotateCertificate(ctx context.Context, r Rotation) (seal.Object, error) {
	if r.Adapter == adapter.SecretStore && !c.delivers(r.Node) {
		return nil, c.notDelivering(r.Node)
	}
	cloud, err := c.CallCloud("operator", "ada")
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	i := c.integration(r.Adapter, r.Node)
	if err := c.assign(ctx, cloud, i); err != nil {
		return nil, err
	}
	t, err := cloud.Do(ctx, http.MethodPost, "/v1/managed/rotate", seal.Object{
		"integrationKind": r.Adapter, "integrationId": i.id, "promotionMode": r.Promotion,
		"names": seal.Strings(c.names("payments-api")), "algorithm": "ecdsa-p256",
	})
	if err != nil {
		return nil, asRefused(err)
	}
	return c.rotated(ctx, cloud, t)
}

func (c Customer) notDelivering(nodeID string) error {
	if !c.SecretStore {
		return errNoStore
	}
	return fmt.Errorf("node %s has no secret store; %s has", nodeID, c.Nodes[0])
}

// rotated waits until a rotation cannot continue by itself.
func (c Customer) rotated(ctx context.Context, cloud *httpd.Client, t seal.Object) (seal.Object, error) {
	id := seal.Text(t, "transaction_id")
	for {
		var err error
		if t, err = c.decided(ctx, cloud, t); err != nil {
			return t, err
		}
		status := seal.Text(seal.Member(t, "rotation"), "status")
		switch status {
		case "promoted", "staged":
			return t, nil
		case "failed", "denied":
			return t, &Refused{seal.Text(t, "code"), seal.Text(t, "detail")}
		}
		if err := httpd.Pause(ctx, askAgain, nil); err != nil {
			return t, err
		}
		next, err := cloud.Do(ctx, http.MethodGet, transactionPath(id), nil)
		if err != nil {
			return t, asRefused(err)
		}
		t = next
	}
}

// integration is an adapter of a node as the console knows it.
type integration struct {
	id     string
	record seal.Object
}

func (c Customer) integration(kind, nodeID string) integration {
	i := integration{kind + "-" + nodeID, seal.Object{
		"kind": kind, "adapter_reference": "local/nginx", "profile_id": "payments-api", "node_id": nodeID,
		"enabled": true,
	}}
	if kind == adapter.SecretStore {
		i.record["adapter_reference"], i.record["profile_id"] = storeReference, storeProfile
	}
	return i
}

func (i integration) save(ctx context.Context, cloud *httpd.Client) error {
	_, err := cloud.Do(ctx, http.MethodPut, "/api/v1/integrations/"+url.PathEscape(i.id), i.record)
	return asRefused(err)
}

// assign saves an integration, unless it is there already, and waits until the
// node has applied it.
func (c Customer) assign(ctx context.Context, cloud *httpd.Client, i integration) error {
	for {
		overview, err := cloud.Do(ctx, http.MethodGet, "/api/v1/overview", nil)
		if err != nil {
			return asRefused(err)
		}
		switch state, code := integrationState(overview, i.id); state {
		case "healthy":
			return nil
		case "degraded":
			return &Refused{code, "the node could not apply the integration " + i.id}
		case "", "disabled":
			if err := i.save(ctx, cloud); err != nil {
				return err
			}
		}
		if err := httpd.Pause(ctx, askAgain, nil); err != nil {
			return err
		}
	}
}

func integrationState(overview seal.Object, id string) (state, code string) {
	for _, o := range seal.ObjectList(overview, "integrations") {
		if seal.Text(o, "integration_id") == id {
			return seal.Text(o, "state"), seal.Text(o, "error_code")
		}
	}
	return "", ""
}

// RotateIdentity has a node replace the key that it signs with, and waits until it has.
// Then it collects the key into the trust file. It returns the id of the new key.
func (c Customer) RotateIdentity(ctx context.Context, nodeID string) (string, error) {
	directory := filepath.Join(c.Node(nodeID), "state")
	if err := agent.OrderRotation(directory); err != nil {
		return "", err
	}
	for agent.RotationOrdered(directory) {
		if err := httpd.Pause(ctx, askAgain, nil); err != nil {
			return "", err
		}
	}
	own := seal.Object{}
	if err := c.collectNode(nodeID, own); err != nil {
		return "", err
	}
	return consent.KeyID(nodeID, len(own)), c.Collect(ctx)
}
