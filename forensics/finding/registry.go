package finding

import "slices"

// Entry is what a code fixes. Sentence and Next are templates: {log},
// {sequence}, {last}, {events}, {expected} and {found} stand for the finding's
// values. Spec is the section of the specification that the evidence departs
// from, "" where it is a matter of handling and not of the formats.
type Entry struct {
	Code         Code
	Severity     Severity
	Effect       Effect
	Subject      Subject
	Bearing      Bearing
	Mark         Mark
	Spec         string
	Sentence     string
	Explanations []string // what may also explain it, without tampering
	Next         string
}

// Lookup returns the registry's entry of a code. For a code that it does not
// hold it returns an entry that rejects: nothing unknown may pass for harmless.
func Lookup(code Code) (Entry, bool) {
	i := slices.IndexFunc(registry, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{Code: code, Severity: Critical, Effect: Rejects, Subject: Log, Bearing: Integrity, Sentence: "expected {expected}, found {found}"}, false
	}
	return registry[i], true
}

// Codes returns the whole registry.
func Codes() []Entry { return slices.Clone(registry) }

const (
	show       = "svc-verify show --case FILE --log {log} --sequence {sequence}: the event, its copies and where they stand"
	around     = "svc-verify events --case FILE --log {log} --sequence {sequence}..{last}: the events themselves"
	gaps       = "svc-verify gaps --case FILE --log {log}: every gap of the log, and what may explain it"
	deliveries = "svc-verify events --case FILE --log {log}: the events in their order, and how often each came"
	batches    = "svc-verify batches --case FILE: every batch id, its events and its deliveries"
	cross      = "svc-verify crosscheck --case FILE --trust TRUST: every piece of evidence against the others"
	others     = "svc-verify ingest --case FILE PATH: give the other sources too, and walk again"
	inspect    = "svc-verify --evidence BUNDLE --trust TRUST --output text: every check of the bundle"
	pin        = "svc-verify trust explain TRUST: what is pinned; collect the missing key from its holder, never from the evidence"
	ingest     = "svc-verify ingest --case FILE PATH: add what is missing, from the node itself if need be"
	reread     = "svc-verify ingest --case FILE PATH: give an undamaged copy of the source as well"
)

var (
	rotated    = []string{"The key was rotated, or the node enrolled, after the trust file was collected."}
	transports = []string{
		"A collector on the way dropped records: a partial success, a full queue, a request that was too large, or a record above a store's limit.",
		"The export was cut by its query: a limit, a time window or a preview.",
		"Retention removed the events: a rotated file, a time to live.",
	}
	stolen = "svc-verify events --case FILE --log {log}: what the log does hold; ask the owner of the log, and take its key for stolen until it is found"
	live   = []string{"The source was copied while it was being written.", "The writer was stopped in the middle of a record."}
	cut    = []string{"The copy of the source broke off.", "The disk was full, or the writer crashed."}
)

var registry = []Entry{
	{HashMismatch, Critical, Rejects, Log, Integrity, Altered, "4.2", "{log}, {events}: the hash is not that of the content: expected {expected}, found {found}", nil, show},
	{HashMismatchLossy, Medium, LeavesOpen, Log, Integrity, Unverified, "4.2", "{log}, {events}: something of the content was lost on the way, so that it does not give its hash: expected {expected}, found {found}",
		[]string{"A transport replaced octets that were not text to it, or took a text for octets."}, ingest},
	{SignatureInvalid, Critical, Rejects, Log, Integrity, Altered, "4.2", "{log}, {events}: the signature does not hold: expected {expected}, found {found}", nil, show},
	{KeyUnknown, High, LeavesOpen, Log, Integrity, Unverified, "3.3", "{log}, {events}: no pinned key to verify it with: expected {expected}, found {found}", rotated, pin},
	{KeyOfOtherNode, Critical, Rejects, Log, Integrity, Altered, "3.3", "{log}, {events}: another node's key stands in this journal: expected {expected}, found {found}", nil, show},
	{AlteredCopy, Critical, Rejects, Source, Integrity, BadCopy, "4.2", "{log}, {events}: a copy was altered, the genuine event is here as well: expected {expected}, found {found}", nil, show},
	{LossyCopy, Info, None, Source, Integrity, NoMark, "", "{log}, {events}: a copy differs from the genuine event, which is here as well, in nothing but what was lost on the way: expected {expected}, found {found}", nil, show},
	{OtherTenant, High, Rejects, Log, Integrity, Altered, "4.1", "{log}, {events}: the log is another tenant's: expected {expected}, found {found}", nil, show},
	{TimeRegression, Medium, None, Log, Integrity, NoMark, "7.13", "{log}, {events}: dated before the event ahead of it: expected {expected}, found {found}",
		[]string{"The node's clock was set back, or had been wrong before."}, show},
	{TimeSkew, Medium, None, Source, Integrity, NoMark, "7.13", "{log}, {events}: dated far from when it was observed: expected {expected}, found {found}",
		[]string{"The node was offline and exported later.", "A clock is wrong."}, around},
	{DuplicateDelivery, Info, None, Source, Integrity, NoMark, "9.1", "{log}, {events}: delivered more than once: expected {expected}, found {found}",
		[]string{"Delivery is at least once: a retry, a replayed queue, or exports that overlap."}, show},
	{Reordered, Info, None, Source, Integrity, NoMark, "9.1", "{log}: records do not stand in the order of their sequences: expected {expected}, found {found}",
		[]string{"Exporters keep no order."}, deliveries},
	{BodyTruncated, High, LeavesOpen, Source, Integrity, NoMark, "9.1", "the body of a record was cut by a store: expected {expected}, found {found}",
		[]string{"The store has a limit on the length of a record."}, ingest},
	{BodyStructured, Medium, None, Source, Integrity, NoMark, "9.1", "{log}, {events}: the body did not arrive as the text that it was: expected {expected}, found {found}",
		[]string{"A collector or store parses bodies."}, around},
	{Ambiguous, High, Rejects, Source, Integrity, BadCopy, "1.1", "two parsers could read two different things in a record: expected {expected}, found {found}", nil, reread},
	{Malformed, High, LeavesOpen, Source, Integrity, NoMark, "4.2", "a record is no event of this format: expected {expected}, found {found}", nil, reread},

	{NotRead, High, LeavesOpen, Source, Completeness, NoMark, "4.2", "a span holds an event that no reader took out of it: expected {expected}, found {found}",
		[]string{"A tool wrapped the events in a way that is not known here."}, reread},

	{LinkBroken, Critical, Rejects, Log, Integrity, Altered, "4.2", "{log}, {events}: does not follow the event before it: expected the previous link {expected}, found {found}", nil, show},
	{SkipBroken, Critical, Rejects, Log, Integrity, Altered, "4.3", "{log}, {events}: the skip link names another history: expected {expected}, found {found}", nil, show},
	{Gap, High, Rejects, Log, Completeness, NoMark, "4.1", "{log}, {events} missing: expected {expected}, found {found}", transports, gaps},
	{GapUnread, Medium, LeavesOpen, Log, Completeness, NoMark, "4.1", "{log}, {events} missing where a span of the source could not be read: expected {expected}, found {found}",
		[]string{"The missing events stand in the span that could not be read."}, reread},
	{Unconnected, Critical, Rejects, Log, Integrity, Altered, "4.1", "{log}, {events}: signed far above the end of the log, and nothing connects it: expected {expected}, found {found}",
		[]string{"The clock was wrong, and the events between are missing."}, show},
	{Fork, Critical, Rejects, Log, Integrity, Forked, "4.2", "{log}, {events}: two signed histories: expected {expected}, found {found}",
		[]string{"The node was restored from a backup and went on from an older state."}, show},
	{Restart, Critical, Rejects, Log, Integrity, Forked, "4.1", "{log}, {events}: the log begins twice: expected {expected}, found {found}",
		[]string{"The node lost its state and began anew under its old id."}, show},
	{HeadMissing, High, LeavesOpen, Log, Completeness, NoMark, "4.1", "{log}, {events} missing at the beginning: expected {expected}, found {found}", transports, ingest},
	{TailTruncated, Critical, Rejects, Log, Completeness, NoMark, "4.1", "{log}, {events} missing at the end: expected {expected}, found {found}", transports, gaps},
	{TailUnread, Medium, LeavesOpen, Log, Completeness, NoMark, "4.1", "{log}, {events} missing at the end, where a span of the source could not be read: expected {expected}, found {found}",
		[]string{"The missing events stand in the span that could not be read.", "The source was copied while it was being written."}, reread},
	{TailUnanchored, Info, None, Log, Completeness, NoMark, "5.1", "{log}, {events}: beyond every anchor that fits, so that nothing vouches for this end of the log: expected {expected}, found {found}",
		[]string{"They are newer than the newest checkpoint or report."}, others},
	{Absent, High, LeavesOpen, Log, Completeness, NoMark, "4.1", "{log}: no event of this log is here: expected {expected}, found {found}",
		[]string{"The log was not collected."}, ingest},
	{Gone, Critical, Rejects, Log, Completeness, NoMark, "4.1", "{log}: nothing is left of a log of which something was given, or that was collected: expected {expected}, found {found}", nil, ingest},
	{Quiet, Info, None, Log, Completeness, NoMark, "", "{log}, {events}: nothing for a long time: expected {expected}, found {found}",
		[]string{"The node was switched off."}, around},
	{IssuedTwice, Critical, Rejects, Log, Integrity, Altered, "4.4", "{log}, {events}: a second issuance for one transaction: expected {expected}, found {found}", nil, show},
	{RevokedTwice, Critical, Rejects, Log, Integrity, Altered, "4.4", "{log}, {events}: a second revocation for one transaction: expected {expected}, found {found}", nil, show},

	{AnchorMismatch, Critical, Rejects, Log, Integrity, Contradicted, "4.4", "{log}, {events}: the history is not the one that was anchored: expected {expected}, found {found}", nil, cross},
	{SplitView, Critical, Rejects, Log, Integrity, Contradicted, "6.3", "{log}, {events}: two anchors contradict each other: expected {expected}, found {found}", nil, cross},
	{CheckpointRollback, Critical, Rejects, Log, Integrity, Contradicted, "5.1", "{log}, {events}: a later checkpoint covers less: expected {expected}, found {found}", nil, others},
	{CheckpointUnderQuorum, Medium, LeavesOpen, Log, Integrity, NoMark, "5.3", "{log}, {events}: the checkpoint has too few witnesses: expected {expected}, found {found}",
		[]string{"Too few nodes were connected when it was exported.", "A witness's key was rotated after the trust file was collected."}, others},
	{CheckpointSignatureInvalid, Critical, Rejects, Log, Integrity, NoMark, "3.3", "{log}, {events}: the checkpoint's signature does not hold: expected {expected}, found {found}", nil, others},
	{CheckpointKeyUnknown, High, LeavesOpen, Log, Integrity, NoMark, "3.3", "{log}, {events}: no pinned key to verify the checkpoint with: expected {expected}, found {found}", rotated, pin},
	{CursorSignatureInvalid, Critical, Rejects, Log, Integrity, NoMark, "3.3", "{log}, {events}: the export cursor's signature does not hold: expected {expected}, found {found}", nil, others},
	{CursorKeyUnknown, High, LeavesOpen, Log, Integrity, NoMark, "3.3", "{log}, {events}: no pinned key to verify the export cursor with: expected {expected}, found {found}", rotated, pin},
	{CursorKeyOfOtherNode, Critical, Rejects, Log, Integrity, NoMark, "3.3", "{log}, {events}: the export cursor is signed by another node: expected {expected}, found {found}", nil, others},
	{ReportHashMismatch, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}, {events}: the reported head is not that of the reported link: expected {expected}, found {found}", nil, show},
	{ReportSignatureInvalid, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}, {events}: the node did not sign the reported head: expected {expected}, found {found}", nil, show},
	{ReportKeyUnknown, High, LeavesOpen, Log, Integrity, NoMark, "4.4", "{log}, {events}: no pinned key to verify the reported head with: expected {expected}, found {found}", rotated, pin},
	{ReportKeyOfOtherNode, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}, {events}: the reported head is signed by another node: expected {expected}, found {found}", nil, show},
	{DocumentMalformed, Medium, LeavesOpen, Source, Integrity, NoMark, "7.1", "a document cannot be read: expected {expected}, found {found}", cut, reread},

	{BundleRejected, High, Rejects, Source, Integrity, NoMark, "8", "a bundle does not verify, and nothing was compared with it: expected {expected}, found {found}", nil, inspect},
	{ApprovalNotInJournal, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}: the node's own journal does not hold an approval in the node's name: expected {expected}, found {found}", nil, stolen},
	{ApprovalDenied, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}, {events}: the node's own journal says that it denied: expected {expected}, found {found}", nil, show},
	{ApprovalNotInLog, High, Rejects, Log, Integrity, NoMark, "4.4", "{log}: an approval that an issuance rests on is not in the tenant log: expected {expected}, found {found}", nil, stolen},
	{ApprovalUnrecorded, Medium, None, Log, Integrity, NoMark, "4.4", "{log}, {events}: an approval that the node signed is not in the tenant log: expected {expected}, found {found}",
		[]string{"The node's answer never reached the service, which asked again or gave the transaction up."}, show},
	{DecisionNotInLog, High, Rejects, Log, Integrity, NoMark, "4.4", "{log}: a decision that an issuance rests on is not in the tenant log: expected {expected}, found {found}", nil, stolen},
	{WitnessNotInJournal, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}: the node's own journal does not hold a witness receipt in the node's name: expected {expected}, found {found}", nil, stolen},
	{CapabilityNotInJournal, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}: the node's own journal does not hold capability evidence in the node's name: expected {expected}, found {found}", nil, stolen},
	{StatementNotCovered, Medium, LeavesOpen, Log, Completeness, NoMark, "4.4", "{log}: what bundles say of its owner cannot be looked up in it: expected {expected}, found {found}",
		[]string{"The log was copied before it was written down there, or was not collected."}, ingest},
	{IssuanceNotInLog, Critical, Rejects, Log, Integrity, NoMark, "8.7", "{log}, {events}: the tenant log does not hold the issuance that a bundle discloses: expected {expected}, found {found}", nil, show},
	{RevocationNotInLog, Critical, Rejects, Log, Integrity, NoMark, "8.20", "{log}, {events}: the tenant log does not hold the revocation that a bundle discloses: expected {expected}, found {found}", nil, show},
	{RevocationWithheld, Critical, Rejects, Log, Integrity, NoMark, "7.11", "{log}, {events}: a bundle says issued of a certificate that the log had revoked: expected {expected}, found {found}", nil, show},
	{IssuedWhilePaused, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}, {events}: issued while issuance was paused: expected {expected}, found {found}", nil, around},
	{ResumeWithoutRequest, Critical, Rejects, Log, Integrity, NoMark, "4.4", "{log}, {events}: issuance was resumed without an open request to do so: expected {expected}, found {found}", nil, around},
	{RecordLate, Critical, Rejects, Log, Integrity, Altered, "13.3", "{log}, {events}: recorded after the issuance that it must come before: expected {expected}, found {found}", nil, around},
	{WithoutTransaction, Critical, Rejects, Log, Integrity, Altered, "13.3", "{log}, {events}: does not say of which transaction it is: expected {expected}, found {found}", nil, show},
	{RecordContradicts, Critical, Rejects, Log, Integrity, Altered, "13.3", "{log}, {events}: contradicts what it records: expected {expected}, found {found}", nil, show},
	{WrongLog, High, Rejects, Log, Integrity, Altered, "13.3", "{log}, {events}: an event of this type stands in another kind of log: expected {expected}, found {found}", nil, show},
	{WitnessOtherHistory, Critical, Rejects, Log, Integrity, Contradicted, "13.4", "{log}, {events}: the node witnessed another history of the tenant log than is here: expected {expected}, found {found}", nil, show},
	{WitnessRegressed, Critical, Rejects, Log, Integrity, Altered, "13.4", "{log}, {events}: the node witnessed less, or another head, than it had witnessed: expected {expected}, found {found}", nil, around},

	{BatchRedelivered, Info, None, Source, Integrity, NoMark, "9.2", "{log}, {events}: batches were delivered again: expected {expected}, found {found}",
		[]string{"The response to the first delivery was lost, and the exporter tried again."}, batches},
	{BatchIDReused, High, None, Source, Integrity, NoMark, "9.2", "{log}, {events}: one batch id stands on different content: expected {expected}, found {found}",
		[]string{"A collector on the way wrote the id onto records of other batches."}, batches},
	{BatchIncomplete, Medium, LeavesOpen, Source, Completeness, NoMark, "9.2", "{log}, {events}: a batch is not the one that its id names: expected {expected}, found {found}", transports[:2], batches},
	{BatchIDAbsent, Info, None, Source, Integrity, NoMark, "9.2", "records came without a batch id: expected {expected}, found {found}",
		[]string{"The collector was not set up to keep request headers."}, batches},
	{SourcePartialTail, Info, LeavesOpen, Source, Integrity, NoMark, "4.5", "the last record of a source is not whole: expected {expected}, found {found}", live, reread},
	{SourceTruncated, High, LeavesOpen, Source, Integrity, NoMark, "", "a source ends too early: expected {expected}, found {found}", cut, reread},
	{SourceTruncatedCompressed, High, LeavesOpen, Source, Integrity, NoMark, "", "compressed data ends too early: expected {expected}, found {found}", cut, reread},
	{SourceTrailingData, High, LeavesOpen, Source, Integrity, NoMark, "", "there are bytes after the end of a message: expected {expected}, found {found}", nil, reread},
	{SourceMultiMember, High, LeavesOpen, Source, Integrity, NoMark, "", "compressed data has more than one member: expected {expected}, found {found}",
		[]string{"Compressed files were concatenated."}, reread},
	{SourceConcatenatedJSON, High, LeavesOpen, Source, Integrity, NoMark, "1.1", "several JSON documents stand in the place of one: expected {expected}, found {found}", nil, reread},
	{SourceUnparseable, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a span of a source could not be read: expected {expected}, found {found}", cut, reread},
	{SourceInvalidUTF8, Medium, LeavesOpen, Source, Integrity, NoMark, "1.1", "a record is not UTF-8: expected {expected}, found {found}",
		[]string{"A collector passed bytes on that its input had wrong."}, reread},
	{SourceLimit, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a record is larger than the limit: expected {expected}, found {found}", nil, reread},
	{SourceUnknownFormat, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a source is of no known format: expected {expected}, found {found}",
		[]string{"The file is no evidence."}, "svc-verify ingest --case FILE --input-format FORMAT PATH"},
	{SourceNoRecord, Info, None, Source, Integrity, NoMark, "", "a source, or a part of it, holds no event by its nature: expected {expected}, found {found}",
		[]string{"The file is of another signal, or an empty export."}, reread},
	{SourceAmbiguous, Medium, LeavesOpen, Source, Integrity, NoMark, "1.1", "a source says something twice, and not the same: expected {expected}, found {found}", nil, reread},
	{SourceUnreadable, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a source could not be read: expected {expected}, found {found}",
		[]string{"The file's permissions, or a bad disk."}, reread},
	{SourceNotRegular, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a source is not a regular file: expected {expected}, found {found}",
		[]string{"A pipe, a device or a socket lies among the files."}, reread},
	{SourceSymlink, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a source is a symbolic link, which is not followed: expected {expected}, found {found}",
		[]string{"The link is for the convenience of whoever keeps the files."}, "svc-verify ingest --case FILE TARGET: give the file that the link names"},
	{SourceDatabase, Medium, LeavesOpen, Source, Integrity, NoMark, "", "a source is a database, which is not opened lest it be changed: expected {expected}, found {found}", nil,
		"svc-verify ingest --case FILE PATH: give an export of its content"},
	{SourceDisagrees, High, Rejects, Source, Completeness, NoMark, "", "{log}, {events}: one store lacks what another one has: expected {expected}, found {found}", transports, gaps},
	{JournalLacks, High, Rejects, Source, Completeness, NoMark, "13.6", "{log}, {events}: the log's own journal lacks what another source has: expected {expected}, found {found}",
		[]string{"Somebody removed the beginning of the journal to make room.", "The file is no journal, but a part of what a store exported: --store names it as one."}, gaps},
	{JournalEndsEarly, Info, None, Source, Completeness, NoMark, "13.6", "{log}, {events}: the log's own journal ends before what another source has: expected {expected}, found {found}",
		[]string{"The journal was copied before these events were written.", "The end of the journal was cut off."}, others},
	{SourceAltered, Critical, Rejects, Source, Integrity, NoMark, "4.2", "{log}, {events}: one store holds altered events, another one the genuine: expected {expected}, found {found}", nil, around},
	{SourceChanged, High, LeavesOpen, Source, Integrity, NoMark, "", "a source is no longer what it was: expected {expected}, found {found}", live[:1], reread},
	{LimitReached, Medium, LeavesOpen, Log, Completeness, NoMark, "", "{log}: the walk stopped at a limit: expected {expected}, found {found}", nil, "svc-verify walk --case FILE --trust TRUST --since-last"},
	{NothingExamined, High, LeavesOpen, Source, Integrity, NoMark, "", "nothing was examined: expected {expected}, found {found}", nil, ingest},
}
