package server

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Why a rotation is refused. The secret store has codes of its own.
var (
	unavailable = map[string]string{adapter.SecretStore: "secret_store_integration_unavailable", adapter.Nginx: "conflict"}
	mismatched  = map[string]string{adapter.SecretStore: "secret_store_integration_binding_mismatch",
		adapter.Nginx: "integration_binding_mismatch"}
)

// rotations are the issuances that an operator asks for, for an adapter of a node.
type rotations struct{ *issuances }

// rotate starts a managed rotation.
func (rs *rotations) rotate(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	kind := f.Word("integrationKind", adapter.Nginx, adapter.SecretStore)
	id := f.Text("integrationId", form.SubjectID)
	r := &rotation{
		Names: f.names("names"), Algorithm: f.Word("algorithm", signer.Algorithms...),
		Promotion: f.Word("promotionMode", adapter.PromotionManual, adapter.PromotionAutomatic),
	}
	revision := int64(0)
	if f.Has("revision") {
		revision = f.Number("revision", 1, form.Largest)
	}
	return rs.answerOrder(c, f, func() (seal.Object, error) {
		if err := rs.incidents.check(); err != nil {
			return nil, err
		}
		i := rs.integrations.byID[id]
		if err := rs.rotatable(i, kind, revision); err != nil {
			return nil, err
		}
		if err := rs.transactions.room(); err != nil {
			return nil, err
		}
		if err := consent.CheckNames(rs.policies.profile(i.ProfileID), r.Names); err != nil {
			return nil, httpd.Refuse(http.StatusConflict, "names_not_allowed", "profile %s: %s", i.ProfileID, err)
		}
		r.binding = i.binding
		t := &transaction{
			Transaction: &cloud.Transaction{Case: consent.Case{TransactionID: "tx-" + rand.Text()}},
			Request:     form.Object{"by": c.who.Role + "/" + c.who.Name}, Rotation: r,
		}
		rs.transactions.begin(t)
		rs.sealIntent(t)
		rs.transactions.setRotation(t, rotationRequested)
		return t.view(), nil
	})
}

// rotatable checks that an integration can be rotated now.
func (rs *rotations) rotatable(i *integration, kind string, revision int64) error {
	refuse := func(code, format string, args ...any) error {
		return httpd.Refuse(http.StatusConflict, code, format, args...)
	}
	switch {
	case i == nil || i.Kind != kind || !i.Enabled:
		return refuse(unavailable[kind], "no such integration is assigned")
	case revision != 0 && revision != i.Revision:
		return refuse(mismatched[kind], "the integration is at revision %d", i.Revision)
	case i.State == stateDegraded && (i.Code == "adapter_reference_invalid" || i.Code == "profile_not_mapped"):
		return refuse(i.Code, "the node knows another reference or profile")
	case i.State != stateHealthy:
		return i.notOperated()
	case kind == adapter.SecretStore && rs.policies.version() < adapter.StorePolicy:
		return refuse(unavailable[kind], "the secret store needs version %d of the policy", adapter.StorePolicy)
	case rs.policies.profile(i.ProfileID) == nil:
		return refuse("profile_not_mapped", "the policy has no profile %s", i.ProfileID)
	}
	for _, t := range rs.transactions.open {
		if t.Rotation != nil && t.Rotation.IntegrationID == i.IntegrationID {
			return conflictError("the rotation %s is under way", t.id())
		}
	}
	return nil
}

// notOperated refuses a rotation of an integration that is not healthy, and states why it is
// not.
func (i *integration) notOperated() error {
	p := httpd.Refuse(http.StatusConflict, unavailable[i.Kind], "the integration is %s", i.State)
	if p.IntegrationCode = i.Code; i.Code != "" {
		p.Detail += ": " + i.Code
	}
	return p
}

// ofNode checks that a result for a rotation comes from its node, and that its
// binding still holds.
func (rs *rotations) ofNode(t *transaction, n *node) error {
	if t.Rotation == nil || t.Rotation.NodeID != n.id {
		return httpd.Forbidden("transaction %s is no rotation of node %s", t.id(), n.id)
	}
	if rs.transactions.open[t.id()] != nil && !rs.checkBinding(t) {
		return httpd.Refuse(http.StatusConflict, t.Code, "%s", t.Detail)
	}
	return nil
}

// acceptRequest accepts the certificate request of a rotation, and asks the nodes.
func (rs *rotations) acceptRequest(n *node, f *fields) error {
	var csr []byte
	code, cause := "", ""
	if f.Has("error_code") {
		code = f.Text("error_code", form.ErrorCode)
		if f.Has("integration_error_code") {
			cause = f.Text("integration_error_code", form.ErrorCode)
		}
	} else {
		csr = f.octets("csr")
	}
	t, err := rs.transactions.concerned(f)
	if err != nil {
		return err
	}
	if err := rs.ofNode(t, n); err != nil {
		return err
	}
	if t.CSR != nil && bytes.Equal(t.CSR, csr) {
		return nil
	}
	if err := rs.expects(t, stageRequest); err != nil {
		return err
	}
	if code != "" {
		detail := "the node refused to make a key"
		if t.Rotation.Cause = cause; cause != "" {
			detail += ": the integration is degraded, " + cause
		}
		rs.deny(t, denial{code, detail})
		return nil
	}
	profile := rs.policies.profile(t.Rotation.ProfileID)
	terms := seal.Object{
		"workload_profile": t.Rotation.ProfileID, "names": seal.Strings(t.Rotation.Names),
		"extended_key_usages": seal.Strings([]string{"serverAuth"}),
		"lifetime_seconds":    profile["maximum_lifetime_seconds"],
	}
	if err := addKey(terms, csr); err != nil {
		return err
	}
	if found := seal.Text(terms, "algorithm"); found != t.Rotation.Algorithm {
		return httpd.Invalid("csr: expected a key of algorithm %s, found %s", t.Rotation.Algorithm, found)
	}
	delete(t.spurned, n.id)
	rs.transactions.setRotation(t, rotationIssuing)
	return rs.enter(t, terms, csr)
}

// deliveries are the statuses from which a node's word leads on to another one.
var deliveries = map[string][]string{
	rotationStaged:   {rotationDelivering},
	rotationPromoted: {rotationPromoting},
	rotationFailed:   {rotationDelivering, rotationStaged, rotationPromoting},
}

// acceptDelivery accepts the outcome of a delivery on the node.
func (rs *rotations) acceptDelivery(n *node, f *fields) error {
	status, code := f.Word("status", rotationStaged, rotationPromoted, rotationFailed), ""
	if status == rotationFailed {
		code = f.Text("error_code", form.ErrorCode)
	}
	t, err := rs.transactions.concerned(f)
	if err != nil {
		return err
	}
	if t.Rotation != nil && t.Rotation.NodeID == n.id && t.Rotation.reached(status) {
		return nil
	}
	if err := rs.ofNode(t, n); err != nil {
		return err
	}
	if !slices.Contains(deliveries[status], t.Rotation.Status) {
		return conflictError("the rotation is %s and cannot become %s", t.Rotation.Status, status)
	}
	if t.Code = code; code != "" {
		t.Detail = "the node could not bring the certificate into use"
		rs.discard(t)
	}
	if status != rotationStaged {
		rs.transactions.finish(t, status)
		return nil
	}
	rs.transactions.setRotation(t, status)
	if t.Rotation.Promotion == adapter.PromotionAutomatic {
		rs.transactions.setRotation(t, rotationPromoting)
	}
	return nil
}

// promote orders the node to bring a staged certificate into use.
func (rs *rotations) promote(c *call) (seal.Object, error) {
	return rs.orderRotation(c, func(t *transaction) error {
		switch t.Rotation.Status {
		case rotationPromoting, rotationPromoted:
		case rotationStaged:
			if !rs.checkBinding(t) {
				return httpd.Refuse(http.StatusConflict, t.Code, "%s", t.Detail)
			}
			rs.transactions.setRotation(t, rotationPromoting)
		default:
			return conflictError("the rotation is %s", t.Rotation.Status)
		}
		return nil
	})
}

// orderRotation carries out an operator's order about a rotation, and returns the
// transaction as it is then.
func (rs *rotations) orderRotation(c *call, order func(*transaction) error) (seal.Object, error) {
	return rs.answerOrder(c, readFields(c.Body), func() (seal.Object, error) {
		t, err := rs.transactions.of(c)
		if err != nil {
			return nil, err
		}
		if t.Rotation == nil {
			return nil, conflictError("transaction %s is no rotation", t.id())
		}
		if err := order(t); err != nil {
			return nil, err
		}
		return t.view(), nil
	})
}

// cancelled is the code of a rotation that an operator called off.
const cancelled = "rotation_cancelled"

// cancel calls off a rotation that is not being promoted. Its integration gets the next
// revision, so that the node drops its state of the rotation.
func (rs *rotations) cancel(c *call) (seal.Object, error) {
	return rs.orderRotation(c, func(t *transaction) error {
		switch status := t.Rotation.Status; {
		case t.Code == cancelled:
			return nil
		case !slices.Contains([]string{rotationRequested, rotationIssuing, rotationDelivering, rotationStaged}, status):
			return conflictError("the rotation is %s", status)
		}
		rs.stop(t, denial{cancelled, "an operator cancelled the rotation"})
		if i := rs.integrations.byID[t.Rotation.IntegrationID]; i != nil && i.Enabled {
			rs.integrations.assign(i, "A rotation was cancelled. Waiting for the node to acknowledge it.")
			rs.checkBindings(i)
		}
		return nil
	})
}

// sealIntent signs the task of a rotation's node, under the policy in force.
func (rs *rotations) sealIntent(t *transaction) {
	r := t.Rotation
	r.Intent = seal.Seal(seal.Object{
		"protocol": "svc.rotation-intent.v1", "tenant_id": rs.config.TenantID, "node_id": r.NodeID,
		"transaction_id": t.id(),
		"integration_id": r.IntegrationID, "kind": r.Kind, "adapter_reference": r.Reference, "profile_id": r.ProfileID,
		"revision": r.Revision, "names": seal.Strings(r.Names), "algorithm": r.Algorithm, "promotion": r.Promotion,
		"policy_version": rs.policies.version(), "policy_sha256": seal.Digest(rs.policies.current()),
		"issued_at": seal.Time(rs.now()),
	}, rs.policyKey)
}
