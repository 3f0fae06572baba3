package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

// ofCases are the flags of an ingest that say something about its case.
var ofCases = []string{"case", "by-reference", "strict", "sources"}

// explainPaths shows what an ingest would find, and writes no case.
func explainPaths(ctx context.Context, c *cliapp.Context) (int, error) {
	for _, name := range ofCases {
		if c.Given(name) {
			return 0, cliapp.Usagef("--%s has no effect with --explain, which has no case", name)
		}
	}
	m := newMeter(c, progress.Size)
	defer m.Clear()
	out := explanationsIn(c)
	var total ingest.Tally
	err := ingest.Explain(ctx, c.Args, ingestOptions(c), shownBy(m), func(x *ingest.Explained) error {
		total.Add(x.Tally)
		return out.add(x)
	})
	m.Clear()
	if errors.Is(err, context.Canceled) {
		return 0, errors.New("interrupted")
	}
	if err == nil {
		err = out.end()
	}
	if err != nil || total.Events == 0 {
		return exitInconclusive, err
	}
	return exitVerified, nil
}

// explanations are written file by file, since there can be many.
type explanations interface {
	add(*ingest.Explained) error
	end() error
}

// explanationsIn returns the form that is asked for.
func explanationsIn(c *cliapp.Context) explanations {
	if c.Text("output") == "json" {
		return jsonExplanations{newList(c.Stdout, ingest.ExplainedSchema, "files")}
	}
	return &textExplanations{w: c.Stdout}
}

type jsonExplanations struct{ *list }

func (j jsonExplanations) add(x *ingest.Explained) error {
	j.list.add(x)
	return j.err
}

func (j jsonExplanations) end() error { return j.list.end() }

type textExplanations struct {
	w   io.Writer
	all []ingest.Explained // without what was found
}

func (t *textExplanations) add(x *ingest.Explained) error {
	brief := *x
	brief.Containers = nil
	t.all = append(t.all, brief)
	if len(t.all) > 1 {
		fmt.Fprintln(t.w)
	}
	return answer.WriteText(t.w, report.Explained(x), false)
}

func (t *textExplanations) end() error {
	fmt.Fprintln(t.w)
	return answer.WriteText(t.w, report.ExplainedSummary(t.all), false)
}
