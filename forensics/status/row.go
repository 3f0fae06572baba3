package status

import (
	"github.com/svc-edge/svc-verify/internal/form"
)

// rowOf answers for one transaction of a log. The issuance has the sequence 0 if the
// log has none.
func (s *Search) rowOf(l *Log, revoked *ledger, i issuance) Row {
	r := Row{TenantID: l.TenantID, TransactionID: i.transactionID, Sequence: i.sequence,
		CompleteUpTo:     l.CompleteUpTo,
		CompleteByOthers: l.CompleteByOthers.Sequence, CompleteByOwn: l.CompleteByOwn.Sequence}
	if i.sequence > 0 {
		r.OccurredAt = form.FormatMillis(i.occurredAt)
	}
	signed := uint64(0)
	if i.signed {
		signed, r.ManifestSHA256 = i.sequence, i.manifest.String()
	}
	v := revoked.findRevocation(keyOf(i.transactionID), signed, i.manifest)
	all := s.certificates.ofSubject(subject{l.TenantID, i.transactionID})
	for _, c := range all {
		if v.sequence == 0 {
			v.sequence = c.revoked
		}
		v.contradictory = v.contradictory || i.signed && c.manifest != keyOfManifest(i.manifest)
	}
	if len(all) > 0 && !v.contradictory {
		first := all[0]
		r.Serial, r.CertificateSHA256, r.BundleSHA256 = first.serial, first.sha256.String(), first.bundle.String()
	}
	r.RevocationSequence = v.sequence
	r.Status, r.Reason = l.decide(i, v, len(all) > 0)
	r.Verdict = verdictOf(r.Reason)
	return r
}

// decide returns the status of a transaction, and why it is not definite. Proven means that a
// verified bundle has the issuance.
func (l *Log) decide(i issuance, v revocation, proven bool) (Status, Reason) {
	status := Unknown
	if v.sequence > 0 {
		status = Revoked
	}
	switch {
	case l.Reason == LogRejected:
		return status, LogRejected
	case v.contradictory:
		return status, Contradictory
	case l.Reason == LeftOut:
		return status, LeftOut
	case status == Revoked:
		return Revoked, ""
	case i.sequence > l.LastSequence || v.unlinked:
		return Unknown, Unverified
	case l.Reason != "":
		return Unknown, l.Reason
	case i.sequence == 0 && proven:
		return Unknown, Contradictory
	case i.sequence == 0:
		return NotIssued, NotInLog
	case !i.signed:
		return Unknown, Unverified
	case i.sequence > l.CompleteUpTo:
		return Unknown, AfterCheckpoint
	}
	return Issued, ""
}
