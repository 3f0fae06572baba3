package contradiction

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// sentences returns text for people: the fault, its consequence, and the signers. All names in
// it are identifiers (SPEC 1.5), which are safe to show.
func (f *Finding) sentences() []string {
	all := []string{f.wrong()}
	if s := f.shown(); s != "" {
		all = append(all, s)
	}
	return append(all, f.signedBy()...)
}

// wrong returns a sentence on the two sides.
func (f *Finding) wrong() string {
	a, b := f.Sides[0], f.Sides[1]
	switch f.Code {
	case finding.IssuedTwice:
		if f.What == Manifest {
			return fmt.Sprintf("%s: transaction %s has two manifests: %s in event %d, and %s in event %d.",
				f.LogID, f.TransactionID, a.Value, a.Sequence, b.Value, b.Sequence)
		}
		return fmt.Sprintf(
			"%s: transaction %s has two issuance events: event %d with the hash %s, and event %d with the hash %s.",
			f.LogID, f.TransactionID, a.Sequence, a.Value, b.Sequence, b.Value)
	case SerialReused:
		return fmt.Sprintf("The issuer with the public key %s gave the serial %s to two certificates: %s (%s), and %s (%s).",
			f.Issuer, f.Serial, a.Value, a.transactionName(), b.Value, b.transactionName())
	case finding.RevocationWithheld:
		issued, revoked := a, b
		if a.Value == "revoked" {
			issued, revoked = b, a
		}
		return fmt.Sprintf(
			"%s: transaction %s is issued as of checkpoint %d in one bundle, and revoked by event %d in the other.",
			f.LogID, f.TransactionID, issued.Sequence, revoked.Sequence)
	case finding.SplitView:
		return fmt.Sprintf("%s: two checkpoints name different heads for event %d: %s and %s.",
			f.LogID, f.Sequence, a.Value, b.Value)
	}
	return fmt.Sprintf("%s: event %d has two hashes: %s (%s), and %s (%s).",
		f.LogID, f.Sequence, a.Value, a.proof(), b.Value, b.proof())
}

// transactionName names the transaction of a side.
func (s *Side) transactionName() string {
	return "tenant " + s.TenantID + ", transaction " + s.TransactionID
}

// proof names the evidence for the hash of a side.
func (s *Side) proof() string {
	text := "checkpoint " + strconv.FormatUint(s.Checkpoint, 10)
	if last := s.RestsOn[len(s.RestsOn)-1]; last.Kind == OnPreviousLink || last.Kind == OnSkipLink {
		return text + ", " + last.Words()
	}
	return text
}

// grounds are the kinds of grounds in words. A sequence follows, if there is one.
var grounds = map[GroundKind]string{
	OnCheckpoint:      "checkpoint",
	OnWitness:         "witness receipt of checkpoint",
	OnPreviousLink:    "previous link of event",
	OnSkipLink:        "skip link of event",
	OnIssuanceEvent:   "issuance event",
	OnRevocationEvent: "revocation event",
	OnStatus:          "status",
	OnReceipt:         "signer receipt",
}

// Words names the statement or link.
func (g Ground) Words() string {
	if g.Sequence == 0 {
		return grounds[g.Kind]
	}
	return grounds[g.Kind] + " " + strconv.FormatUint(g.Sequence, 10)
}

// shown returns the conclusion, or that it is open.
func (f *Finding) shown() string {
	switch {
	case f.Code == finding.SplitView:
		return "So the log has two histories."
	case f.Code == finding.RevocationWithheld:
		return "So the status is false, or the log has another history without that event."
	case f.Shows == TwoHistories:
		return fmt.Sprintf("Previous links alone lead from both checkpoints to event %d, so the log has two histories.",
			f.Sequence)
	case f.Shows == FalseLink:
		return fmt.Sprintf("Both bundles prove one hash for event %d, and below one event there is one history. "+
			"So a skip link in one of the bundles is false.", f.Shared)
	case f.Shows == Open:
		return "It is open whether the log has two histories, or one history and a false skip link."
	}
	return ""
}

// signedBy names the signers of both sides.
func (f *Finding) signedBy() []string {
	var all []string
	for _, role := range []trust.Role{trust.Audit, trust.Signer} {
		a, b := keyIDsOf(f.Sides[0].signers(), role), keyIDsOf(f.Sides[1].signers(), role)
		if same := keyIDsOf(f.SignedBoth, role); len(same) > 0 {
			all = append(all, fmt.Sprintf("%s %s signed both sides.", names[role], joinNames(same)))
		} else if len(a) > 0 {
			all = append(all, fmt.Sprintf("%s %s signed one side, %s the other.", names[role], joinNames(a), joinNames(b)))
		}
	}
	if nodes := f.WitnessedBoth; len(nodes) > 0 {
		all = append(all, fmt.Sprintf("Witnessed on both sides by %s, which alone does not show that a witness did wrong.",
			joinNames(nodes)))
	}
	return all
}

// names are the roles at the beginning of a sentence.
var names = map[trust.Role]string{trust.Audit: "Audit key", trust.Signer: "Signer key"}

// keyIDsOf returns the key ids of the signers with a role.
func keyIDsOf(signers []Signer, role trust.Role) []string {
	var ids []string
	for _, s := range signers {
		if s.Role == role {
			ids = append(ids, s.KeyID)
		}
	}
	return ids
}

// mostNamed bounds the ids in a sentence. A bundle can have a thousand witnesses.
const mostNamed = 8

// joinNames lists ids in a sentence.
func joinNames(ids []string) string {
	if len(ids) > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:mostNamed], ", "), len(ids)-mostNamed)
	}
	if n := len(ids); n > 1 {
		return strings.Join(ids[:n-1], ", ") + " and " + ids[n-1]
	}
	return strings.Join(ids, "")
}
