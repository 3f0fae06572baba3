package finding

// The codes about single events (SPEC 4.2).
const (
	HashMismatch      Code = "event.hash-mismatch"
	HashMismatchLossy Code = "event.hash-mismatch-lossy"
	SignatureInvalid  Code = "event.signature-invalid"
	KeyUnknown        Code = "event.key-unknown"
	KeyOfOtherNode    Code = "event.key-of-other-node"
	AlteredCopy       Code = "event.altered-copy"
	LossyCopy         Code = "event.lossy-copy"
	OtherTenant       Code = "event.other-tenant"
	TimeRegression    Code = "event.time-regression"
	TimeSkew          Code = "event.time-skew"
	DuplicateDelivery Code = "event.duplicate-delivery"
	Reordered         Code = "event.reordered"
	BodyTruncated     Code = "event.body-truncated"
	BodyStructured    Code = "event.body-structured"
	Ambiguous         Code = "event.ambiguous"
	Malformed         Code = "event.malformed"
)

// The codes about how the events of a log hang together (SPEC 4).
const (
	LinkBroken     Code = "chain.link-broken"
	SkipBroken     Code = "chain.skip-broken"
	Gap            Code = "chain.gap"
	GapUnread      Code = "chain.gap-unread"
	Fork           Code = "chain.fork"
	Restart        Code = "chain.restart"
	HeadMissing    Code = "journal.head-missing"
	TailTruncated  Code = "journal.tail-truncated"
	TailUnread     Code = "journal.tail-unread"
	TailUnanchored Code = "journal.tail-unanchored"
	Absent         Code = "journal.absent"
	Quiet          Code = "journal.quiet"
	IssuedTwice    Code = "transaction.issued-twice"
	RevokedTwice   Code = "transaction.revoked-twice"
)

// The codes about what anchors a log from outside (SPEC 4.4, 5, 9.3).
const (
	AnchorMismatch             Code = "anchor.mismatch"
	SplitView                  Code = "anchor.split-view"
	CheckpointRollback         Code = "checkpoint.rollback"
	CheckpointUnderQuorum      Code = "checkpoint.under-quorum"
	CheckpointSignatureInvalid Code = "checkpoint.signature-invalid"
	CheckpointKeyUnknown       Code = "checkpoint.key-unknown"
	CursorSignatureInvalid     Code = "cursor.signature-invalid"
	CursorKeyUnknown           Code = "cursor.key-unknown"
	CursorKeyOfOtherNode       Code = "cursor.key-of-other-node"
	ReportHashMismatch         Code = "report.hash-mismatch"
	ReportSignatureInvalid     Code = "report.signature-invalid"
	ReportKeyUnknown           Code = "report.key-unknown"
	ReportKeyOfOtherNode       Code = "report.key-of-other-node"
	DocumentMalformed          Code = "document.malformed"
)

// The codes about what two pieces of evidence say of the same thing (SPEC 4.4).
const (
	BundleRejected         Code = "bundle.rejected"
	ApprovalNotInJournal   Code = "approval.not-in-journal"
	ApprovalDenied         Code = "approval.denied-in-journal"
	ApprovalNotInLog       Code = "approval.not-in-log"
	ApprovalUnrecorded     Code = "approval.unrecorded"
	DecisionNotInLog       Code = "decision.not-in-log"
	WitnessNotInJournal    Code = "witness.not-in-journal"
	CapabilityNotInJournal Code = "capability.not-in-journal"
	IssuanceNotInLog       Code = "issuance.not-in-log"
	RevocationNotInLog     Code = "revocation.not-in-log"
	RevocationWithheld     Code = "revocation.withheld"
	IssuedWhilePaused      Code = "transaction.issued-while-paused"
	ResumeWithoutRequest   Code = "break-glass.resume-without-request"
	RecordLate             Code = "record.after-issuance"
	WithoutTransaction     Code = "record.without-transaction"
	RecordContradicts      Code = "record.contradicts"
	WrongLog               Code = "record.in-wrong-log"
	WitnessOtherHistory    Code = "witness.other-history"
	WitnessRegressed       Code = "witness.regressed"
	SourceAltered          Code = "source.altered"
)

// The codes about batches, sources and the work itself.
const (
	BatchRedelivered          Code = "batch.redelivered"
	BatchIDReused             Code = "batch.id-reused"
	BatchIncomplete           Code = "batch.incomplete"
	BatchIDAbsent             Code = "batch.id-absent"
	SourcePartialTail         Code = "source.partial-tail"
	SourceTruncated           Code = "source.truncated"
	SourceTruncatedCompressed Code = "source.truncated-compressed"
	SourceTrailingData        Code = "source.trailing-data"
	SourceMultiMember         Code = "source.multi-member"
	SourceConcatenatedJSON    Code = "source.concatenated-json"
	SourceUnparseable         Code = "source.unparseable-record"
	SourceInvalidUTF8         Code = "source.invalid-utf8"
	SourceLimit               Code = "source.limit"
	SourceUnknownFormat       Code = "source.unknown-format"
	SourceNoRecord            Code = "source.no-record"
	SourceAmbiguous           Code = "source.ambiguous"
	SourceUnreadable          Code = "source.unreadable"
	SourceNotRegular          Code = "source.not-regular"
	SourceSymlink             Code = "source.symlink"
	SourceDatabase            Code = "source.database"
	SourceDisagrees           Code = "source.disagrees"
	SourceChanged             Code = "source.changed"
	LimitReached              Code = "walk.limit-reached"
	NothingExamined           Code = "walk.nothing-examined"
)
