package verdict

import (
	"bufio"
	"io"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
)

// The forms of the lines of a check.
const (
	RunSchema  = "svc-verify/check-run/v1"
	ItemSchema = "svc-verify/check-item/v1"
)

// runLine is the first line.
type runLine struct {
	Schema      string               `json:"schema"`
	NotExamined []string             `json:"not_examined"`
	Verdict     outcome.Class        `json:"verdict"`
	TrustSHA256 string               `json:"trust_sha256"`
	Problems    []outcome.Problem    `json:"problems"`
	Limitations []finding.Limitation `json:"limitations"`
}

// itemLine is the line of a log or a source.
type itemLine struct {
	Schema   string            `json:"schema"`
	Kind     string            `json:"kind"` // log or source
	Name     string            `json:"name"` // unique among the lines
	File     string            `json:"file"` // "" for a log without a journal of its own
	Verdict  outcome.Class     `json:"verdict"`
	Problems []outcome.Problem `json:"problems"`
	About    []outcome.Fact    `json:"about"`
}

// writeLines writes an outcome of the result as lines of JSON in printable ASCII:
// first the run, and then every item.
func (r *Result) writeLines(w io.Writer, report *outcome.Report) error {
	out := bufio.NewWriter(w)
	if err := answer.JSONLine(out, runLine{RunSchema, report.NotExamined, report.Verdict, report.TrustSHA256,
		report.Problems, report.Limitations}); err != nil {
		return err
	}
	i := 0
	for item, err := range report.Items() {
		if err != nil {
			return err
		}
		line := itemLine{ItemSchema, "log", item.Name, item.Place.File, item.Class, item.Problems, item.About}
		if i++; i > len(r.Logs) {
			line.Kind = "source"
		}
		if err := answer.JSONLine(out, line); err != nil {
			return err
		}
	}
	return out.Flush()
}
