package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Full returns a whole answer: the first screen, then everything.
func Full(r *verdict.Result, q Asked) *answer.Doc {
	d := withReason(Screen(r, q), r.Why(), q)
	b := r.Batches
	d.AddSections(
		answer.Section{Blocks: []answer.Block{append(answer.Pairs{
			answer.Value("trust sha256", answer.Code(r.TrustSHA256)), answer.Value("findings",
				countSeverities(r.Findings).asText().String())},
			endPairs(r)...)}},
		notesSection(r.Incidents), causesSection(r.Causes, r.Findings), walkedSection(r), proofsSection(r.Proofs), storesSection(r.Stores),
		findingsSection(grouped(worstFirst(r.Findings))),
		answer.Section{ID: "batches", Heading: "Batches", Blocks: []answer.Block{answer.Pairs{
			answer.Value("distinct", b.Distinct), answer.Value("redelivered", b.Redelivered),
			answer.Value("conflicting", b.Conflicting), answer.Value("without an id", safetext.Count(b.Absent, "event"))}}},
		filesSection(r.Sources))
	return d
}

// worstFirst returns findings by their severity, else in the order that they have.
func worstFirst(all []finding.Finding) []finding.Finding {
	return slices.SortedStableFunc(slices.Values(all), func(a, b finding.Finding) int {
		return a.Severity.Rank() - b.Severity.Rank()
	})
}

// endPairs say what is at the ends of logs.
func endPairs(r *verdict.Result) []answer.Pair {
	var ends answer.Cell
	for _, l := range r.Ends() {
		ends = append(ends, answer.Say(l.Sentence))
	}
	return []answer.Pair{{Label: "ends of logs", Value: ends}}
}

// wordPairs say up to where a log is complete, by whose word.
func wordPairs(others, own walk.Word) []answer.Pair {
	upTo := func(w walk.Word) string {
		if w.Sequence == 0 {
			return w.Says()
		}
		return "complete up to " + w.Says()
	}
	return []answer.Pair{answer.Value("by others' word", upTo(others)), answer.Value("by its own word", upTo(own))}
}

// walkedSection returns what was found out of each log.
func walkedSection(r *verdict.Result) answer.Section {
	s := answer.Section{ID: "logs", Heading: "Logs"}
	reasons := r.WhyLogs()
	for i, l := range r.Logs {
		card := answer.Card{Class: "log", Heading: answer.Say(answered(l.Verdict), "  ", answer.Name(l.LogID))}
		if reasons[i] != nil {
			card.Blocks = append(card.Blocks, reasonText(reasons[i]))
		}
		card.Blocks = append(card.Blocks, logPairs(l))
		shown, left := answer.Cut(l.Forks, mostForks)
		for _, f := range shown {
			card.Blocks = append(card.Blocks, forkList(f))
		}
		s.Blocks = append(s.Blocks, card, omitted(left, "forks", wholeWalk+" --output json"))
	}
	return s
}

// withReason adds to an answer what decides its verdict, so that this is also the end of a long
// one, and the next command, or the next step as a sentence if it cannot run yet.
func withReason(d *answer.Doc, r *verdict.Reason, q Asked) *answer.Doc {
	if r == nil {
		return d
	}
	reason, words := answer.Text(reasonText(r)), fillStep(r.Next, q)
	if words == nil {
		reason = answer.Say(reason, " Next: ", answer.Code(r.Next))
	}
	d.Lead = append([]answer.Block{answer.Para(reason)}, d.Lead...)
	if d.Next == nil {
		d.Next = words
	}
	if r.Finding != nil {
		text.AddNextStep(d, r.Finding.Code)
	}
	return d
}

// reasonText names the finding that decides, and its subject.
func reasonText(r *verdict.Reason) answer.Para {
	f := r.Finding
	if f == nil {
		return answer.Paragraph(r.Text)
	}
	return answer.Paragraph("decided by ", answer.Code(f.Code), " (",
		answer.Span{Text: string(f.Severity), Style: answer.Toned, Tone: severityTones[f.Severity]}, "), ", f.About(), ".")
}

// forkList says of a fork what names its branches, and which store holds which.
func forkList(f walk.Fork) answer.List {
	item := answer.Item{Text: answer.Say("two histories from event ", f.Sequence, " on: ", f.Naming())}
	for k, b := range f.Branches {
		branch := answer.Say(string('A'+rune(k)), ", of ", safetext.Count(b.Events, "event"), ", key ", answer.Name(b.KeyID))
		if len(b.Stores) > 0 {
			branch = answer.Say(branch, ": in ", answer.NameList(b.Stores, len(b.Stores)))
		}
		item.Below = append(item.Below, branch)
	}
	return answer.List{item}
}

// logPairs says integrity first and completeness below: they are two answers.
func logPairs(l walk.LogResult) answer.Pairs {
	pairs := answer.Pairs{answer.Value("tenant", answer.Name(cmp.Or(l.TenantID, "none")))}
	if l.SinceSequence > 0 {
		pairs = append(pairs, answer.Value("walked from",
			fmt.Sprintf("after sequence %d, where the last walk ended", l.SinceSequence)))
	}
	pairs = append(pairs, answer.Value("events", eventsText(l)), answer.Value("missing", missingText(l)),
		answer.Value("valid", fmt.Sprintf("%d hashes, %d links, %d signatures", l.HashValid, l.LinkValid, l.SignatureValid)))
	pairs = append(pairs, wordPairs(l.CompleteByOthers, l.CompleteByOwn)...)
	if l.UnvouchedSequence > 0 {
		pairs = append(pairs, answer.Value("not vouched for",
			fmt.Sprintf("from sequence %d to the anchor above", l.UnvouchedSequence)))
	}
	return append(pairs, answer.Value("unanchored tail", fmt.Sprintf("%s after others' word, %d of them after every word",
		safetext.Count(l.TailByOthers, "event"), l.UnanchoredTail)))
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

// filesSection lists the sources of a case by name.
func filesSection(all []walk.SourceFile) answer.Section {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b walk.SourceFile) int {
		return strings.Compare(a.Path, b.Path)
	})
	t := answer.Table{Columns: answer.Columns("Source", "name", "Format", "format", "Records", "number", "Events",
		"number", "Skipped", "number", "Own journal of", "name")}
	t.Left.Of = "sources"
	for _, s := range all {
		t.Rows = append(t.Rows, answer.Row(answer.Name(s.Path), cmp.Or(s.Format, "not known"), s.Records, s.Events, s.Skipped,
			answer.NameList(s.JournalOf, len(s.JournalOf))))
	}
	if len(all) == 0 {
		return answer.NewSection("sources", "Sources", answer.Paragraph("None."))
	}
	return answer.NewSection("sources", "Sources", t)
}
