package verify

import "github.com/svc-edge/svc-verify/finding"

// The codes of SPEC 8.4.
const (
	OtherCheckpoint   Code = "witness.other-checkpoint"
	OtherHead         Code = "witness.other-head"
	WitnessQuorum     Code = "witness.under-quorum"
	LegacyNotAdmitted Code = "checkpoint.legacy-not-admitted"
	LegacyTooLate     Code = "checkpoint.legacy-too-late"
)

var witnessDefects = []finding.Entry{
	{Code: OtherCheckpoint, Sentence: "{path} is for another checkpoint",
		Arises: "A receipt for another checkpoint was put in.", Next: suspect},
	{Code: OtherHead, Sentence: "{path} is for another head",
		Arises: "The receipt contradicts the checkpoint that it names.", Next: askNode},
	{Code: WitnessQuorum,
		Arises: "Too few nodes witnessed when the bundle was exported, or receipts were removed.",
		Next:   "Export the bundle again while enough nodes are connected."},
	{Code: LegacyNotAdmitted, Spec: "5.4",
		Arises: "The checkpoint uses the protocol from before witnessing.",
		Next: "If the evidence is really that old, use a separate trust file with minimum_audit_witnesses 0, " +
			"and give --legacy-before."},
	{Code: LegacyTooLate, Spec: "5.4",
		Arises: "A legacy checkpoint was made after witnessing had begun.", Next: suspect},
}

// The codes of SPEC 8.5.
const (
	RecordedHash     Code = "path.recorded-hash"
	PathWrongStep    Code = "path.wrong-step"
	PathHashMismatch Code = "path.hash-mismatch"
	PathConflict     Code = "path.conflict"
	PathEndsEarly    Code = "path.ends-early"
	PathTrailing     Code = "path.trailing"
)

var pathDefects = []finding.Entry{
	{Code: RecordedHash, Sentence: "{path} is not the event's hash",
		Arises: "The event or its recorded hash was changed.", Next: suspect},
	{Code: PathWrongStep, Sentence: "{path} is not the next link of the path",
		Contrast: "expected sequence {expected}, found {found}",
		Arises:   "A link was removed, added, repeated or moved.", Next: suspect},
	{Code: PathHashMismatch, Sentence: "{path} does not hash to what the link before it proves",
		Arises: "The link, or an event in the log, was changed.", Next: suspect},
	{Code: PathConflict, Sentence: "{path} gives an event a second hash",
		Arises: "The path shows two histories of the log.", Next: suspect},
	{Code: PathEndsEarly, Sentence: "{path} ends before the oldest disclosed event",
		Contrast: "expected sequence {expected}, found {found}",
		Arises:   "Links were removed from the end.", Next: rebuild},
	{Code: PathTrailing, Sentence: "{path} comes after the end of the path",
		Contrast: "expected {expected}, found sequence {found}", Arises: "Links were appended.", Next: suspect},
}

// The codes of SPEC 8.6.
const (
	EventMissing    Code = "event.missing"
	EventRepeated   Code = "event.repeated"
	EventUnexpected Code = "event.unexpected"
	EventOrder      Code = "event.out-of-order"
)

var eventDefects = []finding.Entry{
	{Code: EventMissing, Arises: "The path shows no issuance of this transaction.", Next: rebuild},
	{Code: EventRepeated, Sentence: "{path} is a second event of its kind",
		Contrast: "expected {expected}, found another {found}",
		Arises:   "The log records the issuance or revocation twice.",
		Next:     "Ask for the full tenant log: one transaction must not be issued twice."},
	{Code: EventUnexpected, Arises: "An event that a bundle must not show was put in.", Next: suspect},
	{Code: EventOrder, Arises: "The log records the revocation before the issuance.", Next: suspect},
}

// The codes of SPEC 8.19.
const (
	StatusOtherManifest   Code = "status.other-manifest"
	StatusOtherCheckpoint Code = "status.other-checkpoint"
)

var statusDefects = []finding.Entry{
	{Code: StatusOtherManifest, Sentence: "{path} is about another manifest",
		Arises: "A status of another issuance was put in.", Next: suspect},
	{Code: StatusOtherCheckpoint, Sentence: "{path} is about another checkpoint",
		Arises: "A status of another time was put in, perhaps to hide a revocation.", Next: suspect},
}

// The codes of SPEC 8.20.
const (
	RevocationIncomplete       Code = "revocation.incomplete"
	RevocationOtherReceipt     Code = "revocation.other-receipt"
	RevocationOtherCertificate Code = "revocation.other-certificate"
)

var revocationDefects = []finding.Entry{
	{Code: RevocationIncomplete,
		Arises: "Status, revocation receipt and revocation event do not match: one was removed or added.",
		Next:   suspect},
	{Code: RevocationOtherReceipt, Sentence: "{path} names another revocation receipt",
		Arises: "The revocation receipt was exchanged.", Next: suspect},
	{Code: RevocationOtherCertificate, Sentence: "{path} is of another certificate",
		Arises: "The revocation is of another certificate.", Next: suspect},
}

// The codes of SPEC 8.21.
const (
	TimeOutOfOrder   Code = "time.out-of-order"
	TimeExpired      Code = "time.expired"
	TimeRecordedLate Code = "time.recorded-late"
)

var timeDefects = []finding.Entry{
	{Code: TimeOutOfOrder, Sentence: "{path} is too early",
		Arises: "A step is dated before one that it needs; or a clock is wrong by more than five minutes.",
		Next:   "Compare the clocks of the parties concerned; else treat the bundle as forged."},
	{Code: TimeExpired, Sentence: "{path} is too late",
		Arises: "Something was used after it had expired.", Next: suspect},
	{Code: TimeRecordedLate, Sentence: "{path} is too late",
		Arises: "The log records the issuance long after the signer says that it issued, or after an approval " +
			"expired: the signer dated its receipt back, or the service released a certificate " +
			"that it should have had revoked.",
		Next: "Treat the certificate as misissued and have it revoked."},
}

// StatusUnwanted is the code of SPEC 8.23.
const StatusUnwanted = finding.StatusUnwanted

var wantedDefects = []finding.Entry{
	{Code: StatusUnwanted, Severity: finding.High, Sentence: "{path}: the proof is genuine, but {found}",
		Contrast: "the status {expected} was asked for",
		Arises: "The proof is genuine, and its certificate has another status than --status asks for. " +
			"A gate asks for issued, so that a revoked certificate does not pass it.",
		Next: "Do not use a revoked certificate, and find out why it was revoked. " +
			"If either status is right here, give --status any."},
}

// The codes of SPEC 8.22.
const (
	StatusLater Code = "status.later"
	StatusStale Code = "status.stale"
)

var freshDefects = []finding.Entry{
	{Code: StatusLater, Sentence: "{path} is later than the time that was asked about",
		Arises: "The checkpoint was made after the time given with --at, or one of the two clocks is wrong " +
			"by more than five minutes.",
		Next: "Give the time that matters with --at. For the state at an earlier time, use a bundle of that time."},
	{Code: StatusStale, Sentence: "{path} is not as recent as was asked for",
		Arises: "The evidence is genuine, but older than --max-age allows at the time given with --at: " +
			"the certificate may have been revoked since. A legacy checkpoint is never recent.",
		Next: "Export a newer bundle from the service. Without an event since, its checkpoint is as old as the last one: " +
			"then allow a longer --max-age, or wait for the next event of the log."},
}
