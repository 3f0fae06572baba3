package finding

// The codes of an object of an archive that cannot be judged by what is in it.
const (
	CaseDamaged   Code = "archive.case-damaged"
	CaseUnread    Code = "archive.case-unread"
	CaseUnsettled Code = "archive.case-unsettled"
)

var objects = []Entry{
	{Code: CaseDamaged, Severity: Critical, Effect: Rejects, Subject: Source,
		Sentence: "the case is damaged, or was altered",
		Arises: "A file that begins as a case has rows that contradict each other, pages that make no table, or a " +
			"schema that svc-verify never makes.",
		Explanations: []string{"The copy broke off, or the disk lost a part.", "Someone edited the case."},
		Next:         "Take the case from another copy, or ingest its sources into a new case."},
	{Code: CaseUnread, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "the case could not be walked",
		Arises: "A later version of svc-verify made the case, it refers to lines that are in other files " +
			"(--by-reference), or reading it failed.",
		Explanations: []string{"The program is older than the one that made the case."},
		Next:         "Ingest the sources into a new case without --by-reference, or use the svc-verify that made it."},
	{Code: CaseUnsettled, Severity: Medium, Effect: LeavesOpen, Subject: Source,
		Sentence: "it has pages of a case that was not closed, which the case beside it lacks",
		Arises: "SQLite keeps a write-ahead log or a rollback journal beside a database until that is closed. " +
			"The database alone is then not what its user saw.",
		Explanations: []string{"The case was copied while a command was writing to it, or that command was killed."},
		Next: "svc-verify walk --case FILE --trust TRUST: on a copy of both, which makes the case one file; " +
			"archive that."},
}
