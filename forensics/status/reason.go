package status

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/verify"
)

// Reason is the code of why an answer is not definite.
type Reason = finding.Code

// The reasons. Those of a log hold for its rows too.
const (
	LeftOut       Reason = "status.left-out"
	Unread        Reason = "status.unread"
	LogRejected   Reason = "status.log-rejected"
	LogIncomplete Reason = "status.log-incomplete"
	LogOpen       Reason = "status.log-open"
	NoCheckpoint  Reason = "status.no-checkpoint"

	AfterCheckpoint Reason = "status.after-checkpoint"
	Unverified      Reason = "status.unverified"
	Unlinked        Reason = "status.unlinked"
	Contradictory   Reason = "status.contradictory"
	NotInLog        Reason = "status.not-issued"

	NoLog           Reason = "status.no-log"
	SerialUnknown   Reason = "status.serial-unknown"
	SerialAmbiguous Reason = "status.serial-ambiguous"
	SeveralTenants  Reason = "status.several-tenants"
	NothingIssued   Reason = "status.nothing-issued"
)

const (
	walkAgain = "svc-verify walk --case FILE --trust TRUST: every finding, and the next step for each"
	newer     = "svc-verify ingest --case FILE PATH: add a newer bundle of the tenant, whose checkpoint covers more"
	findings  = "svc-verify findings --case FILE --log {log}: what is wrong with the log"
	allGaps   = "svc-verify gaps --case FILE --log {log}: every gap of the log, and what may explain it"
	addBundle = "svc-verify ingest --case FILE PATH: add the bundle of the certificate"
	addLog    = "svc-verify ingest --case FILE PATH: add the tenant log"
)

var reasons = finding.Registry{
	{Code: LeftOut, Effect: finding.LeavesOpen,
		Sentence: "Not everything in the case was examined.", Next: walkAgain},
	{Code: Unread, Effect: finding.LeavesOpen,
		Sentence: "Part of the evidence could not be read, and may have a revocation in it.", Next: walkAgain},
	{Code: LogRejected, Effect: finding.Rejects, Spec: "4.2",
		Sentence: "The tenant log is bad, or another part of the case contradicts it.", Next: findings},
	{Code: LogIncomplete, Effect: finding.LeavesOpen, Spec: "4.1",
		Sentence: "Events of the tenant log are missing, and a revocation may be one of them.", Next: allGaps},
	{Code: LogOpen, Effect: finding.LeavesOpen,
		Sentence: "The walk could not verify all of the tenant log.", Next: findings},
	{Code: NoCheckpoint, Effect: finding.LeavesOpen, Spec: "5.3",
		Sentence: "Neither a checkpoint with enough witnesses nor the journals of enough nodes show up to where the " +
			"tenant log is complete.", Next: newer},
	{Code: AfterCheckpoint, Effect: finding.LeavesOpen, Spec: "5.1",
		Sentence: "The issuance comes after the last event up to which others vouch for the log, so the log may have been " +
			"cut off behind it.",
		Next: newer},
	{Code: Unverified, Effect: finding.LeavesOpen, Spec: "4.2",
		Sentence: "No pinned audit key signed the event that records the issuance.", Next: findings},
	{Code: Unlinked, Effect: finding.LeavesOpen, Spec: "4.1",
		Sentence: "A signed event records the issuance or a revocation, but is not connected to the log.",
		Next:     findings},
	{Code: Contradictory, Effect: finding.Rejects, Spec: "4.4",
		Sentence: "The signed records of the transaction contradict each other: there are several, a revocation " +
			"names another manifest or transaction, or it comes before the issuance.",
		Next: findings},
	{Code: NotInLog, Effect: finding.LeavesOpen,
		Sentence: "The log is complete by others' word and has no issuance of this transaction. " +
			"So there is no certificate to give the status of.", Next: newer},
	{Code: NoLog, Effect: finding.LeavesOpen,
		Sentence: "The case has no such tenant log.", Next: addLog},
	{Code: SerialUnknown, Effect: finding.LeavesOpen,
		Sentence: "No verified bundle in the case has a certificate of this serial. The log itself has no serials.",
		Next:     addBundle},
	{Code: SerialAmbiguous, Effect: finding.LeavesOpen,
		Sentence: "Verified bundles give this serial to certificates of different transactions.",
		Next:     "svc-verify status --case FILE --trust TRUST --transaction ID: ask for each of them"},
	{Code: SeveralTenants, Effect: finding.LeavesOpen,
		Sentence: "The logs of several tenants have a transaction of this id.",
		Next:     "svc-verify status --tenant ID: ask for one tenant"},
	{Code: NothingIssued, Effect: finding.LeavesOpen,
		Sentence: "No tenant log in the case has an issuance.", Next: addLog},
}

// Reasons returns the entries of all reasons.
func Reasons() []finding.Entry { return slices.Clone(reasons) }

// Says returns what a reason means, and the next step. Log is the id of the log that
// it is about.
func Says(r Reason, log string) (sentence, next string) {
	entry, _ := reasons.Lookup(r)
	return entry.Sentence, finding.Fill(entry.Next, "{log}", log)
}

// verdictOf returns the verdict that a reason leads to; without one, the answer is
// definite.
func verdictOf(r Reason) verify.Verdict {
	if r == "" {
		return verify.Verified
	}
	if entry, _ := reasons.Lookup(r); entry.Effect == finding.Rejects {
		return verify.Rejected
	}
	return verify.Inconclusive
}

// Limitation is something that no answer from a log shows.
type Limitation struct {
	Code finding.Code `json:"code"`
	Text string       `json:"text"`
}

var limitations = finding.Registry{
	{Code: "status-as-of-checkpoint", Spec: "11.3",
		Sentence: "Nothing shows what happened after the event up to which the log is complete by others' word.",
		Arises:   "A log shows its history up to a checkpoint. A certificate may have been revoked since.",
		Next:     "If the present matters, add a newer bundle and the newest events of the log."},
	{Code: "log-as-written", Spec: "11.3",
		Sentence: "The holder of an audit key can leave issuances and revocations out of the log.",
		Arises: "The log commits to what its owner puts in. Only the protected signer knows which certificates " +
			"it signed.",
		Next: "Compare the log with the certificates in use, and with the records of the protected signer."},
}

// Limitations returns the entries of all limitations.
func Limitations() []finding.Entry { return slices.Clone(limitations) }

func limits() (all []Limitation) {
	for _, e := range limitations {
		all = append(all, Limitation{e.Code, e.Sentence})
	}
	return all
}
