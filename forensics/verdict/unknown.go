package verdict

import (
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// signedThings contains the names of signed things, in the singular.
var signedThings = map[facts.StatementKind]string{facts.SignedEvents: "event", facts.SignedReports: "report",
	facts.SignedCheckpoints: "checkpoint", facts.SignedCursors: "cursor", facts.SignedParts: "proof signature"}

// unknownKeys returns the keys that evidence names and the trust file lacks (SPEC 13). The
// signatures in bundles are counted as proofs, if the bundles were verified.
func unknownKeys(e Examined) *verify.UnknownKeys {
	tally := &verify.KeyTally{}
	for _, u := range e.Saw.Keys {
		if u.Kind == facts.SignedParts && e.Comparison != nil {
			continue
		}
		tally.Total(signedThings[u.Kind], u.Count)
		if e.Root == nil || !e.Root.Lacks(u.KeyID) {
			continue
		}
		tally.Add(u.KeyID, signedThings[u.Kind], u.Count)
		if u.Intact > 0 {
			tally.Good(true)
		}
	}
	if e.Comparison != nil {
		addProofs(tally, e.Comparison.Bundles)
	}
	return tally.Unknown(allEvidence)
}

// UnknownKeysWith returns the same of the case with bundles that were given in addition: all
// of these bundles count, and all other evidence that rests on keys.
func (r *Result) UnknownKeysWith(bundles []crosscheck.Bundle) *verify.UnknownKeys {
	tally := &verify.KeyTally{}
	if u := r.UnknownKeys; u != nil {
		for _, k := range u.Keys {
			for _, rests := range k.RestsOn {
				if rests.What != verify.RestingProof {
					tally.Restore(k.Name, rests)
				}
			}
		}
	}
	addProofs(tally, bundles)
	return tally.Unknown(allEvidence)
}

// addProofs counts bundles that were verified.
func addProofs(tally *verify.KeyTally, bundles []crosscheck.Bundle) {
	for _, b := range bundles {
		tally.Proof(b.UnknownKeys, b.Verdict == verify.Inconclusive)
	}
}

// allEvidence is how a sentence names all of it.
const allEvidence = "this evidence"

// keyProblem is the first problem in a report, nil if the trust file lacks nothing.
func (r *Result) keyProblem() []outcome.Problem {
	u := r.UnknownKeys
	if u == nil {
		return nil
	}
	return []outcome.Problem{{Code: u.Code, Class: outcome.Inconclusive, Message: u.Sentence}}
}
