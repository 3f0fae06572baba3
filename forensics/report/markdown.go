package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Markdown writes a report as Markdown of GitHub's kind. Text of the evidence
// makes no markup in it: neither links nor tables, headings or HTML.
func Markdown(w io.Writer, r *Report) error {
	m := &markdown{bufio.NewWriter(w)}
	m.head(r)
	m.causes(r)
	m.logs(r)
	m.proofs(r)
	m.deliveries(r.Deliveries)
	m.findings(r)
	m.sources(r)
	m.notes(r)
	return m.Flush()
}

type markdown struct{ *bufio.Writer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) head(r *Report) {
	m.line("# %s\n", safetext.Markdown(r.Title))
	for _, l := range r.LeftOut {
		m.line("**Not examined.** %s%s\n", safetext.Markdown(l.Text), safetext.Markdown(leftItems(l)))
	}
	m.line("**%s.**\n", safetext.Markdown(string(r.Verdict)))
	if u := r.UnknownKeys; u != nil {
		m.line("%s: %s\n", safetext.MarkdownCode(string(u.Code)), safetext.Markdown(u.Sentence))
	}
	m.reason(why(r))
	m.line("%s\n", verdictSentence(r.Verdict))
	m.line("- Trust file, SHA-256: %s", safetext.MarkdownCode(r.TrustSHA256))
	m.line("- Made by: %s", safetext.Markdown(r.Tool))
	for _, e := range r.Ends {
		m.line("- %s", safetext.Markdown(e.Sentence))
	}
	m.line("- Findings: %d critical, %d high, %d medium, %d info\n", r.Severities.Critical, r.Severities.High,
		r.Severities.Medium, r.Severities.Info)
}

// reason says to what the verdict is due.
func (m *markdown) reason(r *verdict.Reason) {
	if r == nil {
		return
	}
	by := ""
	if f := r.Finding; f != nil {
		by = "Decided by: " + safetext.MarkdownCode(string(f.Code)) + ", " + safetext.MarkdownCode(f.About()) + ". "
	}
	m.line("%s%s Next: %s\n", by, safetext.Markdown(r.Text), safetext.MarkdownCode(r.Next))
}

// why is the reason of the verdict; nil if it is verified.
func why(r *Report) *verdict.Reason { return verdict.Why(r.Verdict, r.Decides, r.LeftOut) }

func (m *markdown) logs(r *Report) {
	m.line("## Two answers for each log\n")
	m.line("| Log | Integrity | Completeness | Complete by others | By own word | Missing | Findings |\n" +
		"|---|---|---|---:|---:|---:|---:|")
	shown := r.Logs[:min(len(r.Logs), mostLogs)]
	for _, l := range shown {
		m.line("| %s | %s | %s | %d | %d | %d | %d |",
			safetext.MarkdownCellCode(l.LogID), safetext.MarkdownCellCode(l.Integrity.Word),
			safetext.MarkdownCellCode(l.Completeness.Word), l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, l.Missing,
			l.Severities.Total())
	}
	m.line("")
	m.more(moreLogs(r))
	m.stores(r)
	for _, l := range shown {
		m.log(l)
	}
}

// proofs writes what the genuine bundles say.
func (m *markdown) proofs(r *Report) {
	shown := shownProofs(r)
	if len(shown) == 0 {
		return
	}
	m.line("## What the proofs say\n")
	for i := range shown {
		m.line("- %s: %s", safetext.MarkdownCode(shown[i].Name), safetext.Markdown(shown[i].Said()))
	}
	m.line("")
	m.more(moreProofs(r))
}

// stores writes the second table of blame: that of the copies.
func (m *markdown) stores(r *Report) {
	if len(r.Stores) == 0 {
		return
	}
	m.line("## One answer for each store\n")
	m.line("| Store | Answer | Files | Events | Also elsewhere | Altered | Differ | Lossy | Lacking | " +
		"Ends early by |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
	for _, s := range r.Stores {
		files := fmt.Sprint(s.Parts)
		if s.Parts > 1 {
			files += ", " + s.Rule.Text()
		}
		m.line("| %s | %s | %s | %d | %d | %d | %d | %d | %d | %d |", safetext.MarkdownCellCode(s.Name),
			safetext.MarkdownCellCode(string(s.State)), files,
			s.Events, s.Shared, s.Altered, s.Differs, s.Lossy, s.Lacking, s.Ends)
	}
	m.line("\n## What is there of each log\n")
}

func (m *markdown) log(l Log) {
	m.line("### %s\n", safetext.MarkdownCode(l.LogID))
	m.line("- Integrity: **%s.** %s", safetext.Markdown(l.Integrity.Word), safetext.Markdown(l.Integrity.Sentence))
	m.line("- Completeness: **%s.** %s", safetext.Markdown(l.Completeness.Word),
		safetext.Markdown(l.Completeness.Sentence))
	var here []string
	for _, s := range firstStretches(l) {
		here = append(here, span(s.First, s.Last))
	}
	if n := len(l.Presence.Stretches) + l.Presence.More - len(here); n > 0 {
		here = append(here, fmt.Sprintf("and %d more stretches", n))
	}
	if len(here) > 0 {
		m.line("- Here: %s, of %s to %s", strings.Join(here, ", "), safetext.Markdown(l.FirstTime),
			safetext.Markdown(l.LastTime))
	}
	for _, g := range groupedGaps(l.Gaps) {
		m.line("- Missing: %s", g.Where)
		for _, h := range g.Hypotheses {
			m.line("  - %s%s%s", safetext.Markdown(h.Title), reasons("for it", h.For), reasons("against it", h.Against))
		}
	}
	for _, f := range l.Forks {
		m.line("- Fork at event %d: %s", f.Sequence, safetext.Markdown(f.Naming))
		for i, b := range f.Branches {
			m.line("  - %c: %s from %s on, signed by key %s; in %s", 'A'+i, safetext.Count(b.Events, "event"),
				safetext.MarkdownCode(b.Hash), safetext.MarkdownCode(b.KeyID), listed(b.Sources))
		}
	}
	m.line("")
	m.more(moreGaps(l))
	m.more(moreForks(l))
}

func reasons(label string, all []string) string {
	if len(all) == 0 {
		return ""
	}
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = safetext.Markdown(s)
	}
	return "; " + label + ": " + strings.Join(words, "; ")
}

func listed(sources []string) string {
	n := min(len(sources), mostPlaces)
	words := make([]string, n)
	for i := range n {
		words[i] = safetext.MarkdownCode(sources[i])
	}
	if n < len(sources) {
		words = append(words, fmt.Sprintf("and %d more", len(sources)-n))
	}
	return strings.Join(words, ", ")
}

func (m *markdown) deliveries(d Deliveries) {
	m.line("## When it was delivered\n")
	m.line("%s first deliveries, %s further ones.\n", number(d.Events), number(d.Redelivered))
	if len(d.Buckets) > 0 {
		m.line("From %s to %s. %s\n", stamp(d.Buckets[0].StartMS),
			stamp(d.Buckets[len(d.Buckets)-1].StartMS+d.BucketMS), lead(d))
	}
}

func (m *markdown) causes(r *Report) {
	if len(r.Causes) == 0 {
		return
	}
	m.line("## Likely causes\n")
	for _, c := range r.Causes[:min(len(r.Causes), mostCauses)] {
		m.line("### %s\n\n%s\n", safetext.MarkdownCode(string(c.Code)), safetext.Markdown(c.Message))
		for _, fact := range c.Pro() {
			m.line("- For it: %s", safetext.Markdown(fact))
		}
		for _, fact := range c.Con() {
			m.line("- Against it: %s", safetext.Markdown(fact))
		}
		m.line("- Follows: %s", safetext.Markdown(c.Follow(r.Findings)))
		m.line("- Next: %s\n", safetext.MarkdownCode(c.Next))
	}
	m.more(moreCauses(r))
}

func (m *markdown) findings(r *Report) {
	m.line("## Findings\n")
	if len(r.Findings) == 0 {
		m.line("None.\n")
	}
	all := grouped(r.Findings)
	for _, g := range shownGroups(all) {
		m.group(g)
	}
	m.more(moreGroups(all))
}

func (m *markdown) group(g *group) {
	heading := fmt.Sprintf("### %d. %s: %s", g.Number, safetext.Markdown(string(g.Severity)),
		safetext.MarkdownCode(string(g.Code)))
	if g.Log.LogID != "" {
		heading += " in " + safetext.MarkdownCode(g.Log.LogID)
	}
	m.line("%s\n", heading)
	for _, f := range g.Findings {
		m.line("- %s", safetext.Markdown(f.Lead()))
		for _, p := range []struct{ label, value string }{{"Expected", f.Expected}, {"Found", f.Found}} {
			if p.value != "" {
				m.line("  - %s: %s", p.label, safetext.MarkdownCode(p.value))
			}
		}
		for _, p := range f.Places {
			m.line("  - At %s", safetext.MarkdownCode(p))
		}
		if f.MorePlaces > 0 {
			m.line("  - At %d more places", f.MorePlaces)
		}
		for _, e := range f.Own {
			m.line("  - Perhaps: %s", safetext.Markdown(e))
		}
	}
	m.line("")
	m.more(g.More())
	for _, e := range g.Explanations {
		m.line("Perhaps: %s\n", safetext.Markdown(e))
	}
	if g.Next != "" {
		m.line("Next: %s\n", safetext.MarkdownCode(g.Next))
	}
}

func (m *markdown) sources(r *Report) {
	m.line("## Sources\n")
	m.line("| Source | SHA-256 | Format | Events | First | Again | Not read |\n|---|---|---|---:|---:|---:|---:|")
	for _, s := range r.Sources[:min(len(r.Sources), mostSources)] {
		m.line("| %s | %s | %s | %d | %d | %d | %d |",
			safetext.MarkdownCellCode(s.Name()), safetext.MarkdownCellCode(s.SHA256), safetext.MarkdownCellCode(s.Format),
			s.Events, s.First, s.Redelivered, s.Skipped)
	}
	m.line("")
	m.more(moreSources(r))
}

func (m *markdown) notes(r *Report) {
	m.line("## What was not examined\n")
	if len(r.NotExamined) == 0 {
		m.line("Everything that the case holds was examined.\n")
	}
	for _, n := range r.NotExamined {
		m.line("- %s", safetext.Markdown(n.Text))
		for _, item := range n.Items {
			m.line("  - %s", safetext.Markdown(item))
		}
		if n.More > 0 {
			m.line("  - and %d more: `--output json`", n.More)
		}
	}
	m.line("\n## What this report does not prove\n")
	for _, n := range r.Limitations {
		m.line("- %s", safetext.Markdown(n.Text))
	}
	m.line("\n## How to make it again\n")
	for _, c := range r.Reproduce {
		m.line("- %s", safetext.MarkdownCode(c))
	}
}

func (m *markdown) more(left more) {
	if left.Count > 0 {
		m.line("And %d more: %s\n", left.Count, safetext.MarkdownCode(left.Command))
	}
}
