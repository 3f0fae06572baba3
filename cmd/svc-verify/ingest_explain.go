package main

import (
	"io"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// ofCases are the flags of an ingest that say something about its case.
var ofCases = []string{"case", "by-reference", "strict", "sources"}

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
	_, err := io.WriteString(t.w, text.Explained(x, len(t.all) > 1).String())
	return err
}

func (t *textExplanations) end() error {
	_, err := io.WriteString(t.w, text.ExplainedSummary(t.all).String())
	return err
}
