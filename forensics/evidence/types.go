package evidence

import (
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
)

// The types of statements, by kind of log. Some are compared with something. The others
// belong into the other kind of log.
var (
	ofNodes = append([]string{event.ApprovalSigned, event.CheckpointWitness, event.CapabilityObserved},
		event.TenantTypes...)
	ofTenant = append([]string{event.ApprovalRecorded, event.DecisionRecorded, event.IssuanceCompleted,
		event.CertificateRevoked, event.NodeReported, event.IssuancePaused, event.IssuanceResumed, event.ResumeRequested,
		event.ResumeExpired}, event.NodeTypes...)
)

// StatementTypes returns the types of the events of a log that are compared with other
// logs, or that a log holds once for each transaction. It may not be changed.
func StatementTypes(logID string) []string {
	if strings.HasPrefix(logID, "node/") {
		return ofNodes
	}
	return ofTenant
}
