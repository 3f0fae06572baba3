// Package text renders the answers on one proof for people, and the passages on proofs and
// findings of other answers.
//
// Every function renders a value that another package computed: the report of a verification,
// the overview of a bundle, the exposure of a trust file. None of them verifies or decides
// anything.
package text

import (
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// FindingCard shows a finding: in words if it has a message, else with the expected and the
// found value.
func FindingCard(f finding.InDocument) answer.Block {
	if f.Message != "" {
		return answer.Para(FoundAt(f.Code, "", f.Message))
	}
	entry, place := f.Code.Entry(), f.Place()
	rest, ofPlace := strings.CutPrefix(entry.Sentence, "{path}")
	switch {
	case rest == "" || strings.Contains(rest, "{"):
	case ofPlace:
		place += " " + strings.TrimLeft(rest, ": ")
	default:
		place += ": " + rest
	}
	return answer.Card{Class: "finding", Heading: answer.Say(answer.Code(f.Code), "  ", place),
		Blocks: []answer.Block{answer.Pairs{answer.Value("expected", safetext.Phrase(f.Expected)),
			answer.Value("found", safetext.Phrase(f.Found))}}}
}

// FoundAt returns one line with the found value and its place, which is safe to show.
func FoundAt(code finding.Code, pointer, reason string) answer.Text {
	if code == "" {
		return nil
	}
	if pointer != "" {
		pointer = " at " + safetext.Line(pointer)
	}
	return answer.Say(answer.Code(code), pointer, ": ", reason)
}

// AddFindings adds the first findings of an answer, and a command that explains the first one.
func AddFindings(d *answer.Doc, all []finding.InDocument, left answer.Left) {
	AddEntries(d, all, left, func(f *finding.InDocument) (finding.Code, answer.Block) { return f.Code, FindingCard(*f) })
}

// AddEntries adds the first entries of a list, each with its code, and a command that explains the first code.
func AddEntries[F any](d *answer.Doc, all []F, left answer.Left, show func(*F) (finding.Code, answer.Block)) {
	d.Head = append(d.Head, answer.FirstBlocks(all, left, func(f *F) answer.Block {
		code, block := show(f)
		AddNextStep(d, code)
		return block
	})...)
}

// AddNextStep ends an answer with a command that explains a code, unless it has one or there is no code.
func AddNextStep(d *answer.Doc, code finding.Code) {
	if d.Next == nil && code != "" {
		d.Next = []string{"svc-verify", "explain", string(code)}
	}
}

// NextProof ends an answer with the command that shows why a proof in a file is rejected.
func NextProof(d *answer.Doc, file, trust string) {
	if d.Next == nil {
		d.Next = []string{"svc-verify", "--evidence", file, "--trust", trust, "--output", "text"}
	}
}

// NotProved names the limitations of an answer.
func NotProved(all []verify.Limitation) answer.Pair {
	var codes []string
	for _, l := range all {
		codes = append(codes, string(l.Code))
	}
	value := strings.Join(codes, ", ")
	if value != "" {
		value += "; svc-verify explain CODE"
	}
	return answer.Value("not proved", value)
}

// AddLimits adds the limits of an answer, after further pairs.
func AddLimits(d *answer.Doc, all []verify.Limitation, pairs ...answer.Pair) {
	d.AddFold("Limits of this answer", answer.Pairs(append(pairs, NotProved(all))))
}

// KeysMissing names the keys that the trust file lacks. It is empty if there are none.
func KeysMissing(u *verify.UnknownKeys) []answer.Block {
	if u == nil {
		return nil
	}
	return []answer.Block{answer.Para(FoundAt(u.Code, "", u.Sentence))}
}

// SaidSection lists the statement of each proof. The function returns its name and the sentence.
func SaidSection[P any](all []P, left answer.Left, say func(*P) (name, sentence string)) answer.Section {
	shown, more := answer.Cut(all, answer.MostRows)
	left.N += more
	t := answer.Table{Left: left, Columns: answer.Columns("Proof", "name", "Statement", "")}
	for i := range shown {
		name, sentence := say(&shown[i])
		t.Rows = append(t.Rows, answer.Row(answer.Name(name), sentence))
	}
	return answer.Section{ID: "proofs", Heading: "Statements of the proofs", Blocks: []answer.Block{t}}
}

// NamedProof is a genuine proof among others. Instead names the proof that counts in its
// place, if it is superseded.
type NamedProof struct {
	Name, Instead string
	About         *verify.About
}

// NotedProofs names the proofs that are revoked or superseded. Others are all proofs, with their name.
func NotedProofs(proofs []NamedProof, others answer.Left) []answer.Block {
	var noted []NamedProof
	for _, p := range proofs {
		if p.Instead != "" || p.About.Status != bundle.Issued {
			noted = append(noted, p)
		}
	}
	if len(noted) == 0 {
		return nil
	}
	others.N -= int64(len(noted))
	return answer.FirstBlocks(noted, others, func(p *NamedProof) answer.Block {
		status, at, below := p.About.Status, p.About.RevokedAt, answer.Say(p.About.Names())
		if p.Instead != "" {
			status, at, below = "superseded", "", answer.Say("says ", p.About.Status, "; ", p.Instead, " counts instead")
		}
		return answer.Entry(answer.Say(status, "  ", answer.Name(p.Name), "  ", answer.Name(p.About.TransactionID), "  ", at),
			below)
	})
}
