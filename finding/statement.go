package finding

// The codes about what two pieces of evidence say of the same thing (SPEC 4.4).
const (
	BundleRejected         Code = "bundle.rejected"
	BundleKeyUnknown       Code = "bundle.key-unknown"
	ApprovalNotInJournal   Code = "approval.not-in-journal"
	ApprovalDenied         Code = "approval.denied-in-journal"
	ApprovalNotInLog       Code = "approval.not-in-log"
	ApprovalUnrecorded     Code = "approval.unrecorded"
	DecisionNotInLog       Code = "decision.not-in-log"
	WitnessNotInJournal    Code = "witness.not-in-journal"
	CapabilityNotInJournal Code = "capability.not-in-journal"
	StatementNotCovered    Code = "statement.not-covered"
	IssuanceNotInLog       Code = "issuance.not-in-log"
	RevocationNotInLog     Code = "revocation.not-in-log"
	RevocationWithheld     Code = "revocation.withheld"
	IssuedWhilePaused      Code = "transaction.issued-while-paused"
	ResumeWithoutRequest   Code = "break-glass.resume-without-request"
	RecordLate             Code = "record.after-issuance"
	WithoutTransaction     Code = "record.without-transaction"
	RecordContradicts      Code = "record.contradicts"
	RecordDisputed         Code = "record.disputed"
	WrongLog               Code = "record.in-wrong-log"
	WitnessOtherHistory    Code = "witness.other-history"
	WitnessDisputed        Code = "witness.disputed"
	WitnessRegressed       Code = "witness.regressed"
)

var statements = []Entry{
	{Code: BundleRejected, Severity: High, Subject: Source, SignOf: Alteration, Spec: "8",
		Sentence: "a bundle does not verify, so nothing was compared with it", Next: inspect},
	{Code: BundleKeyUnknown, Severity: High, Effect: LeavesOpen, Subject: Source, Spec: "8.3",
		Sentence:     "a bundle names keys that the trust file lacks, so it was not examined",
		Explanations: rotated, Next: pin},
	{Code: ApprovalNotInJournal, SignOf: NodeKeyMisuse, Spec: "4.4",
		Sentence: "{log}: an approval in the node's name is not in the node's own journal", Next: stolen},
	{Code: ApprovalDenied, SignOf: NodeKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: the node's own journal records a denial, not an approval", Next: show},
	{Code: ApprovalNotInLog, Severity: High, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}: an approval that an issuance rests on is not in the tenant log", Next: stolen},
	{Code: ApprovalUnrecorded, Severity: Medium, Effect: None, Spec: "4.4",
		Sentence: "{log}, {events}: an approval that the node signed is not in the tenant log",
		Explanations: []string{
			"The node's answer never reached the service, which asked again or gave the transaction up.",
		},
		Next: show},
	{Code: DecisionNotInLog, Severity: High, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}: a decision that an issuance rests on is not in the tenant log", Next: stolen},
	{Code: WitnessNotInJournal, SignOf: NodeKeyMisuse, Spec: "4.4",
		Sentence: "{log}: a witness receipt in the node's name is not in the node's own journal", Next: stolen},
	{Code: CapabilityNotInJournal, SignOf: NodeKeyMisuse, Spec: "4.4",
		Sentence: "{log}: capability evidence in the node's name is not in the node's own journal", Next: stolen},
	{Code: StatementNotCovered, Severity: Medium, Effect: LeavesOpen, Bearing: Completeness, Elsewhere: true,
		Spec: "4.4", Sentence: "{log}: statements in bundles about its owner could not be checked against it",
		Explanations: []string{"The log was copied before they were recorded, or was not collected."},
		Next:         ingest},
	{Code: IssuanceNotInLog, SignOf: AuditKeyMisuse, Spec: "8.7",
		Sentence: "{log}, {events}: an issuance that a bundle discloses is not in the tenant log", Next: show},
	{Code: RevocationNotInLog, SignOf: AuditKeyMisuse, Spec: "8.20",
		Sentence: "{log}, {events}: a revocation that a bundle discloses is not in the tenant log", Next: show},
	{Code: RevocationWithheld, SignOf: AuditKeyMisuse, Spec: "7.11",
		Sentence: "{log}, {events}: a bundle says \"issued\" for a certificate that the log had revoked",
		Arises: "The log, or another bundle that verifies (section 14), " +
			"shows a revocation that is not above the bundle's checkpoint.",
		Next: show},
	{Code: IssuedWhilePaused, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: issued while issuance was paused", Next: around},
	{Code: ResumeWithoutRequest, SignOf: AuditKeyMisuse, Spec: "4.4",
		Sentence: "{log}, {events}: issuance was resumed without an open request to do so", Next: around},
	{Code: RecordLate, Mark: Altered, SignOf: AuditKeyMisuse, Spec: "13.3",
		Sentence: "{log}, {events}: recorded after the issuance that it must precede", Next: around},
	{Code: WithoutTransaction, Mark: Altered, SignOf: AuditKeyMisuse, Spec: "13.3",
		Sentence: "{log}, {events}: does not name its transaction", Next: show},
	{Code: RecordContradicts, Mark: Altered, SignOf: KeyMisuse, Spec: "13.3",
		Sentence: "{log}, {events}: contradicts the document that it records", Next: show},
	{Code: RecordDisputed, Severity: High, Effect: LeavesOpen, Mark: Unverified, SignOf: RecordDispute, Spec: "13.3",
		Sentence:     "{log} and another log contradict each other about an approval that is not here",
		Explanations: []string{"The holder of either key signed a record of what is not so."},
		Next:         approvals},
	{Code: WrongLog, Severity: High, Mark: Altered, SignOf: KeyMisuse, Spec: "13.3",
		Sentence: "{log}, {events}: an event of this type belongs in another kind of log", Next: show},
	{Code: WitnessOtherHistory, Mark: Contradicted, SignOf: AuditKeyMisuse, Spec: "13.4",
		Sentence: "{log}, {events}: nodes witnessed another history of this log", Next: show},
	{Code: WitnessDisputed, Severity: High, Effect: LeavesOpen, Mark: Unverified, SignOf: RecordDispute, Spec: "13.4",
		Sentence: "{log}, {events}: the tenant log and what a node witnessed of it contradict each other",
		Explanations: []string{
			"The holder of the node's key made the other head up.",
			"The holder of the audit key showed the node another history.",
		},
		Next: show},
	{Code: WitnessRegressed, Mark: Altered, SignOf: NodeKeyMisuse, Spec: "13.4",
		Sentence: "{log}, {events}: the node witnessed less than before, or another head", Next: around},
}
