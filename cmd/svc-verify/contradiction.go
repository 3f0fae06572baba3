package main

import (
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// verifyContradiction answers whether a file proves that two bundles contradict each other.
func verifyContradiction(c *invocation) *reply {
	refuseIf(len(c.Args) != 1, "--contradiction: expected one file, found %d", len(c.Args))
	for _, q := range questions {
		if c.Switch("gate") || slices.ContainsFunc(q.asks, c.Given) {
			return stopWith(cliapp.Usagef("--contradiction asks whether two proofs contradict each other: "+
				"--gate, --%s and the like ask about a proof", q.asks[0]))
		}
	}
	root, doc := c.trustFile(), c.readEvidence(c.Args[0], contradiction.MaxFile)
	r := contradiction.Verify(doc, root, verify.Policy{LegacyBefore: c.legacyBefore()})
	file := safetext.Quote(c.Args[0])
	for _, f := range r.Findings {
		c.sayLine("%s: %s#%s: %s (%s)", r.Verdict, file, f.Path, f.Sentence(), f.Code)
	}
	return &reply{code: exitCode(r.Verdict), json: r,
		doc: func() *answer.Doc { return batch.ContradictionDocument(r, file, safetext.Quote(c.Text("trust"))) }}
}
