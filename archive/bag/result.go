package bag

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// ResultSchema names the JSON form of a [Result].
const ResultSchema = "svc-verify/archive-bag/v1"

// Result is the result of checking a bag.
type Result struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []string      `json:"not_examined"` // sentences
	Version     string        `json:"bagit_version"`
	Algorithms  []string      `json:"algorithms"` // of the payload manifests that were compared, the strongest first
	Payload     Payload       `json:"payload"`
	TagFiles    int64         `json:"tag_files"`          // in a tag manifest, with their digest
	Info        []Tag         `json:"info"`               // of bag-info.txt: the sender's information
	Evidence    *Evidence     `json:"evidence,omitempty"` // absent without a trust file

	Findings     []finding.InDocument `json:"findings"` // the worst first
	MoreFindings int64                `json:"more_findings"`

	place string   // the bag as it was given
	files []string // of the payload, by name
	found Found
}

// Payload counts the files below data/ and their bytes. A file is intact if it has every digest.
type Payload struct {
	Files  int64 `json:"files"`
	Octets int64 `json:"octets"`
	Intact int64 `json:"intact"`
}

// Found collects the findings about a bag, or about an export to one.
type Found struct {
	all  []finding.InDocument // up to a limit
	more int64                // that are not kept
}

// Say adds a finding: the sentence of its code, and a detail. Line is a line number in the
// file, or 0.
func (f *Found) Say(code finding.Code, name string, line int, detail string) {
	if len(f.all) == maxFindings {
		f.more++
		return
	}
	one := finding.OfObject(code, object.PathText(name), name, detail)
	one.Line = line
	f.all = append(f.all, one)
}

// Any reports whether there is a finding.
func (f *Found) Any() bool { return len(f.all) > 0 }

// Prevents reports whether a finding prevents a bag. One that leaves the answer open does not: a lost history is one.
func (f *Found) Prevents() bool {
	return slices.ContainsFunc(f.all, func(one finding.InDocument) bool {
		return object.ClassOf(one.Code) != outcome.Inconclusive
	})
}

// Conclude orders the findings, the worst first, and returns the verdict, the first of
// them, and how many more there are.
func (f *Found) Conclude(order func(a, b *finding.InDocument) int) (outcome.Class, []finding.InDocument, int64) {
	slices.SortStableFunc(f.all, func(a, b finding.InDocument) int {
		return cmp.Or(cmp.Compare(rankOf(&a), rankOf(&b)), order(&a, &b))
	})
	first := append([]finding.InDocument{}, f.all[:min(len(f.all), shown)]...)
	return object.WorstOf(f.all), first, f.more + int64(len(f.all)-len(first))
}

func rankOf(f *finding.InDocument) int {
	return slices.Index(outcome.Classes(), object.ClassOf(f.Code))
}

// ReasonOf returns the first finding as a sentence, and how many there are; "" for none.
func ReasonOf(first []finding.InDocument, more int64) string {
	switch n := int64(len(first)) + more; {
	case n > 1:
		return fmt.Sprintf("%s, the first: %s", safetext.Count(n, "finding"), first[0].Message)
	case n == 1:
		return first[0].Message
	}
	return ""
}

// shown is how many findings a result has; all are counted.
const shown = 100

// conclude orders the findings and decides.
func (r *Result) conclude(f *Found) {
	r.Verdict, r.Findings, r.MoreFindings = f.Conclude(func(a, b *finding.InDocument) int {
		return cmp.Or(cmp.Compare(codeRank(a.Code), codeRank(b.Code)), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line))
	})
	if r.Evidence != nil {
		r.Verdict = outcome.Worst(r.Verdict, r.Evidence.Verdict)
	}
	r.found = *f
}

// codeRank is the place of a code in the text of the codes.
func codeRank(code finding.Code) int {
	entry, _ := finding.Lookup(code)
	return entry.Order
}

// Reason explains in one sentence why the bag is not verified.
func (r *Result) Reason() string {
	if why := ReasonOf(r.Findings, r.MoreFindings); why != "" {
		return why
	}
	if r.Evidence != nil && r.Evidence.Verdict != outcome.Verified {
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

// Report returns the result as the value that report forms are made from. Its items
// are the files of the payload, and all other names that something is wrong with.
func (r *Result) Report() *outcome.Report {
	run := outcome.Run{Command: "svc-verify archive verify", Verdict: r.Verdict, NotExamined: r.NotExamined,
		Counts: []answer.Count{
			{What: "payload files", N: r.Payload.Files},
			{What: "octets", N: r.Payload.Octets},
			{What: "intact", N: r.Payload.Intact},
			{What: "tag files compared", N: r.TagFiles},
			{What: "findings", N: int64(len(r.Findings)) + r.MoreFindings},
		}}
	wrong := map[string][]outcome.Problem{}
	for i := range r.found.all {
		f := &r.found.all[i]
		p := outcome.Problem{Code: f.Code, Class: object.ClassOf(f.Code), Message: f.Message}
		if f.Path == "" {
			run.Problems = append(run.Problems, p)
			continue
		}
		wrong[f.Path] = append(wrong[f.Path], p)
	}
	if e := r.Evidence; e != nil {
		run.TrustSHA256 = e.TrustSHA256
		run.Counts, run.Problems = append(run.Counts, e.Statuses.Counts()...), append(e.KeyProblem(), run.Problems...)
		for _, o := range e.all {
			wrong[o.Name] = append(wrong[o.Name],
				outcome.Problem{Code: o.Code, Class: o.Verdict, Path: o.Pointer, Message: o.Reason})
		}
	}
	return &outcome.Report{Run: run, Lines: r.WriteLines,
		Items: func() iter.Seq2[outcome.Item, error] { return r.items(wrong) }}
}

// WriteLines writes every finding as a line of JSON. The list in the result has a limit;
// the lines have none.
func (r *Result) WriteLines(w io.Writer) error {
	for i := range r.found.all {
		if err := answer.JSONLine(w, &r.found.all[i]); err != nil {
			return err
		}
	}
	return nil
}

// items yields all names, in ascending order.
func (r *Result) items(wrong map[string][]outcome.Problem) iter.Seq2[outcome.Item, error] {
	return func(yield func(outcome.Item, error) bool) {
		names := slices.AppendSeq(slices.Clone(r.files), maps.Keys(wrong))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			item := outcome.Item{Name: name, Place: outcome.Place{File: r.place, Entry: name}, Class: outcome.Verified,
				Problems: wrong[name]}
			item.Class = item.Verdict()
			if e := r.Evidence; e != nil && e.facts[name] != nil {
				item.Proof, item.About = e.facts[name].Say()
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}
