package form

import (
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
)

// scene is a report that has everything: all classes, problems of the set, entries of
// archives, lists and standard input, and hostile names.
func scene() *outcome.Report {
	rejected := outcome.Problem{Code: "signature.invalid", Class: outcome.Rejected, Path: "/evidence/issuance/signature",
		Message: "The signature does not verify under the key that is pinned."}
	items := []outcome.Item{
		verified("proofs/2026/a.json", outcome.Place{File: "proofs/2026/a.json"}, "tx-0001"),
		{Name: "proofs/2026/b.json", Place: outcome.Place{File: "proofs/2026/b.json"}, Class: outcome.Rejected,
			Problems: []outcome.Problem{rejected, {Code: "form.type", Class: outcome.Rejected, Path: "/status",
				Message: `/status: expected an object, found "issued"`}}},
		{Name: "proofs/2026/note [1].txt", Place: outcome.Place{File: "proofs/2026/note [1].txt"}, Class: outcome.NotABundle,
			Problems: []outcome.Problem{{Code: "form.not-a-bundle", Class: outcome.Rejected,
				Message: "It is no proof bundle."}}},
		{Name: "proofs/gone.json", Place: outcome.Place{File: "proofs/gone.json"}, Class: outcome.Unreadable,
			Problems: []outcome.Problem{{Code: "object.unreadable", Class: outcome.Unreadable,
				Message: "The file could not be read: permission denied."}}},
		{Name: "archive.tar!old/c.json", Place: outcome.Place{File: "archive.tar", Entry: "old/c.json"},
			Class: outcome.Inconclusive, Problems: []outcome.Problem{{Code: "status.stale", Class: outcome.Inconclusive,
				Path: "/evidence/checkpoint", Message: "The checkpoint is older than the age that was asked for."}}},
		{Name: "list.jsonl:7", Place: outcome.Place{File: "list.jsonl", Entry: "7", Line: 7}, Class: outcome.Verified,
			About: []outcome.Fact{{What: "transaction", Value: "tx-0007"}},
			Problems: []outcome.Problem{{Code: "transaction.issued-twice", Class: outcome.Rejected,
				Message: "Two certificates were issued for the transaction: the other is in proofs/2026/a.json."}}},
		{Name: hostileName, Place: outcome.Place{File: hostileName, Line: 3}, Class: outcome.Rejected,
			Problems: []outcome.Problem{{Code: "json.syntax", Class: outcome.Rejected, Path: "/" + hostileName,
				Message: "Expected a value, found " + hostileName}},
			About: []outcome.Fact{{What: "transaction", Value: hostileName}}},
		verified("-", outcome.Place{File: "-"}, "tx-0002"),
		{Name: "bare", Place: outcome.Place{File: "bare"}, Class: outcome.Inconclusive},
	}
	return reportOf(sceneRun(), items...)
}

func verified(name string, place outcome.Place, transaction string) outcome.Item {
	return outcome.Item{Name: name, Place: place, Class: outcome.Verified, About: []outcome.Fact{
		{What: "transaction", Value: transaction}, {What: "status", Value: "issued"}}}
}

var hostileName = answertest.Hostile[0]

func sceneRun() outcome.Run {
	return outcome.Run{
		Command:     "svc-verify verify",
		Verdict:     outcome.Rejected,
		NotExamined: []string{`2 files were left out, as they do not match --only "*.json".`},
		Counts: []answer.Count{{What: "verified", N: 3}, {What: "rejected", N: 2}, {What: "not-a-bundle", N: 1},
			{What: "unreadable", N: 1}, {What: "inconclusive", N: 2}, {What: "contradicted", N: 1},
			{What: "pairs compared", N: 4}, {What: "doubled", N: 0}},
		Problems: []outcome.Problem{
			{Code: "object.missing", Class: outcome.Rejected, Subject: "tx-0404",
				Message: "The transaction tx-0404 was expected and is missing.",
				Place:   outcome.Place{File: "expected.txt", Line: 4}},
			{Code: "object.missing", Class: outcome.Rejected, Message: "Expected 12 entries, found 9."},
		},
		Limitations: []finding.Limitation{{Code: "consistency-not-proved",
			Sentence: "That no further contradiction was found proves little: 17 sequences and 4 pairs were compared."}},
		TrustSHA256: strings.Repeat("5e", 32),
	}
}

func sceneOptions() Options {
	return Options{Tool: "1.2.3", Rest: answer.Rest{File: "results.jsonl"}}
}
