package finding

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

var anchors = []Entry{
	{Code: AnchorMismatch, Mark: Contradicted, SignOf: KeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: this is not the history that was anchored", Next: cross},
	{Code: SplitView, Mark: Contradicted, SignOf: KeyMisuse, Spec: "6.3",
		Sentence: "{log}, {events}: two anchors contradict each other",
		Arises: "Two checkpoints, or other anchors, name two hashes for one event. " +
			"Two bundles that verify are enough to prove it (section 14).",
		Next: cross},
	{Code: CheckpointRollback, Mark: Contradicted, SignOf: KeyMisuse, Spec: "5.1",
		Sentence: "{log}, {events}: a later checkpoint covers less", Next: others},
	{Code: CheckpointUnderQuorum, Severity: Medium, Effect: LeavesOpen, SignOf: Alteration, Spec: "5.3",
		Sentence: "{log}, {events}: the checkpoint has too few witnesses",
		Explanations: []string{
			"Too few nodes were connected when it was exported.",
			"A witness's key was rotated after the trust file was collected.",
		},
		Next: others},
	{Code: CheckpointSignatureInvalid, SignOf: Alteration, Spec: "3.3",
		Sentence: "{log}, {events}: the checkpoint's signature does not verify", Next: others},
	{Code: CheckpointKeyUnknown, Severity: High, Effect: LeavesOpen, Spec: "3.3",
		Sentence: "{log}, {events}: the key that signed the checkpoint is not pinned", Explanations: rotated, Next: pin},
	{Code: CursorSignatureInvalid, SignOf: Alteration, Spec: "3.3",
		Sentence: "{log}, {events}: the export cursor's signature does not verify", Next: others},
	{Code: CursorKeyUnknown, Severity: High, Effect: LeavesOpen, Spec: "3.3",
		Sentence: "{log}, {events}: the key that signed the export cursor is not pinned", Explanations: rotated,
		Next: pin},
	{Code: CursorKeyOfOtherNode, SignOf: Alteration, Spec: "3.3",
		Sentence: "{log}, {events}: the export cursor is signed by another node", Next: others},
	{Code: ReportHashMismatch, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: the reported head is not the hash of the reported link", Next: show},
	{Code: ReportSignatureInvalid, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: the node did not sign the reported head", Next: show},
	{Code: ReportKeyUnknown, Severity: High, Effect: LeavesOpen, Merge: SameKey, Spec: "4.4",
		Sentence: "{log}, {events}: the key that signed the reported head is not pinned", Explanations: rotated,
		Next: pin},
	{Code: ReportKeyOfOtherNode, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: the reported head is signed by another node", Next: show},
	{Code: DocumentMalformed, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread, Spec: "7.1",
		Sentence: "a document cannot be read", Explanations: cut, Next: reread},
}
