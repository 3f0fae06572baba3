package verify

import (
	"cmp"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// Code names a defect. The constants of the form (json.*, form.*) and of signatures
// (signature.*) are in the packages that find them.
type Code = finding.Code

// Sentence returns the finding in words. Text of the evidence in it is safe to
// show, and cut.
func (f Finding) Sentence() string {
	entry, _ := finding.Lookup(f.Code)
	return finding.Fill(entry.Text(),
		"{path}", cmp.Or(f.Path, "the document"), "{expected}", f.Expected, "{found}", f.Found)
}

// Remark returns the finding in words for a reader who sees its place beside them:
// the sentence without the pointer with which most sentences begin.
func (f Finding) Remark() string {
	sentence := f.Sentence()
	if rest, ok := strings.CutPrefix(sentence, f.Path); ok && f.Path != "" {
		sentence = strings.TrimLeft(rest, ": ")
	}
	return sentence
}
