package agent

import (
	"context"
	"fmt"
	"net/http"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

func enrolmentID(generation int64) string { return fmt.Sprintf("%06d", generation) }

// enrolment is the statement that makes a key of the node known to the cloud,
// signed with the key that the node has now: the first generation signs for
// itself, each later one is named by the one before it.
func (a *Agent) enrolment(key seal.Key) seal.Object {
	return a.sign(seal.Object{
		"protocol":    "svc.node-enrolment.v1",
		"tenant_id":   a.config.TenantID,
		"node_id":     a.config.NodeID,
		"key_id":      key.ID,
		"public_key":  seal.Base64(key.Public()),
		"enrolled_at": seal.Time(a.now()),
	})
}

// enrol hands over the statements that the cloud has not taken yet.
func (a *Agent) enrol(ctx context.Context) error {
	statements, err := a.store.List(kindEnrolment, "", page)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := a.cloud.Do(ctx, http.MethodPost, a.path("enrolment"), seal.Object{"enrolment": s.Document}); err != nil {
			return fmt.Errorf("enrolment: %w", err)
		}
		err := a.update(func(tx *durable.Tx) error { return tx.Delete(kindEnrolment, s.ID) })
		if err != nil {
			return err
		}
		a.log.Info("enrolled", "key_id", seal.Text(seal.Member(s.Document, "statement"), "key_id"))
	}
	return nil
}
