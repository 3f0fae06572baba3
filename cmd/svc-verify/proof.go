package main

import (
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/inspect"
	"github.com/svc-edge/svc-verify/verify/text"
)

// proveBundle is the one-proof form, the program without a command.
func proveBundle(c *invocation) *reply {
	policy, root := c.policyOf(), c.trustFile()
	doc := c.readEvidence(c.Text("evidence"), form.MaxBundle)
	p := text.Proof{
		Report:   verify.Verify(bundle.Open(doc), root, policy),
		Root:     root,
		Evidence: safetext.Quote(c.Text("evidence")),
		Trust:    safetext.Quote(c.Text("trust")),
		Cut:      len(doc) > form.MaxBundle,
	}
	a := &reply{code: exitCode(p.Report.Verdict)}
	switch result := p.Report.Result; {
	case c.Text("output") == "text":
		a.doc = p.Document
	case c.Text("output") == "report":
		a.json = p.Report
	case result == nil:
		a.json = p.Report.Failure()
	case c.Text("output") == "brief":
		a.json = result.Brief()
	default:
		a.json = result
	}
	a.says = proofSays(&p, c.Text("output") == "brief")
	return a
}

// proofSays returns why a proof did not verify, as one sentence, and the facts that do not fit
// in the five fields of the brief form.
func proofSays(p *text.Proof, brief bool) (says []string) {
	if first, ok := p.Report.First(); ok {
		says = append(says, fmt.Sprintf("%s: %s (%s)", p.Report.Verdict, text.Located(p.Evidence, first), first.Code))
	} else if p.Report.Verdict != verify.Verified {
		says = append(says, fmt.Sprintf("%s: %s: %s", p.Report.Verdict, p.Evidence, p.Report.Failure().Reason))
	}
	for _, sentence := range unknownKeys(p.Report.UnknownKeys) {
		says = append(says, p.Evidence+": "+sentence)
	}
	if about := p.Report.About; about != nil && brief {
		says = append(says, p.Evidence+": "+about.Sentence())
	}
	return says
}

// inspectFile shows a bundle or a part, which it recognises by content.
func inspectFile(c *invocation) *reply {
	if beginsWith(c.Args[0], "svc-verify/part/") { // of any version (SPEC 19.3)
		return describePart(c)
	}
	doc := c.readEvidence(c.Args[0], form.MaxBundle)
	refuseIf(c.Given("part-key"), "--part-key has no effect on a bundle")
	in := bundle.Open(doc)
	overview := inspect.Of(in, doc)
	a := &reply{json: overview, doc: func() *answer.Doc { return text.Overview(overview, safetext.Quote(c.Args[0])) }}
	switch {
	case in.Empty():
		a.code = exitInconclusive
	case len(in.Faults) > 0:
		a.code = exitRejected
	}
	return a
}
