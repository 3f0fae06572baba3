package main

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/inspect"
	"github.com/svc-edge/svc-verify/verify/text"
)

// proveBundle is the one-proof form.
func proveBundle(c *cliapp.Context) (int, error) {
	policy, err := policyOf(c)
	if err != nil {
		return 0, err
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	doc, err := readBundle(c, c.Text("evidence"))
	if err != nil {
		return 0, err
	}
	p := text.Proof{
		Report:   verify.Verify(bundle.Open(doc), root, policy),
		Root:     root,
		Evidence: safetext.Quote(c.Text("evidence")),
		Trust:    safetext.Quote(c.Text("trust")),
		Cut:      len(doc) > form.MaxBundle,
	}
	if err := writeProof(c, p); err != nil {
		return 0, err
	}
	return exitCode(p.Report.Verdict), nil
}

// writeProof shows the proof as --output says, and why it did not verify as one
// sentence on standard error.
func writeProof(c *cliapp.Context, p text.Proof) error {
	if first, ok := p.Report.First(); ok {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s (%s)\n", p.Report.Verdict, text.Located(p.Evidence, first),
			first.Code)
	} else if p.Report.Verdict != verify.Verified {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s: %s\n", p.Report.Verdict, p.Evidence, p.Report.Failure().Reason)
	}
	if u := p.Report.UnknownKeys; u != nil {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s (%s)\n", p.Evidence, u.Sentence, u.Code)
	}
	// The brief form has no room for more than its five fields.
	if about := p.Report.About; about != nil && c.Text("output") == "brief" {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s\n", p.Evidence, about.Sentence())
	}
	switch c.Text("output") {
	case "text":
		return writePage(c, p.Page())
	case "report":
		return writeJSON(c.Stdout, p.Report)
	case "brief":
		if p.Report.Result != nil {
			return writeJSON(c.Stdout, p.Report.Result.Brief())
		}
	default:
		if p.Report.Result != nil {
			return writeJSON(c.Stdout, p.Report.Result)
		}
	}
	return writeJSON(c.Stdout, p.Report.Failure())
}

func inspectBundle(c *cliapp.Context) (int, error) {
	doc, err := readBundle(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	in := bundle.Open(doc)
	overview := inspect.Of(in, doc)
	if c.Text("output") == "json" {
		err = writeJSON(c.Stdout, overview)
	} else {
		_, err = io.WriteString(c.Stdout, text.Overview(overview, safetext.Quote(c.Args[0])))
	}
	if err != nil {
		return 0, err
	}
	switch {
	case in.Empty():
		return exitInconclusive, nil
	case len(in.Faults) > 0:
		return exitRejected, nil
	}
	return exitVerified, nil
}
