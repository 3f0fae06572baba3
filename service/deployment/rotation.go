package deployment

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/agent"
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
	for _, o := range seal.ObjectList(overview, "integrations") {
		if seal.Text(o, "integration_id") == id {
			return seal.Text(o, "state"), seal.Text(o, "error_code")
		}
	}
	return "", ""
}

// RotateSigner gives the signer its next keys and collects them into the trust file.
// It returns the answer of the cloud.
func (c Customer) RotateSigner(ctx context.Context) (seal.Object, error) {
	answer, err := c.Operate(ctx, "ada", "/api/v1/signer/rotation", seal.Object{})
	if err != nil {
		return nil, err
	}
	keyID, generation := seal.Text(answer, "key_id"), seal.Integer(answer, "generation")
	keys, err := c.cloudKeys(ctx)
	if err != nil {
		return answer, fmt.Errorf("the signer has the key %s, and the trust file could not be collected: %w", keyID, err)
	}
	pin, err := seal.Unbase64(seal.Text(seal.Member(keys, "registries"), strconv.FormatInt(generation, 10)))
	if err != nil || keyID == "" || hex.EncodeToString(pin) != seal.Text(answer, "sha256") ||
		seal.Text(seal.Member(keys, "protected_signer_keys"), keyID) != seal.Text(answer, "public_key") {
		return answer, fmt.Errorf("the cloud announced the signer key %s in registry %d, and its list of keys does not have both",
			keyID, generation)
	}
	return answer, c.Collect(ctx)
}

// RotateIdentity has a node replace the key that it signs with, and waits until the
// node has done so and the cloud knows the new key. Then it collects the key into the
// trust file. It returns the id of the new key.
func (c Customer) RotateIdentity(ctx context.Context, nodeID string, tell Tell) (string, error) {
	f, err := c.fleet(ctx)
	if err != nil {
		return "", err
	}
	if f.disabled[nodeID] {
		return "", &Refused{"node_disabled", "the cloud accepts no key from " + nodeID + ", which is disabled"}
	}
	before, err := c.cloudKeys(ctx)
	if err != nil {
		return "", err
	}
	directory := filepath.Join(c.Node(nodeID), "state")
	if err := agent.OrderRotation(directory); err != nil {
		return "", err
	}
	w := &teller{tell: tell}
	for {
		what := nodeID + " has not carried out the order to rotate its identity"
		if !agent.RotationOrdered(directory) {
			keyID, err := c.newKey(ctx, nodeID, before)
			if err != nil || keyID != "" {
				return keyID, err
			}
			what = "the cloud does not know the new key of " + nodeID
		}
		if err := c.awaitNode(ctx, nodeID, what, w); err != nil {
			return "", err
		}
	}
}

// newKey returns the id of a node's newest key once it is in use: the cloud knows it
// now, and did not before. Then the trust file has it too.
func (c Customer) newKey(ctx context.Context, nodeID string, before seal.Object) (string, error) {
	own := seal.Object{}
	if err := c.collectNode(nodeID, own); err != nil {
		return "", err
	}
	now, err := c.cloudKeys(ctx)
	if err != nil {
		return "", err
	}
	newest := consent.KeyID(nodeID, len(own))
	if public := seal.Text(seal.Member(now, "nodes"), newest); public == "" || public != seal.Text(own, newest) ||
		seal.Text(seal.Member(before, "nodes"), newest) != "" {
		return "", nil
	}
	return newest, c.Collect(ctx)
}
