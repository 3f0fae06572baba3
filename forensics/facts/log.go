package facts

import (
	"cmp"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// Log identifies one log.
type Log struct {
	TenantID string `json:"tenant_id,omitempty"`
	LogID    string `json:"log_id,omitempty"`
}

// JournalOf returns the journal of a node.
func JournalOf(tenantID, node string) Log { return Log{tenantID, "node/" + node} }

// TenantLog returns the log that the service keeps for a tenant.
func TenantLog(tenantID string) Log { return Log{tenantID, "tenant/" + tenantID} }

// Node returns the node whose journal the log is. It returns false for other
// logs.
func (l Log) Node() (string, bool) { return strings.CutPrefix(l.LogID, "node/") }

// IsTenant reports whether the service keeps the log, for its tenant.
func (l Log) IsTenant() bool { return l == TenantLog(l.TenantID) }

// Compare orders logs by tenant and id.
func (l Log) Compare(o Log) int {
	return cmp.Or(strings.Compare(l.TenantID, o.TenantID), strings.Compare(l.LogID, o.LogID))
}

// LogOf returns the log that a finding is about, the zero Log for one about none.
func LogOf(f finding.Finding) Log { return Log{f.TenantID, f.LogID} }
