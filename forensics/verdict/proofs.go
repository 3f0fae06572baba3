package verdict

import (
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/outcome"
)

// Statuses counts the genuine bundles by their status, if there are any.
func (r *Result) Statuses() []outcome.Count {
	if len(r.Proofs) == 0 {
		return nil
	}
	var issued, revoked, superseded int64
	for _, b := range r.Proofs {
		switch {
		case b.SupersededBy != "":
			superseded++
		case b.Status == bundle.Revoked:
			revoked++
		default:
			issued++
		}
	}
	return []outcome.Count{{What: "issued", N: issued}, {What: "revoked", N: revoked}, {What: "superseded", N: superseded}}
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
