package report

import (
	"encoding/csv"
	"io"

	"github.com/svc-edge/svc-verify/forensics/status"
)

var statusHeader = []string{"tenant_id", "transaction_id", "status", "verdict", "reason", "sequence", "occurred_at",
	"manifest_sha256", "revocation_sequence", "complete_up_to", "serial", "certificate_sha256", "bundle_sha256",
	"complete_by_others", "complete_by_own"}

// StatusCSV writes the status of certificates as RFC 4180 has it, row by row. The
// cells are safe in a spreadsheet, as those of [CSV].
type StatusCSV struct{ out *csv.Writer }

// NewStatusCSV writes the header.
func NewStatusCSV(w io.Writer) (StatusCSV, error) {
	s := StatusCSV{csv.NewWriter(w)}
	s.out.UseCRLF = true
	return s, s.out.Write(statusHeader)
}

// Add writes a row.
func (s StatusCSV) Add(r status.Row) error {
	row := []string{r.TenantID, r.TransactionID, string(r.Status), string(r.Verdict), string(r.Reason), whole(r.Sequence),
		r.OccurredAt, r.ManifestSHA256, whole(r.RevocationSequence), whole(r.CompleteUpTo), r.Serial, r.CertificateSHA256,
		r.BundleSHA256, whole(r.CompleteByOthers), whole(r.CompleteByOwn)}
	for i := range row {
		row[i] = cell(row[i])
	}
	return s.out.Write(row)
}

// Close writes what is left.
func (s StatusCSV) Close() error {
	s.out.Flush()
	return s.out.Error()
}
