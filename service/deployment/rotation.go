package deployment

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// The kinds of adapters that rotate certificates.
const (
	AdapterNginx       = "nginx"
	AdapterSecretStore = "secret_store"
)

// Rotation is a certificate that is to be rotated.
type Rotation struct {
	Node      string // node id
	Adapter   string // [AdapterNginx] or [AdapterSecretStore]
	Promotion string // manual or automatic_after_health
	Tell      Tell   // what it waits for
}

// RotateCertificate has an adapter of a node get a new certificate, and waits
// until it is promoted, or staged if an operator is to promote it. The adapter
// is assigned first if it is not. It returns the transaction, and [Refused] if
// it was denied or failed.
func (c Customer) RotateCertificate(ctx context.Context, r Rotation) (seal.Object, error) {
	if r.Adapter == AdapterSecretStore && !c.delivers(r.Node) {
		return nil, c.notDelivering(r.Node)
	}
	cloud, err := c.CallCloud("operator", "ada")
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	i := c.integration(r.Adapter, r.Node)
	w := &teller{tell: r.Tell}
	if err := c.assign(ctx, cloud, i, w); err != nil {
		return nil, err
	}
	t, err := cloud.Do(ctx, http.MethodPost, "/v1/managed/rotate", seal.Object{
		"integrationKind": r.Adapter, "integrationId": i.id, "promotionMode": r.Promotion,
		"names": seal.Strings(c.names("payments-api")), "algorithm": "ecdsa-p256",
	})
	if err != nil {
		return nil, refused(err)
	}
	return c.rotated(ctx, cloud, t, r.Node, w)
}

func (c Customer) notDelivering(nodeID string) error {
	if !c.SecretStore {
		return errNoStore
	}
	return fmt.Errorf("node %s has no secret store; %s has", nodeID, c.Nodes[0])
}

// Promote is Verify & promote: it has the node of a rotation bring what it
// staged into use, and waits until it has.
func (c Customer) Promote(ctx context.Context, transactionID string, tell Tell) (seal.Object, error) {
	cloud, err := c.CallCloud("operator", "ada")
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	t, err := cloud.Do(ctx, http.MethodPost, transactionPath(transactionID)+"/promotion", seal.Object{})
	if err != nil {
		return nil, refused(err)
	}
	return c.rotated(ctx, cloud, t, seal.Text(seal.Member(t, "rotation"), "node_id"), &teller{tell: tell})
}

// rotated waits until a rotation goes on no further by itself.
func (c Customer) rotated(ctx context.Context, cloud *httpd.Client, t seal.Object, nodeID string,
	w *teller) (seal.Object, error) {
	id := seal.Text(t, "transaction_id")
	for {
		var err error
		if t, err = c.decided(ctx, cloud, t, w); err != nil {
			return t, err
		}
		status := seal.Text(seal.Member(t, "rotation"), "status")
		switch status {
		case "promoted", "staged":
			return t, nil
		case "failed", "denied":
			return t, &Refused{seal.Text(t, "code"), seal.Text(t, "detail")}
		}
		if err := c.awaitNode(ctx, nodeID, id+" is "+status, w); err != nil {
			return t, err
		}
		next, err := cloud.Do(ctx, http.MethodGet, transactionPath(id), nil)
		if err != nil {
			return t, refused(err)
		}
		t = next
	}
}

// awaitNode waits a moment for a node, and tells that it cannot be reached if
// that is so.
func (c Customer) awaitNode(ctx context.Context, nodeID, what string, w *teller) error {
	if w.tell != nil {
		f, err := c.fleet(ctx)
		if err != nil {
			return err
		}
		for _, away := range f.away {
			if strings.HasPrefix(away, nodeID+" ") {
				w.say(what + ", and waits: " + away)
			}
		}
	}
	return pause(ctx)
}

// pause waits a moment before something is asked again.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// integration is an adapter of a node as the console knows it.
type integration struct {
	id     string
	record seal.Object
}

func (c Customer) integration(adapter, nodeID string) integration {
	i := integration{adapter + "-" + nodeID, seal.Object{
		"kind": adapter, "adapter_reference": "local/nginx", "profile_id": "payments-api", "node_id": nodeID,
		"enabled": true,
	}}
	if adapter == AdapterSecretStore {
		i.record["adapter_reference"], i.record["profile_id"] = storeReference, storeProfile
	}
	return i
}

func (i integration) save(ctx context.Context, cloud *httpd.Client) error {
	_, err := cloud.Do(ctx, http.MethodPut, "/api/v1/integrations/"+url.PathEscape(i.id), i.record)
	return refused(err)
}

// assign saves an integration, unless it is there already, and waits until the
// node has applied it.
func (c Customer) assign(ctx context.Context, cloud *httpd.Client, i integration, w *teller) error {
	for {
		overview, err := cloud.Do(ctx, http.MethodGet, "/api/v1/overview", nil)
		if err != nil {
			return refused(err)
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
		if err := c.awaitNode(ctx, seal.Text(i.record, "node_id"), "the integration "+i.id+" is not applied yet",
			w); err != nil {
			return err
		}
	}
}

func integrationState(overview seal.Object, id string) (state, code string) {
	for _, each := range seal.List(overview, "integrations") {
		if o, _ := each.(seal.Object); seal.Text(o, "integration_id") == id {
			return seal.Text(o, "state"), seal.Text(o, "error_code")
		}
	}
	return "", ""
}
