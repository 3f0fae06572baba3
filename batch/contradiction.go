package batch

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// ContradictionDocument shows the verification of a contradiction file: the fault, the claim and the
// grounds of each side, and why the file is not verified. The names of both files are quoted
// already.
func ContradictionDocument(r *contradiction.Report, file, trust string) *answer.Doc {
	d := yesOrNo(r.Verdict, file)
	c := r.Contradiction
	if c != nil {
		d.Title += "  " + strings.TrimSuffix(string(c.Code)+", "+string(c.Shows), ", ")
		for _, sentence := range c.Sentences {
			d.Lead = append(d.Lead, answer.Paragraph(sentence))
		}
	}
	if len(r.Findings) > 0 { // two, if neither bundle verifies; the bundles say so
		d.Lead = []answer.Block{answer.SentencePara(r.Findings[0].Sentence())}
		text.AddNextStep(d, r.Findings[0].Code)
	}
	var sides []answer.Block
	for i, b := range r.Bundles {
		var side *contradiction.Side
		if c != nil {
			side = &c.Sides[i]
		}
		sides = append(sides, bundleCard(i, b, c, side))
	}
	if r.Verdict != verify.Verified {
		d.Head, sides = sides, nil
	}
	d.Head = append(d.Head, answer.Pairs{answer.Value("sha256", answer.Code(r.FileSHA256)),
		answer.Value("trust sha256", answer.Code(r.TrustSHA256))})
	d.AddFold("Grounds of each side", sides...)
	text.AddLimits(d, r.Limitations, answer.Value("trust file", trust), answer.Value("legacy", r.LegacyBefore))
	return d
}

// bundleCard shows how a bundle was judged, and the claim and the grounds of its side.
func bundleCard(i int, b contradiction.Bundle, c *contradiction.Finding, side *contradiction.Side) answer.Card {
	card := answer.Card{Class: "log", Heading: answer.Say("side ", i+1, ": ", answer.Code(b.SHA256))}
	if b.Verdict != verify.Verified {
		card.Blocks = append(card.Blocks, answer.Paragraph(b.Verdict, ": ", answer.Code(b.Code), ": ", b.Reason))
	}
	if side == nil {
		return card
	}
	checkpoint := fmt.Sprint(side.Checkpoint)
	if side.Legacy {
		checkpoint += ", which no one witnessed"
	}
	pairs := answer.Pairs{answer.Value("checkpoint", checkpoint), answer.Value(string(c.What), answer.Code(side.Value))}
	if c.TransactionID == "" {
		pairs = append(pairs, answer.Value("proof", answer.Name(side.TransactionID), " of tenant ",
			answer.Name(side.TenantID)))
	}
	var grounds answer.Cell
	for _, g := range side.RestsOn {
		grounds = append(grounds, groundText(g))
	}
	card.Blocks = append(card.Blocks, append(pairs, answer.Pair{Label: "rests on", Value: grounds}))
	return card
}

// groundText names the ground of a side, and its signer.
func groundText(g contradiction.Ground) answer.Text {
	text := answer.Say(g.Words())
	if g.Role != "" {
		text = answer.Say(text, fmt.Sprintf(", by %s key ", g.Role), answer.Name(g.KeyID))
	}
	return text
}
