package finding

// The codes of what is wrong with an archive, with one of its objects, and with its
// ledger. An object whose evidence is bad has the code of that evidence instead.
const (
	ArchiveGone            Code = "archive.gone"
	ArchiveEmpty           Code = "archive.empty"
	ArchiveMissing         Code = "archive.missing"
	ArchiveAltered         Code = "archive.altered"
	ArchiveReplaced        Code = "archive.replaced"
	ArchiveReplacedByOther Code = "archive.replaced-by-other"
	ArchiveVerdictLost     Code = "archive.verdict-lost"
	ArchiveUnreadable      Code = "archive.unreadable"
	ArchiveStale           Code = "archive.stale"
	ArchiveNotJudged       Code = "archive.not-judged"
	LedgerAltered          Code = "ledger.altered"
	LedgerForeign          Code = "ledger.foreign"
	LedgerOtherRun         Code = "ledger.other-run"
)

const (
	accepted = "Compare it with a copy. If the change was meant: svc-verify archive accept PATH --digest D " +
		"--reason R --by NAME."
	logbook = "svc-verify archive log --ledger LEDGER: when it was read last, and what became of it."
)

var checks = []Entry{
	{Code: ArchiveGone, Severity: Critical, Subject: Source,
		Sentence: "the archive, or most of it, is gone",
		Arises: "The folder is absent or empty, or more than half of the objects that the ledger knows are no longer " +
			"there. Nothing was changed in the ledger.",
		Explanations: []string{"The disk is not mounted, or the folder is another one."},
		Next:         "Check the folder. If so much was removed on purpose, begin a new ledger and keep the old one."},
	{Code: ArchiveEmpty, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "no object was read",
		Arises:   "The folder has no object, or none of them could be read or was reached.",
		Next:     "Check the folder and the budget. A run that read nothing is no success."},
	{Code: ArchiveMissing, Severity: Critical, Subject: Source,
		Sentence: "an object is no longer there",
		Arises:   "The ledger has the object, and neither its path nor a new one has its octets.",
		Next:     "Restore it from a copy. " + logbook},
	{Code: ArchiveAltered, Severity: Critical, Subject: Source,
		Sentence: "an object has other octets than before",
		Arises: "The digest is another one, and the octets do not verify. If size and time of the file stayed, " +
			"bit rot is likely.",
		Explanations: []string{"The storage returned other octets than were written."},
		Next:         accepted},
	{Code: ArchiveReplaced, Severity: Medium, Effect: None, Subject: Source,
		Sentence: "an object was replaced by another one that verifies",
		Arises:   "The octets are other ones, and prove something about the same transaction, no earlier than before.",
		Next:     accepted},
	{Code: ArchiveReplacedByOther, Severity: Critical, Subject: Source,
		Sentence: "an object was replaced by evidence about something else",
		Arises: "The octets are other ones and verify, but they are about another tenant or transaction, or about an " +
			"earlier time, or do not say what they are about.",
		Next: accepted},
	{Code: ArchiveVerdictLost, Severity: Critical, Subject: Source,
		Sentence: "an object was verified, and no longer is",
		Arises:   "The trust file, the policy or the version of the rules is another one, or the object grew.",
		Next:     "svc-verify trust diff OLD NEW: what is different in the trust file. " + logbook},
	{Code: ArchiveUnreadable, Severity: High, Effect: LeavesOpen, Subject: Source,
		Sentence: "an object could not be read",
		Arises: "The system returned an error twice, or the name is a link, a device or a pipe, or the file " +
			"changed while it was read.",
		Next: "Make it readable, and check again: it is read first."},
	{Code: ArchiveStale, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "an object was not read for too long, or never",
		Arises:   "Its last reading is older than --max-age, or it is new and the run ended before it was reached.",
		Next:     "Give a larger --budget or --sample, or check more often."},
	{Code: ArchiveNotJudged, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "the verdict on an object is from another trust file, policy or version of the rules",
		Arises:   "The object was not read in this run, so that it was not verified again.",
		Next:     "Check without --budget and --sample."},
	{Code: LedgerAltered, Severity: Critical, Subject: Source,
		Sentence: "the ledger was changed by something else than svc-verify",
		Arises:   "A row does not have the code that your key gives it, or rows were added, removed or put back.",
		Next:     "Restore the ledger from a copy, and hold it to the digest of its newest run with --expect-run."},
	{Code: LedgerForeign, Severity: High, Effect: LeavesOpen, Subject: Source,
		Sentence: "the ledger is under another user's key",
		Arises: "Someone else made it, or your key is another one than before. No verdict in it is used, and " +
			"nothing is recorded.",
		Next: "Check as its owner, or take it over with --adopt and --expect-run."},
	{Code: LedgerOtherRun, Severity: Critical, Subject: Source,
		Sentence: "the newest run of the ledger is not the one that was expected",
		Arises:   "The ledger was put back to an earlier state, is another one, or was used since.",
		Next:     "svc-verify archive log --ledger LEDGER: whether the expected run is in it, and what came after it."},
}
