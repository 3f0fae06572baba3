package verdict

import (
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/outcome"
)

// Statuses counts the genuine bundles by their status, if there are any.
func (r *Result) Statuses() []answer.Count {
	if len(r.Proofs) == 0 {
		return nil
	}
	of := map[string]int64{}
	for _, b := range r.Proofs {
		if b.SupersededBy != "" {
			b.Status = "superseded"
		}
		of[b.Status]++
	}
	return []answer.Count{answer.CountOf(of["issued"], "issued"), answer.CountOf(of["revoked"], "revoked"),
		answer.CountOf(of["superseded"], "superseded")}
}

// addProofs adds to each source a fact for each genuine bundle in it.
func (b *outcomes) addProofs(all []crosscheck.Bundle) {
	for i := range all {
		said := all[i].Said()
		item := &b.sources[b.source(all[i].Place.Source)]
		item.About = append(item.About, outcome.Fact{What: "proof", Value: said})
		item.Proof = strings.TrimPrefix(item.Proof+"; "+said, "; ")
	}
}
