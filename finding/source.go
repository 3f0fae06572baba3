package finding

// The codes about batches, sources, what the stores of a case hold, and the work itself.
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
	JournalLacks              Code = "journal.lacks-events"
	JournalEndsEarly          Code = "journal.ends-early"
	SourceAltered             Code = "source.altered"
	SourceChanged             Code = "source.changed"
	LimitReached              Code = "walk.limit-reached"
	NothingExamined           Code = "walk.nothing-examined"
)

var sources = []Entry{
	{Code: BatchRedelivered, Severity: Info, Effect: None, Subject: Source, Spec: "9.2",
		Sentence:     "{log}, {events}: batches were delivered again",
		Explanations: []string{"The response to the first delivery was lost, and the exporter tried again."},
		Next:         batches},
	{Code: BatchIDReused, Severity: High, Effect: None, Subject: Source, Spec: "9.2",
		Sentence:     "{log}, {events}: one batch id is on different content",
		Explanations: []string{"A collector wrote the id onto records of other batches."}, Next: batches},
	{Code: BatchIncomplete, Severity: Medium, Effect: LeavesOpen, Subject: Source, Bearing: Completeness,
		Elsewhere: true, SignOf: Deletion, Spec: "9.2",
		Sentence:     "{log}, {events}: a batch does not match its id",
		Explanations: transports[:2], Next: batches},
	{Code: BatchIDAbsent, Severity: Info, Effect: None, Subject: Source, Spec: "9.2",
		Sentence:     "records came without a batch id",
		Explanations: []string{"The collector was not set up to keep request headers."}, Next: batches},
	{Code: SourcePartialTail, Severity: Info, Effect: LeavesOpen, Subject: Source, SignOf: Unread, Spec: "4.5",
		Sentence: "the last record of a source is incomplete", Explanations: live, Next: reread},
	{Code: SourceTruncated, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "a source is truncated", Explanations: cut, Next: reread},
	{Code: SourceTruncatedCompressed, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "compressed data is truncated", Explanations: cut, Next: reread},
	{Code: SourceTrailingData, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "there are bytes after the end of a message", Next: reread},
	{Code: SourceMultiMember, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence:     "compressed data has more than one member",
		Explanations: []string{"Compressed files were concatenated."}, Next: reread},
	{Code: SourceConcatenatedJSON, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread, Spec: "1.1",
		Sentence: "several JSON documents where one is expected", Next: reread},
	{Code: SourceUnparseable, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "part of a source could not be read", Explanations: cut, Next: reread},
	{Code: SourceInvalidUTF8, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread, Spec: "1.1",
		Sentence:     "a record is not UTF-8",
		Explanations: []string{"A collector passed on invalid input."}, Next: reread},
	{Code: SourceLimit, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "a record is larger than the limit",
		Next:     "svc-verify ingest --case FILE PATH: give it unpacked, or in smaller parts"},
	{Code: SourceUnknownFormat, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "the format of a source is unknown", Explanations: []string{"The file is not evidence."},
		Next: explained},
	{Code: SourceNoRecord, Severity: Info, Effect: None, Subject: Source,
		Sentence:     "a source, or part of it, contains no events by its nature",
		Explanations: []string{"The file is of another signal, or an empty export."}, Next: explained},
	{Code: SourceAmbiguous, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread, Spec: "1.1",
		Sentence: "a source says something twice, differently", Next: reread},
	{Code: SourceUnreadable, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "a source could not be read", Explanations: []string{"The file's permissions, or a bad disk.",
			"A fault of svc-verify: the detail names its place."},
		Next: "svc-verify ingest --case FILE PATH: give a copy that can be read"},
	{Code: SourceNotRegular, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence:     "a source is not a regular file",
		Explanations: []string{"A pipe, a device or a socket is among the files."},
		Next:         "svc-verify ingest --case FILE PATH: give a file with its content"},
	{Code: SourceSymlink, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence:     "a source is a symbolic link, which is not followed",
		Explanations: []string{"The link is there for convenience."},
		Next:         "svc-verify ingest --case FILE TARGET: give the file that the link names"},
	{Code: SourceDatabase, Severity: Medium, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "a source is a case of svc-verify, which is no evidence",
		Next:     "svc-verify ingest --case FILE PATH: give the evidence that the case was made of"},
	{Code: SourceDisagrees, Severity: High, Subject: Source, Bearing: Completeness, Elsewhere: true, SignOf: Deletion,
		Sentence: "{log}, {events}: one store lacks events that another store has", Explanations: transports, Next: cross},
	{Code: JournalLacks, Severity: High, Subject: Source, Bearing: Completeness, Elsewhere: true,
		SignOf: Deletion, Spec: "13.6",
		Sentence: "{log}, {events}: the log's own journal lacks events that another source has",
		Explanations: []string{
			"Someone removed the beginning of the journal to make room.",
			"The file is no journal, but a part of what a store exported: --store names it as one.",
		},
		Next: cross},
	{Code: JournalEndsEarly, Severity: Info, Effect: None, Subject: Source, Bearing: Completeness, Spec: "13.6",
		Sentence: "{log}, {events}: the log's own journal ends before events that another source has",
		Explanations: []string{
			"The journal was copied before these events were written.",
			"The end of the journal was cut off.",
		},
		Next: others},
	{Code: SourceAltered, Subject: Source, Elsewhere: true, SignOf: Alteration, Spec: "4.2",
		Sentence: "{log}, {events}: one store has altered events, another store the genuine ones", Next: around},
	{Code: SourceChanged, Severity: High, Effect: LeavesOpen, Subject: Source, SignOf: Unread,
		Sentence: "a source has changed since it was read", Explanations: live[:1], Next: reread},
	{Code: LimitReached, Severity: Medium, Effect: LeavesOpen, Bearing: Completeness,
		Sentence: "{log}: the walk stopped at a limit",
		Next:     "svc-verify walk --case FILE --trust TRUST --since-last"},
	{Code: NothingExamined, Severity: High, Effect: LeavesOpen, Subject: Source, Sentence: "nothing was examined",
		Next: ingest},
}
