package verify

// The codes of SPEC 8.4.
const (
	OtherCheckpoint   Code = "witness.other-checkpoint"
	OtherHead         Code = "witness.other-head"
	WitnessQuorum     Code = "witness.under-quorum"
	LegacyNotAdmitted Code = "checkpoint.legacy-not-admitted"
	LegacyTooLate     Code = "checkpoint.legacy-too-late"
)

var witnessDefects = []Defect{
	{OtherCheckpoint, "8.4", "{path} is for another checkpoint: expected {expected}, found {found}",
		"A receipt for another checkpoint was put in.", suspect},
	{OtherHead, "8.4", "{path} is for another head: expected {expected}, found {found}",
		"The receipt contradicts the checkpoint that it names.", askNode},
	{WitnessQuorum, "8.4", plain,
		"Too few nodes witnessed when the bundle was exported, or receipts were removed.",
		"Export the bundle again while enough nodes are connected."},
	{LegacyNotAdmitted, "5.4", plain,
		"The checkpoint uses the protocol from before witnessing.",
		"If the evidence is really that old, use a separate trust file with minimum_audit_witnesses 0, " +
			"and give --legacy-before."},
	{LegacyTooLate, "5.4", plain,
		"A legacy checkpoint was made after witnessing had begun.", suspect},
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

var pathDefects = []Defect{
	{RecordedHash, "8.5", "{path} is not the event's hash: expected {expected}, found {found}",
		"The event or its recorded hash was changed.", suspect},
	{PathWrongStep, "8.5", "{path} is not the next link of the path: expected sequence {expected}, found {found}",
		"A link was removed, added, repeated or moved.", suspect},
	{PathHashMismatch, "8.5",
		"{path} does not hash to what the link before it proves: expected {expected}, found {found}",
		"The link, or an event in the log, was changed.", suspect},
	{PathConflict, "8.5", "{path} gives an event a second hash: expected {expected}, found {found}",
		"The path shows two histories of the log.", suspect},
	{PathEndsEarly, "8.5",
		"{path} ends before the oldest disclosed event: expected sequence {expected}, found {found}",
		"Links were removed from the end.", rebuild},
	{PathTrailing, "8.5", "{path} comes after the end of the path: expected {expected}, found sequence {found}",
		"Links were appended.", suspect},
}

// The codes of SPEC 8.6.
const (
	EventMissing    Code = "event.missing"
	EventRepeated   Code = "event.repeated"
	EventUnexpected Code = "event.unexpected"
	EventOrder      Code = "event.out-of-order"
)

var eventDefects = []Defect{
	{EventMissing, "8.6", plain,
		"The path shows no issuance of this transaction.", rebuild},
	{EventRepeated, "8.6", "{path} is a second event of its kind: expected {expected}, found another {found}",
		"The log records the issuance or revocation twice.",
		"Ask for the full tenant log: one transaction must not be issued twice."},
	{EventUnexpected, "8.6", plain,
		"An event that a bundle must not show was put in.", suspect},
	{EventOrder, "8.6", plain,
		"The log records the revocation before the issuance.", suspect},
}

// The codes of SPEC 8.19.
const (
	StatusOtherManifest   Code = "status.other-manifest"
	StatusOtherCheckpoint Code = "status.other-checkpoint"
)

var statusDefects = []Defect{
	{StatusOtherManifest, "8.19", "{path} is about another manifest: expected {expected}, found {found}",
		"A status of another issuance was put in.", suspect},
	{StatusOtherCheckpoint, "8.19", "{path} is about another checkpoint: expected {expected}, found {found}",
		"A status of another time was put in, perhaps to hide a revocation.", suspect},
}

// The codes of SPEC 8.20.
const (
	RevocationIncomplete       Code = "revocation.incomplete"
	RevocationOtherReceipt     Code = "revocation.other-receipt"
	RevocationOtherCertificate Code = "revocation.other-certificate"
)

var revocationDefects = []Defect{
	{RevocationIncomplete, "8.20", plain,
		"Status, revocation receipt and revocation event do not match: one was removed or added.", suspect},
	{RevocationOtherReceipt, "8.20", "{path} names another revocation receipt: expected {expected}, found {found}",
		"The revocation receipt was exchanged.", suspect},
	{RevocationOtherCertificate, "8.20", "{path} is of another certificate: expected {expected}, found {found}",
		"The revocation is of another certificate.", suspect},
}

// The codes of SPEC 8.21.
const (
	TimeOutOfOrder   Code = "time.out-of-order"
	TimeExpired      Code = "time.expired"
	TimeRecordedLate Code = "time.recorded-late"
)

var timeDefects = []Defect{
	{TimeOutOfOrder, "8.21", "{path} is too early: expected {expected}, found {found}",
		"A step is dated before one that it needs; or a clock is wrong by more than five minutes.",
		"Compare the clocks of the parties concerned; else treat the bundle as forged."},
	{TimeExpired, "8.21", "{path} is too late: expected {expected}, found {found}",
		"Something was used after it had expired.", suspect},
	{TimeRecordedLate, "8.21", "{path} is too late: expected {expected}, found {found}",
		"The log records the issuance long after the signer says that it issued, or after an approval " +
			"expired: the signer dated its receipt back, or the service released a certificate that it should have had revoked.",
		"Treat the certificate as misissued and have it revoked."},
}
