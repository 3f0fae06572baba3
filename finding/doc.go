// Package finding is the vocabulary for what is wrong with evidence.
//
// A [Finding] is data, never an error. Its code has the form <thing>.<defect>
// and fixes everything else that is known beforehand, in an [Entry]: how severe
// it is, what it does to a verdict, the sentence that says it in words, what may
// explain it although no one did anything wrong, and what to do next. What
// differs from case to case (the place, what was expected, what was found) is in
// the finding.
//
// All codes are in one text, codes.txt, which is embedded and parsed when it is
// first needed. Constants of the codes are generated from it into the packages that
// find them: go generate ./finding.
package finding

//go:generate go test . -run TestConstants$ -update
