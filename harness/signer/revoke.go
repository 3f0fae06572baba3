package signer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Reasons are the names of RFC 5280 section 5.3.1, save those that do not
// revoke for good, SPEC 7.10.
var Reasons = []string{
	"unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded",
	"cessationOfOperation", "privilegeWithdrawn", "aACompromise",
}

// Revoke revokes the certificate of a transaction. It returns the receipt and
// the registry under which the receipt was signed.
func (s *Signer) Revoke(transactionID, reason string) (receipt, registry seal.Object, err error) {
	issued := s.issued[transactionID]
	if issued == nil {
		return nil, nil, fmt.Errorf("transaction %s has no certificate", transactionID)
	}
	if !issued.RevokedAt.IsZero() {
		return nil, nil, fmt.Errorf("the certificate of transaction %s is revoked already", transactionID)
	}
	if !slices.Contains(Reasons, reason) {
		return nil, nil, fmt.Errorf("reason: expected one of %s, found %q", strings.Join(Reasons, ", "), reason)
	}
	if _, err := s.checkStanding(issued.IssuerKey); err != nil {
		return nil, nil, err
	}
	issued.RevokedAt, issued.Reason = s.clock.Next(), reason
	return seal.Seal(seal.Object{
		"protocol":            "svc.revocation-receipt.v1",
		"tenant_id":           s.roster.TenantID,
		"transaction_id":      transactionID,
		"certificate_sha256":  issued.SHA256,
		"certificate_serial":  issued.Serial,
		"registry_generation": seal.Integer(s.registry, "generation"),
		"revoked_at":          seal.Time(issued.RevokedAt),
		"reason":              reason,
	}, s.key), s.registry, nil
}
