package report

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/form"
)

// gatherer makes one report.
type gatherer struct {
	c       *store.Case
	result  *verdict.Result
	report  *Report
	sources []facts.Source
	places  map[int64]int // of the sources, by number, their places among them
	logs    map[facts.Log]bool
	placed  map[facts.Log][]Mark // pauses and incidents
	gaps    *gap.Search
	out     *deliveries
}

// Gather reads the content of a report on a case besides the answer. Title and Tool are for
// the caller to fill in. An error means that the case could not be read.
func Gather(ctx context.Context, c *store.Case, result *verdict.Result) (*Report, error) {
	g := &gatherer{c: c, result: result, places: map[int64]int{}, logs: map[facts.Log]bool{},
		placed: placedMarks(result), report: newReport(result)}
	var err error
	if g.sources, err = c.Sources(ctx); err != nil {
		return nil, err
	}
	for i, s := range g.sources {
		g.places[s.Number] = i
	}
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range logs {
		g.logs[l] = true
	}
	if g.gaps, err = gap.Open(ctx, c, result); err != nil {
		return nil, err
	}
	g.out = newDeliveries(len(g.sources))
	if err := g.addLogs(ctx); err != nil {
		return nil, err
	}
	g.addSources()
	g.addNotes()
	return g.report, nil
}

// newReport begins a report with the content of a result. It lacks the content of the case.
func newReport(result *verdict.Result) *Report {
	r := &Report{Schema: Schema, Verdict: result.Verdict, TrustSHA256: result.TrustSHA256,
		LeftOut: result.LeftOut, Assumed: result.Assumed, Decides: result.Decides, UnknownKeys: result.UnknownKeys,
		EndsEarly: result.EndsEarly, Ends: result.Ends(), Proofs: result.Proofs,
		Stores: result.Stores, Holdings: holdingsOf(result.Comparison), Batches: result.Batches}
	r.addFindings(result)
	about := map[facts.Log][]finding.Finding{} // the worst first
	for _, f := range r.Findings {
		if log := facts.LogOf(f); f.LogID != "" {
			about[log] = append(about[log], f)
		}
	}
	reasons := result.WhyLogs()
	for i, l := range result.Logs {
		found := about[l.Log()]
		log := Log{LogResult: l, Severities: countSeverities(found), Integrity: integrityAnswer(l, found),
			Completeness: completenessAnswer(l, found), found: found, reason: reasons[i]}
		for _, f := range l.Forks[:min(len(l.Forks), mostForks)] {
			fork := Fork{Sequence: f.Sequence, Named: f.Named, Naming: f.Naming()}
			for k, b := range f.Branches {
				fork.Branches[k] = Branch{Hash: b.FirstHash, Events: b.Events, KeyID: b.KeyID, Sources: b.Stores}
			}
			log.Forks = append(log.Forks, fork)
		}
		log.MoreForks = len(l.Forks) - len(log.Forks)
		r.Logs = append(r.Logs, log)
	}
	return r
}

// addFindings puts the worst findings first, and adds their causes and incidents.
func (r *Report) addFindings(result *verdict.Result) {
	all := result.Findings
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(all[i].Severity.Rank(), all[j].Severity.Rank()), finding.Compare(all[i], all[j]))
	})
	at := map[int]int{}
	r.Severities = countSeverities(all)
	for to, i := range order {
		at[i] = to
		r.Findings = append(r.Findings, all[i])
	}
	r.Causes, r.Incidents = cause.Moved(result.Causes, at), slices.Clone(result.Incidents)
	for i := range r.Incidents {
		one := &r.Incidents[i]
		one.Findings = slices.Clone(one.Findings)
		for k, place := range one.Findings {
			one.Findings[k] = at[place]
		}
		slices.Sort(one.Findings)
	}
}

// countSeverities counts findings by severity. One that is not known is critical.
func countSeverities(all []finding.Finding) (s Severities) {
	for _, f := range all {
		switch f.Severity {
		case finding.High:
			s.High++
		case finding.Medium:
			s.Medium++
		case finding.Info:
			s.Info++
		default:
			s.Critical++
		}
	}
	return s
}

// addLogs adds the content of the index about each log.
func (g *gatherer) addLogs(ctx context.Context) error {
	for i := range g.report.Logs {
		l := &g.report.Logs[i]
		marks := g.marksOf(*l)
		log := l.Log()
		if g.logs[log] {
			if err := g.addPresence(ctx, l, log, marks); err != nil {
				return err
			}
		} else {
			l.Marks = mergeMarks(marks, l.Presence.Last)
		}
		if l.Collected != walk.NotCollected {
			if err := g.addGaps(ctx, l, log); err != nil {
				return err
			}
		}
	}
	g.report.Deliveries, g.report.Period = g.out.chooseClock(), g.out.occurredPeriod()
	return nil
}

// addPresence adds the events that the index holds of a log, and its marks with their times.
func (g *gatherer) addPresence(ctx context.Context, l *Log, log facts.Log, marks []Mark) error {
	p, err := g.passOverLog(ctx, log, placesIn(marks))
	if err != nil {
		return err
	}
	l.Presence, l.Times = p.asPresence(lastReached(*l)), p.timesOf()
	if p.count > 0 {
		l.FirstTime, l.LastTime = timeOf(p.oldest), timeOf(p.newest)
	}
	p.setTimes(marks)
	if l.Presence.Last > p.run.Last {
		p.holes = append(p.holes, Mark{Kind: Missing, First: p.run.Last + 1, Last: l.Presence.Last, Count: 1,
			FromMS: p.before})
	}
	l.Marks = append(mergeMarks(marks, l.Presence.Last), p.holes...)
	for i := range l.Forks {
		for k := range l.Forks[i].Branches {
			if err := g.identifyBranch(ctx, log, l.Forks[i].Sequence, &l.Forks[i].Branches[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSources adds the sources, in the order of their paths.
func (g *gatherer) addSources() {
	for i, s := range g.sources {
		t := g.out.sources[i]
		g.report.Sources = append(g.report.Sources,
			Source{SHA256: s.SHA256.String(), Paths: s.Paths, Format: s.Format, Size: s.Size,
				Complete: s.Complete, Records: s.Records, Events: s.Events, Skipped: s.Skipped, First: t.first,
				Redelivered: t.again})
	}
	slices.SortStableFunc(g.report.Sources, func(a, b Source) int { return strings.Compare(a.Name(), b.Name()) })
}

// timeOf writes milliseconds since 1970 as RFC 3339.
func timeOf(millis int64) string { return form.FormatMillis(millis) }
