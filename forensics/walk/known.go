package walk

import (
	"context"

	"github.com/svc-edge/svc-verify/chain/event"
)

// judgeKnown judges copies, unless the very same ones, under the same keys, were
// found to be valid earlier: then they are known to be.
func (g *judge) judgeKnown(ctx context.Context, copies []judged) error {
	g.identifyAll(g.log, copies)
	if g.signatures.earlier == nil || countJudged(copies) > 0 {
		return g.verifyCopies(copies)
	}
	claims := claimsOf(copies)
	known, err := g.signatures.areKnown(ctx, claims)
	if err != nil {
		return err
	}
	if known {
		for i := range copies {
			copies[i].Judgement = event.Judgement{Computed: copies[i].Recorded, Signed: event.OverContent}
		}
		return nil
	}
	if err := g.verifyCopies(copies); err != nil {
		return err
	}
	for i := range copies {
		if !copies[i].Valid() {
			return nil
		}
	}
	return g.signatures.keepClaims(ctx, claims)
}

// countJudged returns how many of the copies were judged.
func countJudged(copies []judged) (n int) {
	for i := range copies {
		if copies[i].Judged() {
			n++
		}
	}
	return n
}

// claimsOf returns the claims that all copies are valid. There are none if one copy is not of
// a pinned key, or does not give its own hash, since it cannot be.
func claimsOf(copies []judged) Claims {
	r, _ := scratchMemory.Get().(*scratch)
	defer scratchMemory.Put(r)
	r.claims = r.claims[:0]
	for i := range copies {
		j := &copies[i]
		if j.owner != pinned || !j.Intact() {
			return Claims{}
		}
		r.claims = append(r.claims, claim{j.Recorded, j.key, &j.Signature})
	}
	return claimsTogether(r.claims)
}
