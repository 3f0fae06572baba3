// Package finding is the vocabulary for what is wrong with evidence.
//
// A [Finding] is data, never an error. Its code has the form <thing>.<defect>
// and fixes everything else that is known beforehand, in an [Entry]: how severe
// it is, what it does to a verdict, the sentence that says it in words, what may
// explain it although no one did anything wrong, and what to do next. What
// differs from case to case (the place, what was expected, what was found) is in
// the finding.
//
// A code is declared beside its entry, in the file of what it is about: events,
// how they are chained, anchors, statements about the same thing, sources. Other
// packages find, and name these codes.
//
// Codes are only ever added: one that was published is never renamed, removed
// or given another meaning.
package finding
