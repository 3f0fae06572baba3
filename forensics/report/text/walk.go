package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// Verdict writes the verdict on a case, what was not examined and the finding
// that decides. A case that was not examined has no result.
func Verdict(p *page.Page, r *verdict.Result, file string) {
	if r == nil {
		p.Heading("not walked  " + file)
		return
	}
	for _, a := range r.Assumed {
		p.Prose(0, a.Text)
	}
	writeAnswer(p, answer{r.Verdict, file, r.UnknownKeys, r.Why(), r.LeftOut})
}

// answer is what is said first about a case.
type answer struct {
	verdict verify.Verdict
	file    string
	unknown *verify.UnknownKeys
	why     *verdict.Reason
	left    []verdict.LeftOut
}

// writeAnswer says to what the verdict is due, right after it.
func writeAnswer(p *page.Page, a answer) {
	p.Answer(string(a.verdict), a.file)
	writeUnknownKeys(p, a.unknown)
	writeReason(p, a.why)
	if a.why != nil && a.why.Finding != nil {
		p.Prose(2, a.why.Text)
	}
	writeLeftOut(p, a.left)
}

// writeUnknownKeys says which keys the trust file lacks, if it lacks any.
func writeUnknownKeys(p *page.Page, u *verify.UnknownKeys) {
	if u != nil {
		p.Prose(2, string(u.Code)+": "+u.Sentence)
	}
}

// writeReason names the finding that decides, the log or source that it is about,
// and the next command.
func writeReason(p *page.Page, r *verdict.Reason) {
	if r == nil {
		return
	}
	if f := r.Finding; f != nil {
		p.Lead(string(f.Severity), func() {
			p.Prose(2, fmt.Sprintf("decided by %s (%s), %s; next: %s", f.Code, f.Severity, f.About(), r.Next))
		})
		return
	}
	p.Prose(2, fmt.Sprintf("%s Next: %s", r.Text, r.Next))
}

// writeLeftOut says what was not examined.
func writeLeftOut(p *page.Page, all []verdict.LeftOut) {
	for i, l := range all {
		if i == 0 {
			p.Heading("not examined")
		}
		p.Prose(2, l.Text)
		for _, item := range l.Items[:min(len(l.Items), mostPlaces)] {
			p.Prose(4, safetext.Quote(item))
		}
		if n := len(l.Items) - mostPlaces; n > 0 {
			p.Prose(4, fmt.Sprintf("and %d more", n))
		}
	}
	if len(all) > 0 {
		p.Break()
	}
}

// Full renders a whole answer: the first screen, then everything, and the verdict again.
func Full(r *verdict.Result, q Asked) *page.Page {
	p := Screen(r, q)
	p.Break()
	p.Pairs(topPairs(r)...)
	writeCauses(p, r.Causes, r.Findings)
	reasons := r.WhyLogs()
	for i, l := range r.Logs {
		p.Headline(string(l.Verdict), safetext.Quote(l.LogID))
		writeReason(p, reasons[i])
		p.Pairs(logPairs(l)...)
		writeForks(p, l.Forks)
	}
	writeProofs(p, r.Proofs)
	writeStores(p, r.Stores)
	p.Heading("findings")
	writeFindings(p, r.Findings)
	p.Heading("batches")
	p.Pairs(page.Pair{"distinct", fmt.Sprint(r.Batches.Distinct)},
		page.Pair{"redelivered", fmt.Sprint(r.Batches.Redelivered)},
		page.Pair{"conflicting", fmt.Sprint(r.Batches.Conflicting)},
		page.Pair{"without an id", safetext.Count(r.Batches.Absent, "event")})
	p.Heading("sources")
	writeSources(p, r.Sources, true)
	p.Break()
	writeVerdict(p, r, q)
	writeReason(p, r.Why())
	return p
}

// topPairs says first of all logs what nobody but their owners vouches for, and which
// sources end early.
func topPairs(r *verdict.Result) []page.Pair {
	return append([]page.Pair{{"trust sha256", r.TrustSHA256}, {"findings", severityCounts(r.Findings)}},
		endPairs(r)...)
}

// endPairs say what is at the ends of logs.
func endPairs(r *verdict.Result) []page.Pair {
	var pairs []page.Pair
	for i, l := range r.Ends() {
		name := ""
		if i == 0 {
			name = "ends of logs"
		}
		pairs = append(pairs, page.Pair{name, l.Sentence})
	}
	return pairs
}

// wordPairs say up to where a log is complete, by whose word.
func wordPairs(others, own walk.Word) []page.Pair {
	upTo := func(w walk.Word) string {
		if w.Sequence == 0 {
			return w.Says()
		}
		return "complete up to " + w.Says()
	}
	return []page.Pair{{"by others' word", upTo(others)}, {"by its own word", upTo(own)}}
}

// writeForks says of each fork what names its branches, and which store holds
// which.
func writeForks(p *page.Page, forks []walk.Fork) {
	for i, f := range forks {
		if i == mostForks {
			p.Prose(2, fmt.Sprintf("and %d more forks", len(forks)-i))
			return
		}
		p.Prose(2, fmt.Sprintf("two histories from event %d on: %s", f.Sequence, f.Naming()))
		for k, b := range f.Branches {
			text := fmt.Sprintf("%c, of %s, key %s", 'A'+rune(k), safetext.Count(b.Events, "event"),
				safetext.Quote(b.KeyID))
			if len(b.Stores) > 0 {
				text += ": in " + page.List(b.Stores)
			}
			p.Prose(4, text)
		}
	}
}

// severityCounts says how many findings there are of each severity, the worst
// first.
func severityCounts(all []finding.Finding) string {
	n := map[finding.Severity]int{}
	for _, f := range all {
		n[f.Severity]++
	}
	var counts []string
	for _, s := range finding.Severities() {
		if n[s] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return cmp.Or(strings.Join(counts, ", "), "none")
}

// logPairs says integrity first and completeness below: they are two answers.
func logPairs(l walk.LogResult) []page.Pair {
	tenant := "none"
	if l.TenantID != "" {
		tenant = safetext.Quote(l.TenantID)
	}
	pairs := []page.Pair{{"tenant", tenant}}
	if l.SinceSequence > 0 {
		pairs = append(pairs, page.Pair{"walked from",
			fmt.Sprintf("after sequence %d, where the last walk ended", l.SinceSequence)})
	}
	pairs = append(pairs,
		page.Pair{"events", eventsText(l)},
		page.Pair{"missing", missingText(l)},
		page.Pair{"valid", fmt.Sprintf("%d hashes, %d links, %d signatures", l.HashValid, l.LinkValid,
			l.SignatureValid)})
	pairs = append(pairs, wordPairs(l.CompleteByOthers, l.CompleteByOwn)...)
	if l.UnvouchedSequence > 0 {
		pairs = append(pairs, page.Pair{"not vouched for",
			fmt.Sprintf("from sequence %d to the anchor above", l.UnvouchedSequence)})
	}
	return append(pairs, page.Pair{"unanchored tail", fmt.Sprintf("%s after others' word, %d of them after every word",
		safetext.Count(l.TailByOthers, "event"), l.UnanchoredTail)})
}

// givenTexts say what was given of a log that has no event here.
var givenTexts = map[walk.Collected]string{
	walk.NotCollected:  "nothing of the log was given",
	walk.OnlyStrays:    "only events that nothing vouches for were given",
	walk.OnlyEmptyFile: "an empty file was given",
	walk.DeclaredOnly:  "the log was collected",
}

func missingText(l walk.LogResult) string {
	if text := givenTexts[l.Collected]; text != "" {
		return fmt.Sprintf("%d; %s", l.Missing, text)
	}
	return fmt.Sprint(l.Missing)
}

func eventsText(l walk.LogResult) string {
	if l.Events == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, sequences %d to %d", l.Events, l.FirstSequence, l.LastSequence)
}

// writeFindings writes findings, the worst first, each with its places and with
// what to do next.
func writeFindings(p *page.Page, all []finding.Finding) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b finding.Finding) int { return a.Severity.Rank() - b.Severity.Rank() })
	for _, f := range all {
		p.Lead(string(f.Severity), func() { p.Prose(2, fmt.Sprintf("%-8s  %s", f.Severity, f.Code)) })
		p.Prose(4, f.Message)
		for i, e := range f.Evidence {
			if i == mostPlaces {
				p.Prose(4, fmt.Sprintf("and %d more places; --output json lists them", len(f.Evidence)-i))
				break
			}
			p.Prose(4, "at "+e.Text())
		}
		for _, e := range f.Explanations {
			p.Prose(4, "perhaps: "+e)
		}
		if f.Next != "" {
			p.Prose(4, "next: "+f.Next)
		}
	}
	if len(all) == 0 {
		p.Prose(2, "none")
	}
}

// writeSources writes a block for each source, by name: names can be long. Beyond
// a screenful it says how many there are, unless every one is asked for.
func writeSources(p *page.Page, all []walk.SourceFile, every bool) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b walk.SourceFile) int { return strings.Compare(a.Path, b.Path) })
	for i, s := range all {
		if i == mostSources && !every && len(all) > mostSources+1 {
			p.Prose(2, fmt.Sprintf("and %d more: --sources shows all", len(all)-i))
			break
		}
		p.Prose(2, safetext.Quote(s.Path))
		format := s.Format
		if format == "" {
			format = "no known format"
		}
		p.Prose(4, fmt.Sprintf("%s: %s, %s, %d skipped", safetext.Line(format), safetext.Count(s.Records, "record"),
			safetext.Count(s.Events, "event"), s.Skipped))
		if len(s.JournalOf) > 0 {
			p.Prose(4, "own journal of "+page.List(s.JournalOf))
		}
	}
	if len(all) == 0 {
		p.Prose(2, "none")
	}
}
