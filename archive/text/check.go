package text

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Check shows the result of a check: the reason, objects that were not examined, faults, and last
// the digest of the run. The names of the trust file and the ledger are quoted already.
func Check(r *archive.Result, trust, ledger string) *answer.Doc {
	reason, _, _ := strings.Cut(r.Reason(), "; ") // the findings follow
	if r.Verdict == outcome.Verified {
		reason = "no fault in the objects that were read"
	}
	c := &r.Counts
	d := startAnswer(r.Verdict, safetext.Count(c.Objects, "object")+": "+classCounts(c), reason, r.UnknownKeys,
		r.NotExamined)
	text.AddFindings(d, r.Findings, inJSON.Left(0, "findings"))
	d.Head = append(d.Head, objectCards(r)...)
	for i := range r.Objects {
		text.AddNextStep(d, r.Objects[i].Code)
	}
	d.Head = append(d.Head, answer.FirstBlocks(r.Faults, inJSON.Left(r.MoreFaults, "causes"),
		func(c *archive.Cause) answer.Block {
			return answer.Para(answer.Say("not read: ", safetext.Count(c.Objects, "object"), ": ", c.Fault))
		})...)
	d.Head = append(d.Head, saidBlocks(&r.Said)...)
	d.AddFold("Numbers of objects", append(countPairs(c), answer.Value("trust file", trust),
		answer.Value("ledger", ledger, " (", ledgerStanding(&r.Ledger), ")")))
	addSaid(d, &r.Said)
	run := answer.Value("run", "nothing was recorded")
	if r.Run != nil {
		run = answer.Pair{Label: fmt.Sprint("run ", r.Run.Number), Value: answer.Cell{answer.Say(answer.Code(r.Run.Digest)),
			answer.Say(safetext.Count(r.Run.Changed, "change"), "; keep this digest elsewhere, for --expect-run")}}
	}
	d.Foot = []answer.Block{answer.Pairs{proofsPair(&r.Said), answer.Value("trust", answer.Code(r.TrustSHA256)), run}}
	return d
}

// ledgerStanding returns whose the ledger is, and how much it had.
func ledgerStanding(s *archive.Standing) string {
	if s.Runs == 0 && s.Standing == "own" {
		return "new"
	}
	return fmt.Sprintf("%s, %s of %s", s.Standing, safetext.Count(s.Runs, "run"), safetext.Count(s.Objects, "object"))
}

// objectCards shows the objects of a result. Objects with the same outcome and class share a
// heading; those with the same fault share its sentence.
func objectCards(r *archive.Result) []answer.Block {
	var all []answer.Block
	for i := 0; i < len(r.Objects); {
		first, n := &r.Objects[i], 1
		for i+n < len(r.Objects) && r.Objects[i+n].Outcome() == first.Outcome() && r.Objects[i+n].Class == first.Class {
			n++
		}
		outcome := answer.Strong(string(first.Outcome()), answer.ToneOf(first.Outcome()))
		more := r.Alike(first) - int64(n)
		all = append(all, answer.Card{Class: "log",
			Heading: answer.Say(outcome, "  ", string(first.Class), ": ", safetext.Count(r.Alike(first), "object")),
			Blocks:  append(faultCards(r.Objects[i:i+n]), inRecords.Left(more, "of these objects"))})
		i += n
	}
	return all
}

// faultCards shows objects below their faults.
func faultCards(objects []archive.Record) []answer.Block {
	var faults []string
	alike := map[string][]archive.Record{}
	for _, o := range objects {
		fault := text.FoundAt(o.Code, o.Pointer, o.Reason).String()
		if alike[fault] == nil {
			faults = append(faults, fault)
		}
		alike[fault] = append(alike[fault], o)
	}
	var all []answer.Block
	for _, fault := range faults {
		entries := answer.FirstBlocks(alike[fault], inRecords.Left(0, "objects"), objectEntry)
		if fault == "" {
			all = append(all, entries...)
			continue
		}
		all = append(all, answer.Card{Class: "finding", Heading: answer.Say(fault), Blocks: entries})
	}
	return all
}

// objectEntry shows an object: where it was, and the digests to accept it by.
func objectEntry(o *archive.Record) answer.Block {
	var was, is, from answer.Text
	if o.From != "" {
		from = answer.Say("was at ", answer.Name(o.From))
	}
	if o.WasSHA256 != "" && o.SHA256 != "" && o.WasSHA256 != o.SHA256 {
		is, was = answer.Say("sha256 ", answer.Code(o.SHA256)), answer.Say("was    ", answer.Code(o.WasSHA256))
	}
	return answer.Entry(answer.Say(answer.Name(o.Path)), from, is, was)
}

// classCounts counts the objects by class.
func classCounts(c *archive.Counts) string {
	var classes []answer.Count
	for _, class := range archive.Classes() {
		classes = append(classes, count(c.Classes[class], string(class)))
	}
	return joinCounts(classes...)
}

// countPairs are the numbers of objects by verdict and kind.
func countPairs(c *archive.Counts) answer.Pairs {
	return answer.Pairs{
		answer.Value("evidence", joinCounts(count(c.Verified, "verified"), count(c.Rejected, "rejected"),
			count(c.Inconclusive, "inconclusive"), count(c.NoVerdict, "without a verdict"), count(c.Accepted,
				"rejected and accepted"),
			count(c.Tolerated, "inconclusive and accepted"), count(c.Lost, "lost their verdict"))),
		answer.Value("kinds", joinCounts(counted(c.Bundles, "bundle"), counted(c.Cases, "case"), counted(c.Logs, "log"),
			count(c.Others, "no evidence"))),
		answer.Value("read", objectsAndOctets(c.Read, c.ReadOctets), "; ", safetext.Count(c.Reused, "verdict"),
			" used again")}
}
