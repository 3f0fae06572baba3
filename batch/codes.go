package batch

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// The codes of what is wrong with an entry as a whole, and with the set.
const (
	EntryUnreadable finding.Code = "entry.unreadable"
	EntryForeign    finding.Code = "entry.not-a-bundle"
	SetCount        finding.Code = "set.count"
	SetMissing      finding.Code = "set.missing"
	SetUnexpected   finding.Code = "set.unexpected"
	SetEmpty        finding.Code = "set.empty"
)

// entries says what each code of a batch is.
var entries = finding.NewRegistry([]finding.Entry{
	{Code: EntryUnreadable, Severity: finding.Medium, Effect: finding.LeavesOpen, Subject: finding.Source,
		Sentence: "an entry could not be read",
		Arises:   "A file vanished, may not be read, is no regular file, or is a container that is damaged.",
		Next:     "Give a copy that can be read, and run the batch again."},
	{Code: EntryForeign, Severity: finding.Medium, Subject: finding.Source,
		Sentence: "an entry is no proof bundle",
		Arises:   "The entry does not claim to be a bundle: it is another document or another kind of file.",
		Next:     "If it belongs there, leave it out by name with --only; the report counts what was left out."},
	{Code: SetCount, Severity: finding.High, Subject: finding.Source,
		Sentence: "there is another number of entries than was asked for",
		Arises:   "Entries are missing, or there are more than --expect says. Copies of one entry count once.",
		Next:     "Look for the entries that are missing or too many; --expect-transactions names them."},
	{Code: SetMissing, Severity: finding.High, Subject: finding.Source,
		Sentence: "an entry that was asked for is not there",
		Arises: "No entry has the digest, or no verified bundle is about the transaction. " +
			"A bundle that does not verify is about no transaction.",
		Next: "Find the entry, and look among the rejected ones."},
	{Code: SetUnexpected, Severity: finding.High, Subject: finding.Source,
		Sentence: "an entry that was not asked for is there",
		Arises:   "The list of what is expected does not have the entry.",
		Next:     "Find out who put it there, or add it to the list."},
	{Code: SetEmpty, Severity: finding.Medium, Effect: finding.LeavesOpen, Subject: finding.Source,
		Sentence: "there was nothing to verify",
		Arises:   "The paths hold no entry, or --only left every one of them out.",
		Next:     "Check the paths. A run that verified nothing is no success."},
})

// Codes returns the entries of all codes of a batch.
func Codes() []finding.Entry { return slices.Clone(entries) }
