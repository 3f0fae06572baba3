package incident

import (
	"cmp"

	"github.com/svc-edge/svc-verify/finding"
)

// Kind is the kind of an incident, in one word. It begins the name.
type Kind string

// The kinds.
const (
	Fork    Kind = "fork"    // two histories of one log
	Altered Kind = "altered" // events or statements that are not as they were signed
	Gone    Kind = "gone"    // events that were removed
	Gap     Kind = "gap"     // events that are not here, by which way is open
	Misuse  Kind = "misuse"  // content that a key signed contradicts something
	Dispute Kind = "dispute" // two keys signed contradictory content
	Unread  Kind = "unread"  // something could not be read
	Fault   Kind = "fault"   // anything else
)

// nouns are the kinds in a count, in the singular.
var nouns = map[Kind]string{Fork: "fork", Altered: "alteration", Gone: "deletion", Gap: "gap",
	Misuse: "key misuse", Dispute: "dispute", Unread: "unread source", Fault: "fault"}

// Noun returns the word for one incident of a kind in a count.
func (k Kind) Noun() string { return nouns[k] }

// kinds are the kinds of incidents by the sign of a finding, where its mark in the picture
// decides nothing.
var kinds = map[finding.Sign]Kind{finding.BesideJournal: Misuse,
	finding.NodeKeyMisuse: Misuse, finding.AuditKeyMisuse: Misuse, finding.KeyMisuse: Misuse,
	finding.RecordDispute: Dispute, finding.Unread: Unread}

// kindOf returns the kind of an incident by its gravest finding.
func kindOf(e finding.Entry) Kind {
	switch {
	case e.Mark == finding.Forked, e.Mark == finding.Contradicted:
		return Fork
	case e.SignOf == finding.Deletion, e.Missing():
		if e.Effect == finding.Rejects {
			return Gone
		}
		return Gap
	case e.SignOf == finding.Alteration, e.Mark == finding.Altered, e.Mark == finding.BadCopy:
		return Altered
	}
	return cmp.Or(kinds[e.SignOf], Fault)
}
