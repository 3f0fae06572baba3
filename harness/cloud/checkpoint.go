package cloud

import (
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// checkpoints are the checkpoints of the tenant log and the nodes' receipts for them.
type checkpoints struct {
	*tenantLog
	roster            *consent.Roster
	requiredWitnesses int64
	checkpoint        seal.Object            // the newest, nil before the first
	receipts          map[string]seal.Object // for the newest checkpoint, by node id
}

// Checkpoint returns a signed checkpoint of the tenant log's head, SPEC 5.1. It
// is the same one until the log grows.
func (c *checkpoints) Checkpoint() seal.Object {
	if c.checkpoint != nil && c.newestSequence() == c.log.Sequence() {
		return c.checkpoint
	}
	statement := seal.Object{
		"protocol":   "svc.audit-checkpoint.v0",
		"tenant_id":  c.roster.TenantID,
		"log_id":     c.log.ID(),
		"sequence":   int64(c.log.Sequence()),
		"head_hash":  c.log.Head().String(),
		"created_at": seal.Time(c.clock.Next()),
	}
	if c.requiredWitnesses > 0 {
		statement["protocol"] = "svc.audit-checkpoint.v1"
		statement["required_witnesses"] = c.requiredWitnesses
	}
	c.checkpoint = seal.Seal(statement, c.key)
	c.receipts = map[string]seal.Object{}
	return c.checkpoint
}

// newestSequence is the sequence of the newest checkpoint.
func (c *checkpoints) newestSequence() uint64 {
	return uint64(seal.Integer(seal.Member(c.checkpoint, "statement"), "sequence"))
}

// Anchor is the newest checkpoint, nil before the first, and the receipts for
// it, by node id.
func (c *checkpoints) Anchor() (checkpoint seal.Object, receipts []seal.Object) {
	return c.checkpoint, c.newestReceipts()
}

// RecordWitness accepts a node's receipt for the newest checkpoint.
func (c *checkpoints) RecordWitness(receipt seal.Object) error {
	if c.checkpoint == nil {
		return fmt.Errorf("witness receipt: there is no checkpoint")
	}
	statement, err := c.roster.Open(receipt, "svc.witness-receipt.v1",
		"checkpoint_sha256", seal.StatementDigest(c.checkpoint))
	if err != nil {
		return fmt.Errorf("witness receipt: %w", err)
	}
	c.receipts[seal.Text(statement, "node_id")] = receipt
	return nil
}

// newestReceipts are the receipts for the newest checkpoint, by node id.
func (c *checkpoints) newestReceipts() []seal.Object {
	var receipts []seal.Object
	for _, id := range slices.Sorted(maps.Keys(c.receipts)) {
		receipts = append(receipts, c.receipts[id])
	}
	return receipts
}
