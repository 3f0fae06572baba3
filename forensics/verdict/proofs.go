package verdict

import (
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/outcome"
)

// Want rejects the genuine bundles whose status is not the one that the user asks for,
// unless they are superseded (SPEC 8.24). It must be bundle.Issued, bundle.Revoked, or
// "" for any.
func (r *Result) Want(status string) {
	if status == "" {
		return
	}
	var found []finding.Finding
	for _, b := range r.Proofs {
		if b.SupersededBy == "" && b.Status != status {
			found = append(found, finding.Finding{Code: finding.StatusUnwanted, TenantID: b.TenantID, Expected: status,
				Found: b.About.Outcome(), Evidence: []finding.Evidence{b.Place}}.Complete())
		}
	}
	r.addFindings(found, incident.OfFindings(found))
}

// Statuses counts the genuine bundles by what they say, if there are any.
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

// addProofs enters in each source what the genuine bundles in it say.
func (b *outcomes) addProofs(all []crosscheck.Bundle) {
	for i := range all {
		said := all[i].Said()
		item := &b.sources[b.source(all[i].Place.Source)]
		item.About = append(item.About, outcome.Fact{What: "proof", Value: said})
		item.Proof = strings.TrimPrefix(item.Proof+"; "+said, "; ")
	}
}
