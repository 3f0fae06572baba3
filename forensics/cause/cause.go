package cause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// Cause is a probable cause of findings. Logs, Stores and KeyIDs are its subjects, each
// ascending. A store is one of the comparison or, if none is known, a source. Sources are the
// files in which its effects were found. Findings are the indexes of the findings that follow
// from it, ascending, in the list that was given to Find.
type Cause struct {
	Code     Code     `json:"code"`
	Message  string   `json:"message"`
	Logs     []string `json:"logs"`
	Stores   []string `json:"stores"`
	Sources  []string `json:"sources"`
	KeyIDs   []string `json:"key_ids"`
	Sequence uint64   `json:"sequence"` // where to look first, 0 for nowhere
	For      []string `json:"for"`
	Against  []string `json:"against"`
	// Candidates lists the possible culprits; none if no one need have done anything.
	Candidates []Candidate `json:"candidates"`
	Findings   []int       `json:"findings"`
	Next       string      `json:"next"`
}

// Facts are the facts that causes are weighed by. Compared is nil if the sources
// were not compared.
type Facts struct {
	Walk     *walk.Result
	Saw      walk.Facts
	Compared *crosscheck.Result
	Findings []finding.Finding
	Root     *trust.Root
}

// Follow describes the findings that follow from a cause. The list must be the one that its
// indexes refer to.
func (c Cause) Follow(findings []finding.Finding) string {
	counts := map[finding.Code]int{}
	for _, i := range c.Findings {
		if i >= 0 && i < len(findings) {
			counts[findings[i].Code]++
		}
	}
	var words []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		word := string(code)
		if n := counts[code]; n > 1 {
			word += fmt.Sprintf(" (%d)", n)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// Moved returns the causes for another list of the same findings; at maps old
// indexes to new ones. Causes without a finding in the new list are omitted.
func Moved(all []Cause, at map[int]int) []Cause {
	moved := []Cause{}
	for _, c := range all {
		if c.Findings = movedFindings(c.Findings, at); len(c.Findings) > 0 {
			moved = append(moved, c)
		}
	}
	return moved
}

// movedFindings returns the indexes of findings in another list of them, ascending, without
// those that it does not have.
func movedFindings(findings []int, at map[int]int) []int {
	places := []int{}
	for _, i := range findings {
		if to, ok := at[i]; ok {
			places = append(places, to)
		}
	}
	slices.Sort(places)
	return places
}

// mostOfKind bounds the causes of one code that are listed apart. Those beyond are listed as
// one.
const mostOfKind = 16

// Find returns the causes that the facts support, the one that explains most
// first.
func Find(f Facts) []Cause {
	w := newWeigher(f)
	w.apply()
	for _, d := range w.found {
		d.severity, d.deciding = w.severity(d), w.deciding(d)
	}
	slices.SortStableFunc(w.found, compareCauses)
	causes := []Cause{}
	for _, c := range w.bounded() {
		causes = append(causes, w.writeCause(c))
	}
	return causes
}

// apply goes through the rules in order: findings that an earlier rule explains are
// left alone by those that explain whatever is left.
func (w *weigher) apply() {
	keys, absent := pinning{w, map[signerName]bool{}}, missing{w}
	for _, rule := range []func(){
		keys.foreign, keys.weighKeys, w.weighRegistries, w.renamed, w.far, w.histories, w.weighAbsent, absent.selected,
		w.lossy, w.unread,
		w.ends, w.weighAltered, w.misused, absent.deleted,
	} {
		rule()
	}
}

// draft is a cause before it is written.
type draft struct {
	code              Code
	what              string // of the events of the logs; "" for events
	logs, stores      []string
	sources, keys     []string
	sequence          uint64
	reasons, contrary []string
	candidates        []Candidate
	support           int // how many more of these are about the cause itself for it than against it
	findings          []int
	severity          int // the rank of the gravest of them
	deciding          int // how many of the findings have an effect on the verdict
}

func (d *draft) speaksFor(fact string) {
	d.reasons = append(d.reasons, safetext.Line(fact))
	d.support++
}

func (d *draft) speaksAgainst(fact string) {
	d.contrary = append(d.contrary, safetext.Line(fact))
	d.support--
}

// compareCauses orders causes: by the gravest finding, by the findings that decide a verdict,
// by the facts that speak for them, and by all findings. Files that are no evidence come last.
func compareCauses(a, b *draft) int {
	return cmp.Or(cmp.Compare(a.severity, b.severity), cmp.Compare(b.deciding, a.deciding),
		cmp.Compare(b.support, a.support),
		cmp.Compare(len(b.findings), len(a.findings)), cmp.Compare(a.code.Entry().Order, b.code.Entry().Order),
		slices.Compare(a.logs, b.logs), slices.Compare(a.stores, b.stores), slices.Compare(a.keys, b.keys))
}

// severity is the rank of the gravest finding of a cause that has an effect on the
// verdict: whether it rejects, and its severity. A file that is no evidence is last.
func (x *findingIndex) severity(d *draft) int {
	least := 2 * len(finding.Severities())
	for _, i := range d.findings {
		f := x.Findings[i]
		entry := f.Code.Entry()
		rank := f.Severity.Rank()
		if entry.Effect != finding.Rejects {
			rank += len(finding.Severities())
		}
		if entry.Effect != finding.None && !entry.Foreign {
			least = min(least, rank)
		}
	}
	return least
}

// deciding counts the findings of a cause that have an effect on the verdict.
func (x *findingIndex) deciding(d *draft) int {
	n := 0
	for _, i := range d.findings {
		if x.Findings[i].Effect() != finding.None {
			n++
		}
	}
	return n
}

// bounded makes one cause of those beyond the bound of their code. Its lists are put in
// order when it is written.
func (w *weigher) bounded() []*draft {
	var all []*draft
	of := map[Code][]*draft{}
	for _, d := range w.found {
		if of[d.code] = append(of[d.code], d); len(of[d.code]) <= mostOfKind {
			all = append(all, d)
			continue
		}
		last := of[d.code][mostOfKind-1]
		last.logs, last.stores, last.keys = append(last.logs, d.logs...), append(last.stores, d.stores...),
			append(last.keys, d.keys...)
		last.sources, last.findings = append(last.sources, d.sources...), append(last.findings, d.findings...)
	}
	return all
}

// merged returns the elements of some lists, ascending and once each; never nil.
func merged[T cmp.Ordered](lists ...[]T) []T {
	all := append([]T{}, slices.Concat(lists...)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// writeCause writes a cause.
func (x *index) writeCause(d *draft) Cause {
	c := Cause{Code: d.code, Logs: merged(d.logs), Stores: merged(d.stores), Sources: merged(d.sources),
		KeyIDs: merged(d.keys), Sequence: d.sequence, For: append([]string{}, d.reasons...),
		Against: append([]string{}, d.contrary...), Findings: merged(d.findings)}
	where := c.Sources
	if len(where) == 0 || len(where) > mostNamed {
		where = c.Stores
	}
	values := []string{"{logs}", joinNames(c.Logs, "the evidence"), "{stores}", joinNames(where, "the evidence"),
		"{keys}", joinNames(c.KeyIDs, "no key is pinned"), "{what}", cmp.Or(d.what, "events")}
	c.Message = finding.Fill(d.code.Entry().Sentence, values...)
	c.Candidates = d.candidates
	for _, who := range candidatesOf(d) {
		c.Candidates = append(c.Candidates, Candidate{Who: finding.Fill(who, values...)})
	}
	c.Next = x.nextStep(d)
	return c
}

// mostNamed bounds the names in a sentence.
const mostNamed = 4

// joinNames writes names for people, safe to show.
func joinNames(names []string, none string) string {
	var words []string
	for _, name := range names[:min(len(names), mostNamed)] {
		words = append(words, safetext.Quote(name))
	}
	switch more := len(names) - len(words); {
	case len(names) == 0:
		return none
	case more > 0:
		return strings.Join(words, ", ") + " and " + strconv.Itoa(more) + " more"
	case len(words) > 1:
		return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
	}
	return words[0]
}
