package verdict

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Outcome returns the result as the value that reports are made from. Its items are the logs
// in their order, and then, by name, the sources that hold evidence or that something is wrong
// with. Each finding that counts for the verdict is a problem of the item that it blames, or
// of the run if there is no such item. Command is the command as its user knows it.
func (r *Result) Outcome(command string) *outcome.Report {
	b := &outcomes{names: map[string]int{}, logs: map[facts.Log]int{}, files: map[string]int{}}
	journals := journalsOf(r.Sources)
	for _, l := range r.Logs {
		b.addLog(l, journals[l.LogID])
	}
	without := b.addSources(r.Sources)
	b.addProofs(r.Proofs)
	counting := slices.Clone(r.Findings)
	for _, one := range r.Incidents { // tickets quote its name
		for _, i := range one.Findings {
			counting[i].Message = one.Name + ": " + counting[i].Message
		}
	}
	counting = slices.DeleteFunc(counting, func(f finding.Finding) bool { return f.Effect() == finding.None })
	slices.SortStableFunc(counting, func(x, y finding.Finding) int {
		return cmp.Or(x.Effect().Rank()-y.Effect().Rank(), x.Severity.Rank()-y.Severity.Rank())
	})
	for _, f := range counting {
		b.addFinding(f)
	}
	items := b.finish(r)
	run := outcome.Run{Command: command, Verdict: classOf(r.Verdict), NotExamined: r.notExamined(),
		Counts: r.counts(without), Problems: append(r.keyProblem(), b.run...),
		Limitations: r.Ends(), TrustSHA256: r.TrustSHA256}
	report := &outcome.Report{Run: run, Items: func() iter.Seq2[outcome.Item, error] {
		return func(yield func(outcome.Item, error) bool) {
			for _, i := range items {
				if !yield(i, nil) {
					return
				}
			}
		}
	}}
	report.Lines = func(w io.Writer) error { return r.writeLines(w, report) }
	return report
}

// classOf is a verdict as a class. A verdict that is neither verified nor rejected is
// inconclusive.
func classOf(v verify.Verdict) outcome.Class {
	switch v {
	case verify.Verified:
		return outcome.Verified
	case verify.Rejected:
		return outcome.Rejected
	}
	return outcome.Inconclusive
}

// outcomes collects items and their problems.
type outcomes struct {
	names   map[string]int // that are taken, with the last number of one that occurred again
	ofLogs  []outcome.Item
	logs    map[facts.Log]int // the place of a log among them
	sources []outcome.Item
	files   map[string]int // the place of a path's first source among them
	run     []outcome.Problem
}

// name returns a name that no other item has.
func (b *outcomes) name(want string) string {
	if _, taken := b.names[want]; !taken {
		b.names[want] = 1
		return want
	}
	for n := b.names[want] + 1; ; n++ {
		name := fmt.Sprintf("%s (%d)", want, n)
		if _, taken := b.names[name]; !taken {
			b.names[want], b.names[name] = n, 1
			return name
		}
	}
}

// journalsOf returns the first path, in their order, of a journal of each log.
func journalsOf(all []walk.SourceFile) map[string]string {
	paths := map[string]string{}
	for _, s := range all {
		for _, log := range s.JournalOf {
			if first, known := paths[log]; !known || s.Path < first {
				paths[log] = s.Path
			}
		}
	}
	return paths
}

// addLog adds a log, whose journal is the file if there is one.
func (b *outcomes) addLog(l walk.LogResult, file string) {
	item := outcome.Item{Name: b.name(l.LogID), Class: classOf(l.Verdict), About: []outcome.Fact{
		{What: "tenant", Value: l.TenantID},
		{What: "events", Value: fmt.Sprint(l.Events)},
		{What: "missing events", Value: fmt.Sprint(l.Missing)},
		{What: "complete by others", Value: l.CompleteByOthers.Says()},
		{What: "complete by own word", Value: l.CompleteByOwn.Says()},
		{What: "tail after others", Value: safetext.Count(l.TailByOthers, "event")},
		{What: "unanchored tail", Value: safetext.Count(l.UnanchoredTail, "event")},
	}}
	item.Proof = Complete(l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, l.TailByOthers, l.UnanchoredTail)
	item.Place.File = file
	b.logs[l.Log()] = len(b.ofLogs)
	b.ofLogs = append(b.ofLogs, item)
}

// addSources adds the sources with evidence in them, and returns how many have none.
func (b *outcomes) addSources(all []walk.SourceFile) (without int64) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(x, y walk.SourceFile) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.SHA256, y.SHA256))
	})
	for _, s := range all {
		if s.Records <= s.Skipped {
			without++
			continue
		}
		i := b.source(s.Path)
		if len(b.sources[i].About) > 0 { // another content under the same path
			i = b.addSource(s.Path)
		}
		b.sources[i].About = []outcome.Fact{
			{What: "format", Value: s.Format},
			{What: "events", Value: fmt.Sprint(s.Events)},
			{What: "sha256", Value: s.SHA256},
		}
	}
	return without
}

// source returns the place of a path's source, which it adds if there is none.
func (b *outcomes) source(path string) int {
	if i, ok := b.files[path]; ok {
		return i
	}
	b.files[path] = b.addSource(path)
	return b.files[path]
}

func (b *outcomes) addSource(path string) int {
	b.sources = append(b.sources, outcome.Item{Name: b.name(path), Place: outcome.Place{File: path},
		Class: outcome.Verified})
	return len(b.sources) - 1
}

// addFinding adds a finding to the item that it blames, as [finding.Finding.About] names it.
func (b *outcomes) addFinding(f finding.Finding) {
	p := outcome.Problem{Code: f.Code, Class: outcome.Inconclusive, Message: f.Message}
	if f.Effect() == finding.Rejects {
		p.Class = outcome.Rejected
	}
	entry := f.Code.Entry()
	if len(f.Evidence) > 0 && !entry.Elsewhere {
		e := f.Evidence[0]
		p.Place = outcome.Place{File: e.Source, Entry: e.Container}
		if e.Length > 0 {
			p.Message += fmt.Sprintf(", at byte %d", e.Offset)
		}
	}
	i, ofLog := b.logs[facts.LogOf(f)]
	switch {
	case f.Store != "":
		p.Subject = "store " + f.Store
		b.run = append(b.run, p)
	case f.Subject() == finding.Source && len(f.Evidence) > 0 && f.Evidence[0].Source != "":
		item := &b.sources[b.source(f.Evidence[0].Source)]
		item.Class, item.Problems = outcome.Worst(item.Class, p.Class), append(item.Problems, p)
	case f.Subject() == finding.Log && ofLog:
		b.ofLogs[i].Problems = append(b.ofLogs[i].Problems, p)
	default:
		p.Subject = f.LogID
		b.run = append(b.run, p)
	}
}

// finish returns all items. A log that is not verified, although no finding blames
// it, has the reason instead.
func (b *outcomes) finish(r *Result) []outcome.Item {
	for i, why := range r.WhyLogs() {
		item := &b.ofLogs[i]
		if why != nil && len(item.Problems) == 0 {
			item.Problems = []outcome.Problem{{Class: item.Class, Message: why.Text}}
			if why.Finding != nil {
				item.Problems[0].Code = why.Finding.Code
			}
		}
	}
	slices.SortStableFunc(b.sources, func(x, y outcome.Item) int { return strings.Compare(x.Name, y.Name) })
	return append(b.ofLogs, b.sources...)
}

// mostNamed is how many things a sentence names.
const mostNamed = 10

// notExamined returns a sentence for everything that was left out, and one for unreadable
// content.
func (r *Result) notExamined() []string {
	var all []string
	for _, l := range r.LeftOut {
		all = append(all, strings.TrimSpace(l.Text+" "+answer.NameList(l.Items, mostNamed).String()))
	}
	for _, a := range r.Assumed {
		all = append(all, a.Text)
	}
	if unread := r.Unread(); len(unread) > 0 {
		all = append(all, "What could not be read in "+safetext.Count(len(unread), "source")+": "+
			answer.NameList(unread, mostNamed).String())
	}
	if listed := r.Listed(); len(listed) > 0 {
		all = append(all, "Content of a kind that is only listed, in "+safetext.Count(len(listed), "source")+": "+
			answer.NameList(listed, mostNamed).String())
	}
	return all
}

// Unread returns the sources with findings that something could not be read and that count for
// the verdict, in ascending order.
func (r *Result) Unread() []string {
	return r.sourcesOf(func(f *finding.Finding) bool {
		return f.Code.Entry().SignOf == finding.Unread && f.Effect() != finding.None
	})
}

// Listed returns the sources with something that was not read and is only listed (SPEC 13.1), in
// ascending order.
func (r *Result) Listed() []string {
	return r.sourcesOf(func(f *finding.Finding) bool { return f.Code.Entry().Counts != "" })
}

// sourcesOf returns the sources of some findings, in ascending order.
func (r *Result) sourcesOf(is func(*finding.Finding) bool) []string {
	var all []string
	for i := range r.Findings {
		for _, e := range r.Findings[i].Evidence {
			if is(&r.Findings[i]) {
				all = append(all, e.Source)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// counts are those that are shown.
func (r *Result) counts(without int64) []answer.Count {
	var events, missing uint64
	of := map[verify.Verdict]int64{}
	for _, l := range r.Logs {
		events, missing = events+l.Events, missing+l.Missing
		of[l.Verdict]++
	}
	effects := map[finding.Effect]int64{}
	for _, f := range r.Findings {
		effects[f.Effect()]++
	}
	count := answer.CountOf
	return append(r.Statuses(),
		count(of[verify.Verified], "verified logs"),
		count(of[verify.Rejected], "rejected logs"),
		count(int64(len(r.Logs))-of[verify.Verified]-of[verify.Rejected], "inconclusive logs"),
		count(int64(events), "events"),
		count(int64(missing), "missing events"),
		count(int64(len(r.Sources)), "sources"),
		count(without, "sources without evidence"),
		count(effects[finding.Rejects], "findings that reject"),
		count(effects[finding.LeavesOpen], "findings that leave the verdict open"),
	)
}
