// Package text renders answers about an archive for people.
package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Where the rest of a list is.
var (
	inRecords = answer.Rest{Command: "--report jsonl=FILE"}
	inJSON    = answer.Rest{Command: "--output json"}
)

// startAnswer begins an answer: with its reason, the keys that the trust file lacks, and the
// unexamined parts.
func startAnswer(verdict outcome.Class, title, reason string, u *verify.UnknownKeys, notExamined []string) *answer.Doc {
	d := answer.NewAnswer(verdict, title)
	d.Lead = append([]answer.Block{answer.SentencePara(reason)}, text.KeysMissing(u)...)
	for _, sentence := range notExamined {
		d.LeftOut = append(d.LeftOut, answer.Say(sentence))
	}
	return d
}

// count is a number of things.
var count = answer.CountOf

// joinCounts names the numbers above 0.
func joinCounts(all ...answer.Count) string { return cmp.Or(answer.JoinCounts(all...), "none") }

// counted is a number of things that have a plural.
func counted(n int64, thing string) answer.Count {
	_, what, _ := strings.Cut(safetext.Count(n, thing), " ")
	return count(n, what)
}

// objectsAndOctets counts both.
func objectsAndOctets(objects, octets int64) string {
	return safetext.Count(objects, "object") + ", " + safetext.Count(octets, "octet")
}

// saidBlocks show the proofs that are revoked or superseded, and up to where logs are complete.
func saidBlocks(s *object.Said) []answer.Block {
	var proofs []text.NamedProof
	for i := range s.Proofs {
		p := text.NamedProof{Name: s.Proofs[i].Path, About: &s.Proofs[i].Proof.About}
		if s.Proofs[i].Proof.Superseded {
			p.Instead = "a later proof"
		}
		proofs = append(proofs, p)
	}
	noted := text.NotedProofs(proofs, inRecords.Left(s.Statuses.Revoked+s.Statuses.Superseded, "of these proofs"))
	if len(s.Logs) == 0 {
		return noted
	}
	t := answer.Table{Columns: answer.Columns("File", "name", "Log", "name", "Complete by others", "number", "Own",
		"number", "Later", "number"), Left: inRecords.Left(s.MoreLogs, "logs")}
	for i := range s.Logs {
		l := &s.Logs[i].Log
		t.Rows = append(t.Rows, answer.Row(answer.Name(s.Logs[i].Path), answer.Name(l.LogID),
			fmt.Sprint("to ", l.CompleteByOthers.Sequence), fmt.Sprint("to ", l.CompleteByOwn.Sequence), l.TailByOthers))
	}
	return append(noted, t)
}

// addSaid adds a fold with the statement of each proof.
func addSaid(d *answer.Doc, s *object.Said) {
	said := text.SaidSection(s.Proofs, inRecords.Left(s.MoreProofs, "proofs"),
		func(p *object.ProofOf) (string, string) { return p.Path, p.Proof.Said() })
	d.AddFold(said.Heading, said.Blocks...)
}

// addReasons adds findings, and makes their number and the first one the reason.
func addReasons(d *answer.Doc, all []finding.InDocument, left answer.Left) {
	if len(all) > 0 {
		d.Lead[0] = answer.Para(answer.Say(safetext.Count(int64(len(all))+left.N, "finding"), ", the first: ",
			answer.Code(all[0].Code), "."))
	}
	text.AddFindings(d, all, left)
}

// proofsPair counts the proofs by their statuses.
func proofsPair(s *object.Said) answer.Pair {
	n := s.Statuses
	if n.Issued+n.Revoked+n.Superseded == 0 {
		return answer.Pair{}
	}
	age := ""
	if len(s.Proofs) > 0 {
		age = "; " + s.Proofs[0].Proof.Freshness
	}
	return answer.Value("proofs", joinCounts(count(n.Issued, "issued"), count(n.Revoked, "revoked"),
		count(n.Superseded, "superseded")), age)
}
