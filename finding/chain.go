package finding

// The codes about how the events of a log hang together (SPEC 4).
const (
	LinkBroken     Code = "chain.link-broken"
	SkipBroken     Code = "chain.skip-broken"
	Gap            Code = "chain.gap"
	GapUnread      Code = "chain.gap-unread"
	GapBetween     Code = "chain.gap-between-copies"
	Unconnected    Code = "chain.unconnected"
	Fork           Code = "chain.fork"
	Restart        Code = "chain.restart"
	HeadMissing    Code = "journal.head-missing"
	TailTruncated  Code = "journal.tail-truncated"
	TailMissing    Code = "journal.tail-missing"
	TailUnread     Code = "journal.tail-unread"
	TailUnanchored Code = "journal.tail-unanchored"
	Absent         Code = "journal.absent"
	Gone           Code = "journal.gone"
	Quiet          Code = "journal.quiet"
	IssuedTwice    Code = "transaction.issued-twice"
	RevokedTwice   Code = "transaction.revoked-twice"
)

var chains = []Entry{
	{Code: LinkBroken, Mark: Altered, SignOf: KeyMisuse, Spec: "4.2",
		Sentence: "{log}, {events}: does not follow the event before it",
		Contrast: "expected the previous link {expected}, found {found}", Next: show},
	{Code: SkipBroken, Mark: Altered, SignOf: KeyMisuse, Spec: "4.3",
		Sentence: "{log}, {events}: the skip link names another history", Next: show},
	{Code: Gap, Severity: High, Bearing: Completeness, Merge: SameRange, Missing: true, SignOf: Deletion, Spec: "4.1",
		Sentence: "{log}, {events} missing", Explanations: transports, Next: gaps},
	{Code: GapUnread, Severity: Medium, Effect: LeavesOpen, Bearing: Completeness, Merge: SameRange,
		Missing: true, SignOf: Unread, Spec: "4.1",
		Sentence:     "{log}, {events} missing where part of the source could not be read",
		Explanations: []string{"The missing events are in the part that could not be read."}, Next: reread},
	{Code: GapBetween, Severity: High, Effect: LeavesOpen, Bearing: Completeness, Merge: SameRange,
		Missing: true, SignOf: Deletion, Spec: "13.2",
		Sentence: "{log}, {events} missing between what two copies have",
		Explanations: []string{
			"One copy was made before these events, and the other one is the end of a later one.",
			"A file of the log was not given.",
		},
		Next: gaps},
	{Code: Unconnected, Mark: Altered, Spec: "4.1",
		Sentence:     "{log}, {events}: signed, far beyond the end of the log, and not connected to it",
		Explanations: []string{"The clock was wrong, and the events between are missing."}, Next: show},
	{Code: Fork, Mark: Forked, Spec: "4.2", Sentence: "{log}, {events}: two signed histories",
		Explanations: []string{"The node was restored from a backup and continued from an older state."}, Next: show},
	{Code: Restart, Mark: Forked, Spec: "4.1", Sentence: "{log}, {events}: the log begins twice",
		Explanations: []string{"The node lost its state and started again under its old id."}, Next: show},
	{Code: HeadMissing, Severity: High, Effect: LeavesOpen, Bearing: Completeness, Merge: SameRange,
		Missing: true, Elsewhere: true, SignOf: Deletion, Spec: "4.1",
		Sentence:     "{log}, {events} missing at the beginning",
		Explanations: transports, Next: ingest},
	{Code: TailTruncated, Bearing: Completeness, Missing: true, Elsewhere: true, SignOf: Deletion, Spec: "4.1",
		Sentence: "{log}, {events} missing at the end of a log that was collected after them", Explanations: transports,
		Next: gaps},
	{Code: TailMissing, Severity: High, Effect: LeavesOpen, Bearing: Completeness, Missing: true, Elsewhere: true,
		SignOf: Deletion, Spec: "13.2", Sentence: "{log}, {events} missing at the end",
		Explanations: []string{
			"The log was copied before these events were written.",
			"The end of the log was cut off: --collected says when it was copied.",
		},
		Next: gaps},
	{Code: TailUnread, Severity: Medium, Effect: LeavesOpen, Bearing: Completeness, Missing: true,
		Elsewhere: true, SignOf: Unread, Spec: "4.1",
		Sentence: "{log}, {events} missing at the end, where part of the source could not be read",
		Explanations: []string{
			"The missing events are in the part that could not be read.",
			"The source was copied while it was being written.",
		},
		Next: reread},
	{Code: TailUnanchored, Severity: Info, Effect: None, Bearing: Completeness, Spec: "5.1",
		Sentence:     "{log}, {events}: after the last matching anchor, so nothing vouches for this end of the log",
		Explanations: []string{"They are newer than the newest checkpoint or report."}, Next: others},
	{Code: Absent, Severity: High, Effect: LeavesOpen, Bearing: Completeness, Missing: true, Elsewhere: true,
		Spec: "4.1", Sentence: "{log}: no event of this log is here",
		Explanations: []string{"The log was not collected."}, Next: ingest},
	{Code: Gone, Bearing: Completeness, Missing: true, Elsewhere: true, SignOf: Deletion, Spec: "4.1",
		Sentence: "{log}: nothing is left of this log, although it was collected or part of it was given",
		Next:     ingest},
	{Code: Quiet, Severity: Info, Effect: None, Bearing: Completeness,
		Sentence: "{log}, {events}: no event for a long time", Explanations: []string{"The node was switched off."},
		Next: around},
	{Code: IssuedTwice, Mark: Altered, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: a second issuance for one transaction",
		Arises: "The tenant log has two issuance events of the transaction, " +
			"or two bundles that verify show two of them, or two manifests (section 14).",
		Next: show},
	{Code: RevokedTwice, Mark: Altered, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: a second revocation for one transaction", Next: show},
}
