// Package finding is the vocabulary for faults of evidence.
//
// A [Finding] is data, never an error. Its code has the form <thing>.<defect> and fixes
// everything else that is known beforehand, in an [Entry]: its severity, its effect on a
// verdict, its sentence, other explanations in which no one did anything wrong, and the next
// step. The parts that vary (the place, the expected and the found value) are in the finding.
//
// All codes are in one text, codes.txt, which is embedded and parsed when it is
// first needed. Constants of the codes are generated from it into the packages that
// find them: go generate ./finding.
package finding

//go:generate go test . -run TestConstants$ -update
