package contradiction

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/verify"
)

// faults has the codes of files that are not verified.
var faults = finding.NewRegistry([]finding.Entry{
	{Code: Malformed, Spec: "14.4",
		Sentence: "the file is no contradiction file",
		Arises: "A contradiction file has one spelling. This one was cut, altered or written by another program, " +
			"or the digest of a bundle in it is wrong.",
		Next: again},
	{Code: NotProven, Spec: "14.4",
		Sentence: "a bundle of the contradiction does not verify",
		Arises:   "Nothing follows from a bundle that does not verify: anyone could have made it.",
		Next: "Verify it by itself, under the trust file of its tenant and time: " +
			"svc-verify --evidence BUNDLE --trust TRUST --output text."},
	{Code: NotShown, Spec: "14.4",
		Sentence: "the bundles do not contradict each other in this way",
		Arises:   "Both bundles verify, and the rule gives no contradiction, or another one than the file names.",
		Next:     again},
})

const again = "Have svc-verify batch write the file again, from the bundles themselves."

// Faults returns the entries of the codes of files that are not verified. Those of
// empty and too large files are package verify's.
func Faults() []finding.Entry { return slices.Clone(faults) }

// Lookup returns the entry of a code that a [Fault] can have.
func Lookup(code Code) (finding.Entry, bool) {
	if code == ijson.CodeEmpty || code == form.TooLarge {
		return verify.Lookup(code)
	}
	return faults.Lookup(code)
}

// The limitations of a proven contradiction. The first is its own; the others
// are of the bundles, and bear on who could have signed them.
const (
	holderNotShown Code = "key-holder-not-shown"
	retiredKeys    Code = "retired-keys"
	legacy         Code = "legacy-checkpoint"
	legacyBefore   Code = "legacy-before-not-given"
)

var limitationEntries = finding.Registry{
	{Code: holderNotShown, Spec: "14.3",
		Sentence: "The keys signed both sides. Nothing shows who held them: their owners, or a thief.",
		Arises:   "A signature shows that a key was used, and not by whom.",
		Next:     "Ask the owners of the keys, with both bundles, and take the keys for stolen until it is clear."},
}

// Limitations returns the entries of the limitations that only a contradiction
// has.
func Limitations() []finding.Entry { return slices.Clone(limitationEntries) }

// limitations lists what a contradiction of two bundles does not prove.
func limitations(reports []*verify.Report) []verify.Limitation {
	all := []verify.Limitation{{Code: holderNotShown, Sentence: limitationEntries[0].Sentence}}
	for _, code := range []Code{retiredKeys, legacy, legacyBefore} {
		for _, r := range reports {
			i := slices.IndexFunc(r.Limitations, func(l verify.Limitation) bool { return l.Code == code })
			if i >= 0 {
				all = append(all, r.Limitations[i])
				break
			}
		}
	}
	return all
}
