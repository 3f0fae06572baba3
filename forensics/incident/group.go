package incident

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// finder makes the incidents of one case.
type finder struct {
	Facts
	logs     map[facts.Log]walk.LogResult
	presence map[facts.Log]crosscheck.Log
	words    map[facts.Log]walk.Word // the nodes' witness statements about a tenant log
}

func newFinder(f Facts) *finder {
	x := &finder{Facts: f, logs: map[facts.Log]walk.LogResult{}, presence: map[facts.Log]crosscheck.Log{},
		words: map[facts.Log]walk.Word{}}
	for _, l := range f.Logs {
		x.logs[l.Log()] = l
	}
	if f.Compared != nil {
		for _, l := range f.Compared.Presence {
			x.presence[facts.Log{TenantID: l.TenantID, LogID: l.LogID}] = l
		}
		for _, w := range f.Compared.Witnessed {
			x.words[facts.Log{TenantID: w.TenantID, LogID: w.LogID}] = w.Word
		}
	}
	return x
}

// groupFindings makes an incident of the findings of each cause, and of those without a cause that
// are of one kind and blame the same.
func (x *finder) groupFindings() []Incident {
	all := []Incident{}
	taken := make([]bool, len(x.Findings))
	var groups []explained
	for _, c := range x.Causes {
		var of []int
		for _, i := range c.Findings {
			if !taken[i] && x.Findings[i].Effect() != finding.None {
				of, taken[i] = append(of, i), true
			}
		}
		if len(of) > 0 {
			groups = addGroup(groups, explained{c, of, slices.ContainsFunc(of, x.rejects)})
		}
	}
	for _, g := range groups {
		one, c := x.newIncident(g.findings), g.Cause
		one.Cause, one.Candidates, one.Next = c.Code, append(one.Candidates, c.Candidates...), c.Next
		if c.Code.Entry().SignOf == finding.Loss { // no one need have removed it
			one.Kind = Gap
		}
		if len(one.Ranges) != 1 && len(c.Candidates) == 0 {
			one.Summary = c.Message
		}
		all = append(all, one)
	}
	for _, of := range x.groupAlike(taken) {
		all = append(all, x.newIncident(of))
	}
	return Ordered(all)
}

// explained is a cause, with the findings that make one incident.
type explained struct {
	cause.Cause
	findings []int
	rejects  bool // one of the findings does
}

func (x *finder) rejects(i int) bool { return x.Findings[i].Effect() == finding.Rejects }

// addGroup adds a group. If nothing in it rejects, it goes to an earlier one of the same cause and
// the same candidates: the same thing that is open in several logs is one thing.
func addGroup(groups []explained, g explained) []explained {
	for k := range groups {
		into := &groups[k]
		if into.Code == g.Code && !into.rejects && !g.rejects &&
			slices.EqualFunc(into.Candidates, g.Candidates, func(a, b cause.Candidate) bool { return a.Who == b.Who }) {
			into.findings = append(into.findings, g.findings...)
			return groups
		}
	}
	return append(groups, g)
}

// Ordered returns incidents with the gravest first, and gives each a name that no other has.
func Ordered(all []Incident) []Incident {
	slices.SortStableFunc(all, func(a, b Incident) int {
		return cmp.Or(a.Effect.Rank()-b.Effect.Rank(), a.Severity.Rank()-b.Severity.Rank())
	})
	nameIncidents(all)
	return all
}

// subject is the common subject of several findings without a cause.
type subject struct {
	kind   Kind
	log    facts.Log
	store  string
	effect finding.Effect
}

// groupAlike returns the findings that have no cause and an effect, those about one subject together,
// in the order of the first of each.
func (x *finder) groupAlike(taken []bool) [][]int {
	var all [][]int
	at := map[subject]int{}
	for i, f := range x.Findings {
		entry := f.Code.Entry()
		if taken[i] || entry.Effect == finding.None {
			continue
		}
		s := subject{kindOf(entry), facts.LogOf(f), f.Store, entry.Effect}
		if s.store == "" && s.log.LogID == "" && len(f.Evidence) > 0 && s.kind != Unread {
			s.store = f.Evidence[0].Source
		}
		k, known := at[s]
		if !known {
			k, at[s], all = len(all), len(all), append(all, nil)
		}
		all[k] = append(all[k], i)
	}
	return all
}

// newIncident makes an incident of findings.
func (x *finder) newIncident(of []int) Incident {
	lead := x.Findings[slices.MinFunc(of, func(a, b int) int {
		f, g := x.Findings[a], x.Findings[b]
		return cmp.Or(f.Effect().Rank()-g.Effect().Rank(), f.Severity.Rank()-g.Severity.Rank(),
			cmp.Compare(min(g.Sequence, 1), min(f.Sequence, 1)))
	})]
	entry := lead.Code.Entry()
	one := Incident{Kind: kindOf(entry), Severity: lead.Severity, Effect: entry.Effect, Code: lead.Code,
		Store: lead.Store, Summary: lead.Lead(), Findings: slices.Sorted(slices.Values(of)), Next: lead.Next,
		Sides: []Side{}, Candidates: []cause.Candidate{}}
	one.Ranges = x.joinRanges(lead, of)
	if n := len(one.Ranges) - MostRanges; n > 0 {
		one.Ranges, one.More = one.Ranges[:MostRanges], n
	}
	if len(one.Ranges) == 0 && one.Kind != Unread && len(lead.Evidence) > 0 {
		e := lead.Evidence[0]
		one.document = path.Base(filepath.ToSlash(e.Source)) + "!" + e.Container
	}
	one.Summary = summaryOf(one, lead, entry, len(of))
	return one
}

// summaryOf returns the sentence of the gravest finding, with the events of the incident and how many more
// findings there are.
func summaryOf(one Incident, lead finding.Finding, entry finding.Entry, findings int) string {
	text := strings.TrimSuffix(one.Summary, ".")
	switch {
	case len(one.Ranges) > 1, len(one.Ranges) == 0 && findings > 1:
		return text + fmt.Sprintf(", and %d more like it.", findings-1)
	case len(one.Ranges) == 0:
	case !strings.Contains(entry.Sentence, "{events}"):
		text += " (" + one.Ranges[0].String() + ")"
	case one.Ranges[0].First != lead.Sequence, one.Ranges[0].Last != lead.LastSequence:
		text += "; in all " + one.Ranges[0].String()
	}
	return text + "."
}

// joinRanges returns the events of findings that have an effect, those that follow each other
// as one, the range of the gravest finding first.
func (x *finder) joinRanges(lead finding.Finding, of []int) []Range {
	all := []Range{}
	for _, i := range of {
		if f := x.Findings[i]; f.Sequence > 0 && f.Effect() != finding.None {
			all = append(all, Range{f.TenantID, f.LogID, f.Sequence, max(f.Sequence, f.LastSequence)})
		}
	}
	slices.SortFunc(all, func(a, b Range) int {
		return cmp.Or(a.Log().Compare(b.Log()), cmp.Compare(a.First, b.First))
	})
	joined := all[:0]
	for _, r := range all {
		if n := len(joined); n > 0 && joined[n-1].Log() == r.Log() && r.First-1 <= joined[n-1].Last {
			joined[n-1].Last = max(joined[n-1].Last, r.Last)
			continue
		}
		joined = append(joined, r)
	}
	first := slices.IndexFunc(joined, func(r Range) bool {
		return r.Log() == facts.LogOf(lead) && r.First <= lead.Sequence && lead.Sequence <= r.Last
	})
	if first > 0 {
		lead := joined[first]
		joined = slices.Insert(slices.Delete(joined, first, first+1), 0, lead)
	}
	return joined
}

// nameIncidents gives each incident a name that no other has: the kind and four digits of a digest,
// and more where another has the same.
func nameIncidents(all []Incident) {
	const digits, step = 2 * sha256.Size, 4
	long, alike := make([]string, len(all)), map[string]int{}
	for i, one := range all {
		subject := subjectOf(one)
		if alike[subject]++; alike[subject] > 1 {
			subject += fmt.Sprintf("\x00%d", alike[subject])
		}
		long[i] = fmt.Sprintf("%s-%x", one.Kind, sha256.Sum256([]byte(subject)))
	}
	for spare, named := digits-step, 0; named < len(all); spare -= step {
		shared := map[string]int{}
		for _, name := range long {
			shared[name[:len(name)-spare]]++
		}
		for i, name := range long {
			if name = name[:len(name)-spare]; all[i].Name == "" && shared[name] == 1 {
				all[i].Name, named = name, named+1
			}
		}
	}
}

// subjectOf is the code, and the store and the first range or the document that an incident is about.
// A document has the name of its file, in whatever folder.
func subjectOf(one Incident) string {
	parts := []string{string(one.Code), one.Store, one.document}
	if len(one.Ranges) > 0 {
		r := one.Ranges[0]
		parts = append(parts[:2], r.TenantID, r.LogID, fmt.Sprint(r.First), fmt.Sprint(r.Last))
	}
	return strings.Join(parts, "\x00")
}
