package report

import (
	"io"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/status"
)

var statusHeader = []string{"tenant_id", "transaction_id", "status", "verdict", "reason", "sequence", "occurred_at",
	"manifest_sha256", "revocation_sequence", "complete_up_to", "serial", "certificate_sha256", "bundle_sha256",
	"complete_by_others", "complete_by_own"}

// statusCSV writes the status of certificates, row by row.
type statusCSV struct{ answer.CSV }

// NewStatusCSV writes the header.
func NewStatusCSV(w io.Writer) (statusCSV, error) {
	c, err := answer.NewCSV(w, statusHeader)
	return statusCSV{c}, err
}

// Add writes a row.
func (s statusCSV) Add(r status.Row) error {
	return s.CSV.Add(r.TenantID, r.TransactionID, string(r.Status), string(r.Verdict), string(r.Reason),
		orNone(r.Sequence), r.OccurredAt, r.ManifestSHA256, orNone(r.RevocationSequence), orNone(r.CompleteUpTo), r.Serial,
		r.CertificateSHA256, r.BundleSHA256, orNone(r.CompleteByOthers), orNone(r.CompleteByOwn))
}
