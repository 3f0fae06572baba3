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
	Schema      string           `json:"schema"`
	NotExamined []string         `json:"not_examined"`
	Verdict     outcome.Class    `json:"verdict"`
	TrustSHA256 string           `json:"trust_sha256"`
	Problems    []problemLine    `json:"problems"`
	Limitations []limitationLine `json:"limitations"`
}

// itemLine is the line of a log or a source.
type itemLine struct {
	Schema   string        `json:"schema"`
	Kind     string        `json:"kind"` // log or source
	Name     string        `json:"name"` // unique among the lines
	File     string        `json:"file"` // "" for a log without a journal of its own
	Verdict  outcome.Class `json:"verdict"`
	Problems []problemLine `json:"problems"`
	About    []factLine    `json:"about"`
}

type problemLine struct {
	Code    finding.Code  `json:"code"`
	Class   outcome.Class `json:"class"`
	Message string        `json:"message"`
	Subject string        `json:"subject"`
	File    string        `json:"file"`
	Entry   string        `json:"entry"`
}

type limitationLine struct {
	Code     finding.Code `json:"code"`
	Sentence string       `json:"sentence"`
}

type factLine struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// writeLines writes an outcome of the result as lines of JSON in printable ASCII:
// first the run, and then every item.
func (r *Result) writeLines(w io.Writer, report *outcome.Report) error {
	out := bufio.NewWriter(w)
	run := runLine{RunSchema, append([]string{}, report.NotExamined...), report.Verdict, report.TrustSHA256,
		problemLines(report.Problems), []limitationLine{}}
	for _, l := range report.Limitations {
		run.Limitations = append(run.Limitations, limitationLine(l))
	}
	if err := answer.JSONLine(out, run); err != nil {
		return err
	}
	i := 0
	for item, err := range report.Items() {
		if err != nil {
			return err
		}
		line := itemLine{ItemSchema, "log", item.Name, item.Place.File, item.Class, problemLines(item.Problems), []factLine{}}
		if i++; i > len(r.Logs) {
			line.Kind = "source"
		}
		for _, f := range item.About {
			line.About = append(line.About, factLine(f))
		}
		if err := answer.JSONLine(out, line); err != nil {
			return err
		}
	}
	return out.Flush()
}

func problemLines(all []outcome.Problem) []problemLine {
	lines := []problemLine{}
	for _, p := range all {
		lines = append(lines, problemLine{p.Code, p.Class, p.Message, p.Subject, p.Place.File, p.Place.Entry})
	}
	return lines
}
