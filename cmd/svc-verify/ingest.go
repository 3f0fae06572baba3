package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func ingestPaths(c *invocation) *reply {
	c.interruptContext()
	c.requirePaths(c.Args[1:])
	paths := c.pathsOf(c.Args[1:])
	refuseIf(len(paths) == 0, "missing argument: svc-verify ingest takes CASE PATH...")
	options := c.ingestOptions()
	m := c.newMeter(progress.Size)
	w := c.openWriter()
	c.sayStanding(w.Standing())
	c.atEnd(func() error {
		m.Watch()
		defer m.Clear()
		return c.caseFault(w.Close())
	})
	sum := mustHave(c.ingestInto(w, paths, options))
	if c.Switch("index") {
		stopOn(c.caseFault(store.IndexEvents(c.ctx, w)))
	}
	m.Clear()
	out := mustHave(query.Outcome(context.Background(), mustHave(w.Case(context.Background(), store.Judging{})), sum))
	return &reply{code: anyOf(out.Found() && !(c.Switch("strict") && len(out.NotWhole) > 0)), json: out,
		doc: func() *answer.Doc { return report.Ingested(out) }}
}

// openWriter opens the case to write to it, and makes it if it is absent. The caller closes it.
func (c *invocation) openWriter() *store.Writer {
	w, err := store.OpenWrite(c.caseFile(), c.caseOptions(c.ctx)...)
	return mustHave(w, c.caseFault(err))
}

// ingestInto reads paths into a case. Errors name the case.
func (c *invocation) ingestInto(w *store.Writer, paths []string, o ingest.Options) (ingest.Summary, error) {
	sum, err := ingest.Paths(c.ctx, w, paths, o, shownBy(c.meter))
	if errors.Is(err, context.Canceled) {
		return sum, fmt.Errorf("interrupted after %d events: the case is intact; to resume, run the same command again",
			sum.Events)
	}
	return sum, c.caseFault(err)
}

func (c *invocation) ingestOptions() ingest.Options {
	return ingest.Options{Stdin: c.Stdin, Read: c.readOptions()}
}

func (c *invocation) readOptions() read.Options {
	o := read.Options{Format: read.Format(c.Text("input-format")), BatchAttributes: c.List("batch-attribute"),
		Only: c.patternsOf()}
	if c.Declares("format") && c.Given("format") {
		name := c.Text("format")
		stores, err := read.ParseStores(string(c.readFile(name, read.MostStores)))
		refuseIf(err != nil, "--format %s: %v", safetext.Quote(name), err)
		o.Stores = stores
	}
	if c.Declares("unconfined") && c.Switch("unconfined") {
		o.Confinement = read.Unconfined
	}
	return o
}

// shownBy returns a function that shows the progress of an ingest.
func shownBy(m *progress.Meter) func(ingest.Progress) {
	return func(p ingest.Progress) {
		m.Show(progress.Done{Doing: p.Path, Read: p.Read, Of: p.Size, Events: p.Events})
	}
}
