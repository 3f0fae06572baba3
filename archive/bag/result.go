package bag

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// ResultSchema names the JSON form of a [Result].
const ResultSchema = "svc-verify/archive-bag/v1"

// Result is what the check of a bag came to.
type Result struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []string      `json:"not_examined"` // sentences
	Version     string        `json:"bagit_version"`
	Algorithms  []string      `json:"algorithms"` // of the payload manifests that were compared, the strongest first
	Payload     Payload       `json:"payload"`
	TagFiles    int64         `json:"tag_files"`          // in a tag manifest, with their digest
	Info        []Tag         `json:"info"`               // of bag-info.txt: what the sender says
	Evidence    *Evidence     `json:"evidence,omitempty"` // absent without a trust file

	Findings     []finding.InDocument `json:"findings"` // the worst first
	MoreFindings int64                `json:"more_findings"`

	place string               // the bag as it was given
	files []string             // of the payload, by name
	all   []finding.InDocument // up to a limit
}

// Payload counts the files below data/ and their octets. Intact are those that have
// every digest.
type Payload struct {
	Files  int64 `json:"files"`
	Octets int64 `json:"octets"`
	Intact int64 `json:"intact"`
}

// ClassOf returns what a finding makes of a bag, or of an export to one.
func ClassOf(f *finding.InDocument) outcome.Class {
	if f.Code == Unreadable {
		return outcome.Unreadable
	}
	return outcome.ClassOf(f.Code)
}

// shown is how many findings the result has; all are counted.
const shown = 100

// conclude orders the findings and decides.
func (r *Result) conclude(all []finding.InDocument, more int64) {
	slices.SortStableFunc(all, func(a, b finding.InDocument) int {
		order := slices.Index(outcome.Classes(), ClassOf(&a)) - slices.Index(outcome.Classes(), ClassOf(&b))
		if order != 0 {
			return order
		}
		if order = codeRank(a.Code) - codeRank(b.Code); order != 0 {
			return order
		}
		if order = strings.Compare(a.Path, b.Path); order != 0 {
			return order
		}
		return a.Line - b.Line
	})
	r.Verdict = outcome.Verified
	for i := range all {
		r.Verdict = outcome.Worst(r.Verdict, ClassOf(&all[i]))
	}
	if r.Evidence != nil {
		r.Verdict = outcome.Worst(r.Verdict, r.Evidence.Verdict)
	}
	r.all = all
	r.MoreFindings = more + int64(max(0, len(all)-shown))
	r.Findings = append([]finding.InDocument{}, all[:min(len(all), shown)]...)
}

// codeRank is the place of a code in the text of the codes.
func codeRank(code finding.Code) int {
	entry, _ := finding.Lookup(code)
	return entry.Order
}

// Reason says in one sentence why the bag is not verified.
func (r *Result) Reason() string {
	switch {
	case len(r.Findings) > 1:
		return fmt.Sprintf("%s, the first: %s", safetext.Count(int64(len(r.Findings))+r.MoreFindings, "finding"),
			r.Findings[0].Message)
	case len(r.Findings) == 1:
		return r.Findings[0].Message
	case r.Evidence != nil && r.Evidence.Verdict != outcome.Verified:
		return r.Evidence.reason()
	}
	return ""
}

// UnknownKeys returns the keys that the trust file lacks for the evidence in the bag; it may be nil.
func (r *Result) UnknownKeys() *verify.UnknownKeys {
	if r.Evidence == nil {
		return nil
	}
	return r.Evidence.UnknownKeys
}
