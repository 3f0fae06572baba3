package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// Code names a defect. Those of form (json.*, form.*) and of signatures
// (signature.*) are declared by the packages that find them.
type Code = finding.Code

// NothingShown is the code of a verdict without any finding.
const NothingShown Code = "verdict.nothing-shown"

// Codes returns the entries of all codes in the order of the check list. In a
// sentence, {path}, {expected} and {found} stand for the values of a finding.
func Codes() []finding.Entry { return slices.Clone(registryOfCodes) }

// Lookup returns the entry of a code.
func Lookup(code Code) (finding.Entry, bool) { return registryOfCodes.Lookup(code) }

// registryOfCodes has the entries of all checks. An entry is of the check's section if it
// names none, and says no more than the place if it has no sentence.
var registryOfCodes = func() finding.Registry {
	var all []finding.Entry
	for _, c := range list {
		for _, e := range c.defects {
			e.Check = string(c.id)
			e.Spec = cmp.Or(e.Spec, c.spec)
			e.Sentence = cmp.Or(e.Sentence, "{path}")
			all = append(all, e)
		}
	}
	return finding.NewRegistry(append(all, finding.Entry{Code: NothingShown, Spec: "8",
		Sentence: "nothing was shown", Arises: "No check failed, but not every check ran.", Next: rebuild}))
}()

// Sentence returns the finding in words. Text of the evidence in it is safe to
// show, and cut.
func (f Finding) Sentence() string {
	entry, _ := Lookup(f.Code)
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

// What to do next, which several defects share.
const (
	rebuild = "Export the bundle again from the service. " +
		"If it has the same defect, report it to the service's operator with the digests of both files."
	suspect = "Treat the bundle as forged or damaged until its origin is known. " +
		"Keep it unchanged, with the digests that the report shows."
	askNode = "Ask the node's operator whether that node really signed this, and compare with the node's own journal."
	pinOnly = "Compare the trust file with keys and pins collected independently (svc-verify trust fingerprint). " +
		"Never copy a key out of a bundle."
)
