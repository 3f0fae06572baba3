package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Full returns a whole answer: the counts of the evidence, each incident, and then everything.
func Full(r *verdict.Result, q Asked) *answer.Doc {
	w := &writer{r: newReport(r), Doc: withReason(headOfScreen(r, q), r.Why(), q)}
	w.r.named, w.groups = q, groupFindings(q, w.r.Findings)
	pairs := answer.Pairs{answer.Value("trust sha256", answer.Code(r.TrustSHA256)),
		answer.Value("findings", w.r.Severities.asText().String())}
	if r.Batches != (walk.Batches{}) {
		pairs = append(pairs, batchesPair("batches", r.Batches))
	}
	w.Head = append(w.Head, pairs)
	w.AddSections(incidentsSection(w.r), answer.Section{Blocks: logBlocks(r)}, causesSection(q, r.Causes, r.Findings),
		w.logsSection(w.r.Logs, 0), proofsSection(r.Proofs), storesSection(r.Stores), findingsSection(w.groups),
		filesSection(r.Sources))
	return w.Doc
}

// worstFirst returns findings by their severity, else in the order that they have.
func worstFirst(all []finding.Finding) []finding.Finding {
	return slices.SortedStableFunc(slices.Values(all), func(a, b finding.Finding) int {
		return a.Severity.Rank() - b.Severity.Rank()
	})
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

// withReason adds to an answer the reason for its verdict, so that this is also the end of a
// long one, and the next command, or the next step as a sentence if it cannot run yet.
func withReason(d *answer.Doc, r *verdict.Reason, q Asked) *answer.Doc {
	if r == nil {
		return d
	}
	reason, words := answer.Text(reasonText(r)), fillStep(r.Next, q)
	if words == nil {
		reason = answer.Say(reason, " Next: ", q.stepText(r.Next))
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
		strongSpan(f.Severity), "), ", f.About(), ".")
}

// givenTexts describe the given evidence of a log that has no event here.
var givenTexts = map[walk.Collected]string{
	walk.NotCollected:  "nothing of the log was given",
	walk.OnlyStrays:    "only events that nothing vouches for were given",
	walk.OnlyEmptyFile: "an empty file was given",
	walk.DeclaredOnly:  "the log was collected",
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
