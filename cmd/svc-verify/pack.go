package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// makePack writes events of a case to a pack, and answers as the check of that pack would.
func makePack(c *invocation) *reply {
	f := c.filterOf()
	refuseIf(len(c.Args) == 1 && c.countGiven(filters...) == 0, "nothing chooses events: give NAME, or a filter such as "+
		"--type or --where")
	var choice pack.Choice
	var redact *query.Where
	if c.Given("redact") {
		redact = parseCondition("redact", c.Text("redact"))
		choice.Redact = redact
	}
	root := c.trustFile()
	c.requirePaths(c.Args[:1])
	out := c.openOut(c.Text("out"))
	for _, name := range []string{c.caseFile(), c.trustPath()} {
		info, err := os.Stat(name)
		refuseIf(err == nil && out.Is(info), "--out: expected another file than %s", safetext.Quote(name))
	}
	in, examined := c.examinedCase(root)
	f = c.ofCertificate(f, in)
	choice.Filters = []store.Filter{f}
	if len(c.Args) == 2 {
		choice.Filters = filtersWithin(examined, c.Args[1], f)
	}
	doc, left, err := pack.Make(c.ctx, in, root, examined, choice)
	stopOn(c.caseFault(err))
	if redact != nil {
		if _, why := redact.Valueless(); why != nil {
			stopOn(fmt.Errorf("--redact has no value for some events, so no pack is written; the first: %s", firstLine(why)))
		}
	}
	stopIf(len(doc) == 0, "no genuine event was chosen: no pack is written")
	_, err = out.Write(doc)
	stopOn(errors.Join(err, out.Commit()))
	if left.Copies > 0 {
		c.sayLine("not in the pack: %s of events that nothing proves: not signed as they are, or with false links",
			safetext.Count(left.Copies, "copy"))
	}
	if left.Proofs > 0 {
		c.sayLine("not in the pack: %s, which do not verify or would disclose redacted events",
			safetext.Count(left.Proofs, "proof"))
	}
	r := pack.Verify(doc, root)
	next := []string{"svc-verify", "check", c.Text("out"), "--trust", c.trustPath()}
	return &reply{code: exitCode(r.Verdict), json: r,
		doc: func() *answer.Doc { return report.Pack(r, safetext.Quote(c.Text("out")), next) }}
}

// filtersWithin returns a filter for each range of an incident, with an event more at each end.
func filtersWithin(r *verdict.Result, name string, f store.Filter) (all []store.Filter) {
	for _, at := range mustHave(affected.FindIncident(r, name)).Ranges {
		f.TenantID, f.LogID, f.First, f.Last = at.TenantID, at.LogID, max(at.First, 2)-1, at.Last+1
		all = append(all, f)
	}
	return all
}

// checkPack verifies a pack.
func (c *invocation) checkPack() *reply {
	for _, name := range append([]string{"only"}, ofVerdicts...) {
		refuseIf(c.Given(name), "--%s has no effect on a pack, which is examined by itself", name)
	}
	r := pack.Verify(c.readEvidence(c.Args[0], pack.MaxFile), c.trustFile())
	return &reply{code: exitCode(r.Verdict), json: r,
		doc: func() *answer.Doc { return report.Pack(r, safetext.Quote(c.Args[0]), nil) }}
}

// beginsWith reports whether a path is a file that begins with a text.
func beginsWith(path, text string) bool {
	f, err := access.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(text))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == text
}
