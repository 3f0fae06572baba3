package main

import (
	"cmp"
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/progress"
)

// ofVerdicts are the flags of a check that bear on its verdict.
var ofVerdicts = []string{"case", "collected", "strict", "store", "temp-dir", "report"}

// explainPaths shows what a check would find, and verifies nothing. Results are written file
// by file, since there can be many.
func explainPaths(c *invocation) *reply {
	c.interruptContext()
	for _, name := range ofVerdicts {
		refuseIf(c.Given(name), "--%s has no effect with --explain, which verifies nothing", name)
	}
	c.requirePaths(c.Args)
	paths := c.pathsOf(c.Args)
	refuseIf(len(paths) == 0, "missing argument: svc-verify check --explain takes PATH... or --from-file")
	m := c.newMeter(progress.Size)
	add, end := c.explainedText()
	if c.asJSON() {
		out := newList(c.Stdout, ingest.ExplainedSchema, "files")
		add = func(x *ingest.Explained) error { return catchFailure(func() { out.addItem(x) }) }
		end = func() error { out.endList(); return nil }
	}
	var total ingest.Tally
	options := ingest.Options{Stdin: c.Stdin, Read: c.readOptions()}
	err := ingest.Explain(c.ctx, paths, options, shownBy(m), func(x *ingest.Explained) error {
		total.Add(x.Tally)
		return add(x)
	})
	m.Clear()
	stopInterrupted(err, "")
	stopOn(end())
	return &reply{code: anyOf(total.Events > 0)}
}

// explainedText returns the functions that write the content of each file as text, and the end.
// Without --full only the end writes: the content of one file, or a row for each of several.
func (c *invocation) explainedText() (add func(*ingest.Explained) error, end func() error) {
	var all []ingest.Explained // without the details
	var first *answer.Doc
	add = func(x *ingest.Explained) error {
		brief := *x
		brief.Containers, brief.Levels = nil, nil
		all = append(all, brief)
		d := report.Explained(x)
		if !c.Switch("full") {
			first = cmp.Or(first, d)
			return nil
		}
		err := answer.WriteText(c.Stdout, d, false)
		fmt.Fprintln(c.Stdout)
		return err
	}
	return add, func() error {
		d := report.ExplainedSummary(all)
		switch {
		case c.Switch("full"):
		case len(all) == 1:
			d = first
		default:
			d.AddFold("Content of each file", answer.Para{})
		}
		return c.writeDocument(d)
	}
}
