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
	NotRead           Code = "event.not-read"
)

var events = []Entry{
	{Code: HashMismatch, Mark: Altered, Merge: Neighbours, SignOf: Alteration, Spec: "4.2",
		Sentence: "{log}, {events}: the content does not have the recorded hash", Next: show},
	{Code: HashMismatchLossy, Severity: Medium, Effect: LeavesOpen, Mark: Unverified, Merge: Neighbours, SignOf: Loss,
		Spec:     "4.2",
		Sentence: "{log}, {events}: part of the content was lost in transit, so it does not have the recorded hash",
		Explanations: []string{
			"A transport replaced octets that were not text to it, or took a text for octets.",
		},
		Next: ingest},
	{Code: SignatureInvalid, Mark: Altered, Merge: Neighbours, SignOf: Alteration, Spec: "4.2",
		Sentence: "{log}, {events}: the signature does not verify", Next: show},
	{Code: KeyUnknown, Severity: High, Effect: LeavesOpen, Mark: Unverified, Merge: NeighboursByKey,
		SignOf: Alteration, Spec: "3.3",
		Sentence: "{log}, {events}: the key is not pinned", Explanations: rotated, Next: pin},
	{Code: KeyOfOtherNode, Mark: Altered, Merge: NeighboursByKey, SignOf: Alteration, Spec: "3.3",
		Sentence: "{log}, {events}: signed with another node's key", Next: show},
	{Code: AlteredCopy, Subject: Source, Mark: BadCopy, Merge: Neighbours, SignOf: Alteration, Spec: "4.2",
		Sentence: "{log}, {events}: a copy was altered; the genuine event is here too", Next: show},
	{Code: LossyCopy, Severity: Info, Effect: None, Subject: Source, Merge: Neighbours, SignOf: Loss,
		Sentence: "{log}, {events}: a copy lost part of its content in transit; " +
			"the genuine event is here too",
		Next: show},
	{Code: OtherTenant, Severity: High, Mark: Altered, SignOf: AuditKeyMisuse, Spec: "4.1",
		Sentence: "{log}, {events}: the log belongs to another tenant", Next: show},
	{Code: TimeRegression, Severity: Medium, Effect: None, Spec: "7.13",
		Sentence:     "{log}, {events}: dated before the preceding event",
		Explanations: []string{"The node's clock was set back, or had been wrong before."}, Next: show},
	{Code: TimeSkew, Severity: Medium, Effect: None, Subject: Source, Spec: "7.13",
		Sentence:     "{log}, {events}: dated long before or after it was observed",
		Explanations: []string{"The node was offline and exported later.", "A clock is wrong."}, Next: around},
	{Code: DuplicateDelivery, Severity: Info, Effect: None, Subject: Source, Spec: "9.1",
		Sentence:     "{log}, {events}: delivered more than once",
		Explanations: []string{"Delivery is at least once: a retry, a replayed queue, or exports that overlap."},
		Next:         show},
	{Code: Reordered, Severity: Info, Effect: None, Subject: Source, Spec: "9.1",
		Sentence:     "{log}: records are not in the order of their sequences",
		Explanations: []string{"Exporters keep no order."}, Next: deliveries},
	{Code: BodyTruncated, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Loss, Spec: "9.1",
		Sentence:     "the body of a record was cut by a store",
		Explanations: []string{"The store has a limit on the length of a record."}, Next: ingest},
	{Code: BodyStructured, Severity: Medium, Effect: None, Subject: Source, SignOf: Loss, Spec: "9.1",
		Sentence:     "{log}, {events}: the body did not arrive as its original text",
		Explanations: []string{"A collector or store parses bodies."}, Next: around},
	{Code: Ambiguous, Severity: High, Subject: Source, Mark: BadCopy, SignOf: Alteration, Spec: "1.1",
		Sentence: "two parsers could read a record differently", Next: reread},
	{Code: Malformed, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread, Spec: "4.2",
		Sentence: "a record is not a well-formed event", Next: reread},
	{Code: NotRead, Severity: High, Effect: LeavesOpen, Subject: Source, Bearing: Completeness,
		SignOf: Unread, Spec: "4.2",
		Sentence:     "part of a source contains an event that could not be extracted",
		Explanations: []string{"A tool wrapped the events in an unknown way."},
		Next:         "svc-verify ingest --explain PATH: where it is, and what is around it"},
}
