// Package cloud is the service's own side of an issuance. It has the tenant log,
// the service's decisions, checkpoints and the export of evidence.
//
// The cloud has the audit key, so it can write the log, but it cannot rewrite it:
// the nodes witness its checkpoints. It opens every statement of a node or the
// signer with their keys before it logs it.
package cloud

import (
	"crypto/ed25519"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Cloud is the service of one tenant.
type Cloud struct {
	*tenantLog
	*checkpoints
	roster       *consent.Roster
	policy       seal.Object
	transactions map[string]*Transaction
	reported     map[string]seal.Object // the newest report of each node, by node id
}

// Config is the configuration of a cloud.
type Config struct {
	Roster *consent.Roster
	Clock  chance.Clock
	Salts  *chance.Stream
	Key    seal.Key // the audit key

	// RequiredWitnesses is the number of witnesses that checkpoints demand. 0 makes the legacy
	// checkpoints from before witnessing, SPEC 5.4.
	RequiredWitnesses int64

	// Keep is given each event of the tenant log as soon as it is appended.
	Keep func(event seal.Object)
}

// New returns a cloud with an empty tenant log.
func New(c Config) *Cloud {
	log := &tenantLog{clock: c.Clock, salts: c.Salts, key: c.Key, keep: c.Keep,
		log: seal.NewLog(c.Roster.TenantID, "tenant/"+c.Roster.TenantID)}
	return &Cloud{
		tenantLog:    log,
		roster:       c.Roster,
		checkpoints:  &checkpoints{tenantLog: log, roster: c.Roster, requiredWitnesses: c.RequiredWitnesses},
		transactions: map[string]*Transaction{},
		reported:     map[string]seal.Object{},
	}
}

// Rotate replaces the audit key. The old key signs the event that names the
// new one.
func (c *Cloud) Rotate(next seal.Key) {
	c.KeyRotated("audit", next)
	c.key = next
}

// KeyRotated logs a key that replaces another in a role.
func (c *Cloud) KeyRotated(role string, next seal.Key) {
	c.Note(eventtype.KeyRotated, seal.Object{
		"role": role, "key_id": next.ID, "public_key": seal.Base64(next.Public()),
	})
}

// Enrol logs that a node participates from now on.
func (c *Cloud) Enrol(nodeID string, public ed25519.PublicKey) {
	c.Note(eventtype.NodeEnrolled, seal.Object{"node_id": nodeID, "public_key": seal.Base64(public)})
}

// PublishPolicy puts a policy in force for new transactions.
func (c *Cloud) PublishPolicy(policy seal.Object) {
	c.policy = policy
	c.Note(eventtype.PolicyPublished, seal.Object{
		"policy_version": policy["version"], "policy_sha256": seal.Digest(policy),
	})
}

// Policy is the policy in force.
func (c *Cloud) Policy() seal.Object { return c.policy }

// Report logs the head of a node's journal, SPEC 4.4, if [Cloud.CheckReport]
// has nothing against it.
func (c *Cloud) Report(report seal.Object) error {
	if err := c.CheckReport(report); err != nil {
		return err
	}
	c.reported[seal.Text(report, "node_id")] = report
	c.Note(eventtype.NodeReported, report)
	return nil
}

// CheckReport checks that the node signed the head that it reports, and has
// neither gone back nor taken another head for the sequence that it reported
// last.
func (c *Cloud) CheckReport(report seal.Object) error {
	link := seal.Link{Sequence: uint64(seal.Integer(report, "audit_sequence"))}
	for name, hash := range map[string]*seal.Hash{
		"previous_hash": &link.Previous, "skip_hash": &link.Skip, "body_sha256": &link.Body,
	} {
		parsed, err := seal.ParseHash(seal.Text(report, name))
		if err != nil {
			return fmt.Errorf("node report: %s: %w", name, err)
		}
		*hash = parsed
	}
	node, keyID := seal.Text(report, "node_id"), seal.Text(report, "key_id")
	head := link.Hash()
	signed := seal.Signed(seal.EventProtocol, head[:], c.roster.Nodes[keyID], seal.Text(report, "signature"))
	if !signed || consent.NodeOf(keyID) != node || head.String() != seal.Text(report, "audit_head") {
		return fmt.Errorf("node report: %s did not sign this head", node)
	}
	last := c.Reported(node)
	sequence, before := seal.Integer(report, "audit_sequence"), seal.Integer(last, "audit_sequence")
	if sequence < before {
		return fmt.Errorf("node report: sequence %d of %s, after %d was reported", sequence, node, before)
	}
	if sequence == before && head.String() != seal.Text(last, "audit_head") {
		return fmt.Errorf("node report: another head of %s for sequence %d", node, sequence)
	}
	return nil
}

// Reported returns the newest report of a node, or nil if there is none.
func (c *Cloud) Reported(nodeID string) seal.Object { return c.reported[nodeID] }
