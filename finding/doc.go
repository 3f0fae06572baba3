// Package finding holds what the forensic half can say about evidence: one
// [Finding] for each thing that is wrong or worth knowing, and the registry of
// all its codes.
//
// A finding is data, never an error. Its code has the form <thing>.<defect>
// and fixes everything else that is known beforehand: how severe it is, what it
// does to a verdict, the sentence that says it in words, what may explain it
// without anybody having done wrong, and what to do next. What differs from
// case to case (where, what was expected, what was found) is in the finding.
//
// Codes are only ever added: one that was published is never renamed, removed
// or given another meaning.
package finding
