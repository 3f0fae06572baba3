package status

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

// Question selects certificates. TransactionID or Serial selects one, Of selects some
// transactions, and the zero value of all three selects all. TenantID is "" for all
// tenants.
type Question struct {
	TenantID      string `json:"tenant_id,omitempty"`
	TransactionID string `json:"transaction_id,omitempty"`
	Serial        string `json:"serial,omitempty"` // as [ParseSerial] returns it

	Of map[string][]string `json:"-"` // transactions by tenant, ascending; each has a row
}

// All reports whether the question is about every certificate.
func (q Question) All() bool { return q.TransactionID == "" && q.Serial == "" && q.Of == nil }

// Status is the status of a transaction in a log.
type Status string

// The statuses.
const (
	Issued    Status = "issued"
	Revoked   Status = "revoked"
	NotIssued Status = "not-issued" // the complete log has no issuance
	Unknown   Status = "unknown"
)

// Head contains the facts that are known before the first row: the extent of the examination
// and of each tenant log.
type Head struct {
	Question    Question          `json:"question"`
	TrustSHA256 string            `json:"trust_sha256"`
	LeftOut     []verdict.LeftOut `json:"left_out"`

	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // nil if the trust file lacks nothing

	Logs        []Log        `json:"logs"` // by tenant
	Limitations []Limitation `json:"limitations"`
}

// Log is how far a tenant log can answer. Verdict is of the log as the basis of an
// answer, with the reason unless it is verified.
type Log struct {
	TenantID     string               `json:"tenant_id"`
	LogID        string               `json:"log_id"`
	Verdict      verify.Verdict       `json:"verdict"`
	Reason       Reason               `json:"reason,omitempty"`
	Decides      finding.Code         `json:"decides,omitempty"` // code of the finding that decides
	LastSequence uint64               `json:"last_sequence"`
	Checkpoint   *walk.CheckpointName `json:"checkpoint,omitempty"` // the highest that fits, with enough witnesses

	// Up to where the log is complete, by others' word and by its own (SPEC 13.7), and up
	// to where an answer is definite.
	CompleteByOthers walk.Word `json:"complete_by_others"`
	CompleteByOwn    walk.Word `json:"complete_by_own"`
	CompleteUpTo     uint64    `json:"complete_up_to"`
}

// Row is the answer on one transaction of one tenant. Sequence is the issuance, 0 if
// the log has none. CompleteUpTo is the sequence up to which the answer is definite.
// Times are those that the events state.
type Row struct {
	TenantID           string         `json:"tenant_id"`
	TransactionID      string         `json:"transaction_id"`
	Status             Status         `json:"status"`
	Verdict            verify.Verdict `json:"verdict"`
	Reason             Reason         `json:"reason,omitempty"` // why the verdict is not verified
	Sequence           uint64         `json:"sequence,omitempty"`
	OccurredAt         string         `json:"occurred_at,omitempty"`
	ManifestSHA256     string         `json:"manifest_sha256,omitempty"`
	RevocationSequence uint64         `json:"revocation_sequence,omitempty"`
	CompleteUpTo       uint64         `json:"complete_up_to"`
	Serial             string         `json:"serial,omitempty"`             // from a verified bundle
	CertificateSHA256  string         `json:"certificate_sha256,omitempty"` // from a verified bundle
	BundleSHA256       string         `json:"bundle_sha256,omitempty"`      // the first such bundle, by digest
	CompleteByOthers   uint64         `json:"complete_by_others"`
	CompleteByOwn      uint64         `json:"complete_by_own"`
}

// RowSchema names the JSON form of a [Line].
const RowSchema = "svc-verify/status-row/v1"

// Line is a self-contained row, as a line of JSON.
type Line struct {
	Schema string `json:"schema"`
	Row
}

// Counts are how many rows have each status.
type Counts struct {
	Issued    int64 `json:"issued"`
	Revoked   int64 `json:"revoked"`
	NotIssued int64 `json:"not_issued"`
	Unknown   int64 `json:"unknown"`
}

func (c *Counts) addStatus(s Status) {
	switch s {
	case Issued:
		c.Issued++
	case Revoked:
		c.Revoked++
	case NotIssued:
		c.NotIssued++
	default:
		c.Unknown++
	}
}

// Total is the number of rows.
func (c Counts) Total() int64 { return c.Issued + c.Revoked + c.NotIssued + c.Unknown }

// End is the answer on the whole question: the worst of the rows, or less where the question
// has no one answer. Reason explains why it is less than its rows.
type End struct {
	Counts  Counts         `json:"counts"`
	Verdict verify.Verdict `json:"verdict"`
	Reason  Reason         `json:"reason,omitempty"`
}

// Schema names the JSON form of a [Head], the rows and an [End] together.
const Schema = "svc-verify/status/v1"
