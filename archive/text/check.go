package text

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Check shows what a check came to: why it is not verified, what was not examined, what
// is wrong, the counts, and the digest of the run. The names are those of the trust file
// and of the ledger, quoted already.
func Check(r *archive.Result, trust, ledger string) *answer.Doc {
	reason, _, _ := strings.Cut(r.Reason(), "; ") // the findings follow
	if r.Verdict == outcome.Verified {
		reason = "nothing is wrong with what was read"
	}
	d := startAnswer(r.Verdict, safetext.Count(r.Counts.Objects, "object"), reason, r.UnknownKeys, r.NotExamined)
	text.AddFindings(d, r.Findings, inJSON.Left(0, "findings"), func(f *archive.Finding) (finding.Code, answer.Block) {
		return f.Code, answer.Para(text.FoundAt(f.Code, "", f.Message))
	})
	d.Head = append(d.Head, objectCards(r)...)
	for i := range r.Objects {
		text.AddNextStep(d, r.Objects[i].Code)
	}
	d.Head = append(d.Head, answer.FirstBlocks(r.Faults, inJSON.Left(r.MoreFaults, "causes"),
		func(c *archive.Cause) answer.Block {
			return answer.Para(answer.Say("not read: ", safetext.Count(c.Objects, "object"), ": ", c.Fault))
		})...)
	d.Head = append(d.Head, saidBlocks(&r.Said)...)
	pairs := append(countPairs(&r.Counts), proofsPair(&r.Said), answer.Value("ledger", ledger, " (",
		ledgerStanding(&r.Ledger), ")"),
		answer.Value("trust file", trust), answer.Value("trust sha256", answer.Code(r.TrustSHA256)))
	run := answer.Pairs{answer.Value("run", "nothing was recorded")}
	if r.Run != nil {
		run = answer.Pairs{answer.Value("run", r.Run.Number,
			fmt.Sprintf(", with %s; keep its digest elsewhere, for --expect-run",
				safetext.Count(r.Run.Changed, "change"))), answer.Value("run sha256", answer.Code(r.Run.Digest))}
	}
	d.Head = append(d.Head, append(pairs, run...))
	return d
}

// ledgerStanding says whose the ledger is, and how much it had.
func ledgerStanding(s *archive.Standing) string {
	if s.Runs == 0 && s.Standing == "own" {
		return "new"
	}
	return fmt.Sprintf("%s, %s of %s", s.Standing, safetext.Count(s.Runs, "run"), safetext.Count(s.Objects, "object"))
}

// objectCards shows the objects of a result. Objects with the same outcome and class share a heading.
func objectCards(r *archive.Result) []answer.Block {
	var all []answer.Block
	for i := 0; i < len(r.Objects); {
		first, n := &r.Objects[i], 1
		for i+n < len(r.Objects) && r.Objects[i+n].Outcome() == first.Outcome() && r.Objects[i+n].Class == first.Class {
			n++
		}
		outcome := answer.Strong(string(first.Outcome()), answer.ToneOf(first.Outcome()))
		all = append(all, answer.Card{Class: "log",
			Heading: answer.Say(outcome, "  ", string(first.Class), ": ", safetext.Count(r.Alike(first), "object")),
			Blocks:  answer.FirstBlocks(r.Objects[i:i+n], inRecords.Left(r.Alike(first)-int64(n), ""), objectEntry)})
		i += n
	}
	return all
}

// objectEntry shows an object: where it was, what is wrong, and the digests to accept it by.
func objectEntry(o *archive.Record) answer.Block {
	var was, is, from answer.Text
	if o.From != "" {
		from = answer.Say("was at ", answer.Name(o.From))
	}
	if o.WasSHA256 != "" && o.SHA256 != "" && o.WasSHA256 != o.SHA256 {
		is, was = answer.Say("sha256 ", answer.Code(o.SHA256)), answer.Say("was    ", answer.Code(o.WasSHA256))
	}
	return answer.Entry(answer.Say(answer.Name(o.Path)), from, text.FoundAt(o.Code, o.Pointer, o.Reason), is, was)
}

// countPairs are the numbers of objects, by what became of them, what they are and what they are worth.
func countPairs(c *archive.Counts) answer.Pairs {
	var classes []count
	for _, class := range archive.Classes() {
		classes = append(classes, count{c.Classes[class], string(class)})
	}
	return answer.Pairs{answer.Value("objects", joinCounts(classes...)),
		answer.Value("evidence", joinCounts(count{c.Verified, "verified"}, count{c.Rejected, "rejected"},
			count{c.Inconclusive, "inconclusive"}, count{c.NoVerdict, "without a verdict"}, count{c.Accepted,
				"rejected and accepted"},
			count{c.Tolerated, "inconclusive and accepted"}, count{c.Lost, "lost their verdict"})),
		answer.Value("kinds", joinCounts(counted(c.Bundles, "bundle"), counted(c.Cases, "case"), counted(c.Logs, "log"),
			count{c.Others, "no evidence"})),
		answer.Value("read", objectsAndOctets(c.Read, c.ReadOctets), "; ", safetext.Count(c.Reused, "verdict"),
			" used again")}
}
