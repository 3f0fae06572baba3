package text

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Log lists the runs of an archive, the first run first.
func Log(l *logbook.Log) *answer.Doc {
	d := startLedger(l.Verdict, "ledger of "+safetext.Count(l.Ledger.Runs, "run"), &l.Ledger, nil)
	for i := range l.Runs {
		r := &l.Runs[i]
		blocks := []answer.Block{answer.Para(answer.Say(runSummary(&r.Record)))}
		if said := r.Record.Ignored.PassedOver(); said != "" {
			blocks = append(blocks, answer.Para(answer.Say(said)))
		}
		if r.Record.Continued {
			blocks = append(blocks, answer.Para(answer.Say("It continued a run that was interrupted.")))
		}
		if r.Record.Adopted != (run.Digest{}) {
			blocks = append(blocks, answer.Para(answer.Say("It adopted the ledger of another user, whose newest run was ",
				answer.Code(fmt.Sprintf("%x", r.Record.Adopted)), ".")))
		}
		d.Sections = append(d.Sections, answer.Section{
			Heading: fmt.Sprintf("run %d  %s, exit %d", r.Record.Number, form.FormatMillis(r.Record.Began), r.Record.Exit),
			Blocks: append(append(blocks, changeBlocks(&r.Changes)...), answer.Pairs{answer.Value("sha256",
				answer.Code(r.SHA256))})})
	}
	if l.Pending != nil {
		d.Sections = append(d.Sections, answer.Section{Heading: "since then, in the record of the next run",
			Blocks: changeBlocks(l.Pending)})
	}
	return d
}

// startLedger begins an answer out of a ledger: how far it can be believed, and which
// run is the newest.
func startLedger(verdict outcome.Class, title string, a *logbook.About, u *verify.UnknownKeys) *answer.Doc {
	d := startAnswer(verdict, title, "the ledger is as svc-verify wrote it", u, nil)
	addReasons(d, a.Findings, inJSON.Left(0, "findings"))
	if a.InterruptedAt != "" {
		d.Lead = append(d.Lead, answer.Para(answer.Say("A run that began at ", a.InterruptedAt,
			" was interrupted. The next one continues it.")))
	}
	if a.Expected != nil && a.Expected.Run != 0 {
		d.Lead = append(d.Lead, answer.Para(answer.Say("The run that was expected is run ", a.Expected.Run, " of ", a.Runs,
			".")))
	}
	d.Head = append(d.Head, answer.Pairs{answer.Value("newest run", answer.Code(a.Newest))})
	return d
}

// runSummary counts the objects that a run read, and its results.
func runSummary(r *run.Record) string {
	how := ""
	switch {
	case r.Whole:
		how = ", all that were there"
	case r.Sample > 0:
		how = ", with a sample of the seed " + safetext.Quote(r.Seed)
	}
	var found []answer.Count
	for _, name := range []string{string(outcome.Verified), string(outcome.Rejected), "accepted",
		string(outcome.Inconclusive), "missing",
		"altered", "unreadable", "stale"} {
		found = append(found, count(r.Counts[name], name))
	}
	return fmt.Sprintf("read %d of %s%s; %s", r.Counts["read"], safetext.Count(r.Objects, "object"), how,
		joinCounts(found...))
}

// changeBlocks count the changes, and name those that a reader has to know.
func changeBlocks(c *logbook.Changes) []answer.Block {
	if len(c.Classes) == 0 {
		return []answer.Block{answer.Para(answer.Say("Nothing changed."))}
	}
	var classes []answer.Count
	for _, class := range slices.Sorted(maps.Keys(c.Classes)) {
		classes = append(classes, count(c.Classes[class], safetext.Line(class)))
	}
	blocks := []answer.Block{answer.Para(answer.Say("Changed: ", joinCounts(classes...), "."))}
	for i := range c.Changes {
		blocks = append(blocks, changeEntry(&c.Changes[i]))
	}
	return append(blocks, answer.Rest{Command: "archive log --objects"}.Left(c.More, ""))
}

// changeEntry shows the change of an object, and who accepted it.
func changeEntry(c *run.Change) answer.Block {
	lines := stateLines(c.Before, c.After)
	if a := c.Acceptance; a != nil {
		by := answer.Say("by ", answer.Name(a.By), " at ", form.FormatMillis(a.At), ": ", answer.Name(a.Reason))
		lines = append([]answer.Text{by}, lines...)
	}
	return answer.Entry(answer.Say(c.Class, "  ", answer.Name(object.PathText(c.Path))), lines...)
}

// stateLines shows the states of an object before and after. A digest that stayed is there
// once.
func stateLines(before, after *run.State) (lines []answer.Text) {
	if before != nil {
		lines = addState(lines, "before: ", before)
	}
	switch {
	case after == nil:
		return append(lines, answer.Say("after: not in the ledger any more"))
	case after.Wrong == string(archive.Missing) || after.Wrong == string(archive.Unreadable):
		return append(lines, answer.Say("after: ", after.Wrong))
	case before != nil && before.SHA256 == after.SHA256:
		return append(lines, answer.Say("after: ", stateText(after), ", with the same digest"))
	}
	return addState(lines, "after: ", after)
}

// addState adds the state of an object, and its digest.
func addState(lines []answer.Text, when string, s *run.State) []answer.Text {
	return append(lines, answer.Say(when, stateText(s)), answer.Say("  ", answer.Code(hex.EncodeToString(s.SHA256[:]))))
}

// stateText returns the state of an object as text.
func stateText(s *run.State) string {
	text := ""
	for _, word := range []string{s.Wrong, string(s.Verdict), s.Code} {
		if word != "" {
			text += safetext.Line(word) + ", "
		}
	}
	return text + safetext.Count(s.Size, "octet")
}

// Status shows the status of an archive: the present faults, and the recent readings.
func Status(s *logbook.Status) *answer.Doc {
	d := startLedger(s.Verdict, safetext.Count(s.Objects.Objects, "object")+" at "+s.At, &s.Ledger, s.UnknownKeys)
	if !s.Ledger.Believed() {
		return d
	}
	if len(s.Ledger.Findings) == 0 {
		wrong := []answer.Count{counted(int64(len(s.Wrong))+s.More, "object"),
			count(s.Stale.Objects, "not read in the last "+safetext.Age(s.MaxAgeSeconds)),
			count(s.NeverRead, "found and never read")}
		if s.Verdict != outcome.Verified {
			wrong = append(wrong, count(s.Inconclusive, "inconclusive"), count(s.OtherContexts, "under other trust or rules"))
		}
		d.Lead[0] = answer.SentencePara("wrong now: " + joinCounts(wrong...))
	}
	d.Foot = d.Head
	d.Head = answer.FirstBlocks(s.Wrong, inJSON.Left(s.More, "objects"), wrongEntry)
	for _, w := range s.Wrong {
		text.AddNextStep(d, w.Code)
	}
	oldest := answer.Say("none")
	if s.Oldest != nil {
		oldest = answer.Say(s.Oldest.ReadAt, ", ", answer.Name(s.Oldest.Path))
	}
	pairs := answer.Pairs{answer.Value("read", objectsAndOctets(s.Read.Objects, s.Read.Octets), " in the last ",
		safetext.Age(s.MaxAgeSeconds)), answer.Value("stale", amountText(s.Stale)),
		answer.Value("absent", amountText(s.Absent)), answer.Value("oldest", oldest)}
	if r := s.NewestRun; r != nil {
		whole := "not everything was read"
		if r.Whole {
			whole = "everything was read"
		}
		pairs = append(pairs, answer.Value("run", r.Number, ", ended ", r.EndedAt, ", exit ", r.Exit, "; ", whole))
		if g := r.Ignored; g != nil {
			pairs = append(pairs, answer.Value("passed over", g.FileList(), ", under the patterns ", g.PatternList()))
		}
	}
	pairs = append(pairs, answer.Value("evidence", joinCounts(count(s.Verified, "verified"), count(s.Rejected, "rejected"),
		count(s.Inconclusive, "inconclusive"), count(s.Accepted, "of these accepted"), count(s.NoEvidence, "no evidence"),
		count(s.NeverRead, "found and never read"), count(s.OtherContexts, "under other trust or rules"))),
		proofsPair(&s.Said))
	d.Head = append(append(d.Head, saidBlocks(&s.Said)...), pairs)
	return d
}

// amountText counts objects and bytes, "" if there are none.
func amountText(a logbook.Amount) string {
	if a.Objects == 0 {
		return ""
	}
	return objectsAndOctets(a.Objects, a.Octets)
}

// wrongEntry shows an object with which something is wrong, and the digest to accept it by.
func wrongEntry(w *logbook.Wrong) answer.Block {
	var read answer.Text
	if w.ReadAt != "" {
		read = answer.Say("last read whole at ", w.ReadAt, ", in run ", w.Run)
	}
	return answer.Entry(answer.Say(answer.Strong(cmp.Or(w.Wrong, string(w.Verdict)), answer.Bad), "  ",
		answer.Name(w.Path)),
		text.FoundAt(w.Code, "", w.Reason), read, answer.Say("sha256 ", answer.Code(w.SHA256)))
}

// Diff lists the objects that became different between two runs.
func Diff(d *logbook.Diff) *answer.Doc {
	title := "ledger"
	if d.From != nil {
		title = fmt.Sprintf("runs %d to %d: %s changed", d.From.Number, d.To.Number,
			safetext.Count(int64(len(d.Objects))+d.More, "object"))
	}
	doc := startLedger(d.Verdict, title, &d.Ledger, nil)
	shown, more := answer.Cut(d.Objects, answer.MostRows)
	for _, x := range shown {
		lines := []answer.Text{answer.Say(x.Class, " in run ", x.First.Number, ", which ended ", x.First.EndedAt)}
		for _, step := range x.Later {
			lines = append(lines, answer.Say(step.Class, " in run ", step.Run))
		}
		if x.From != "" {
			lines = append(lines, answer.Say("from ", answer.Name(x.From)))
		}
		if x.Returned {
			lines = append(lines, answer.Say("it is again as it was"))
		} else {
			lines = append(lines, stateLines(x.Before, x.After)...)
		}
		doc.Head = append(doc.Head, answer.Entry(answer.Say(answer.Name(x.Path)), lines...))
	}
	doc.Head = append(doc.Head, inJSON.Left(more+d.More, "objects"))
	return doc
}

// Accepted shows an acceptance.
func Accepted(a *logbook.Accepted) *answer.Doc {
	if a.Change == nil {
		return startLedger(a.Verdict, "nothing was accepted", &a.Ledger, nil)
	}
	return &answer.Doc{Title: "in the record of the next run", Head: []answer.Block{changeEntry(a.Change)}}
}
