package form

import (
	"io"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The forms for people have the document of the command.
var (
	// markdown is Markdown of GitHub's kind, short enough for a comment.
	markdown = Form{
		Name:   "markdown",
		Reader: "people, as a comment on GitHub or GitLab",
		Limits: []Limit{{answer.MostComment, "octets", "below the 65,536 characters of a comment on GitHub"}},
		Write:  markdownOf(answer.MostComment),
	}

	// summary is the same for the summary of a step.
	summary = Form{
		Name:   "github-summary",
		Reader: "people, as what GITHUB_STEP_SUMMARY names",
		Limits: []Limit{
			{answer.MostSummary, "octets", "below the 1 MiB above which GitHub shows nothing of a summary"},
		},
		Write: markdownOf(answer.MostSummary),
	}

	// page is one HTML file that needs no other file and runs no script.
	page = Form{
		Name:   "html",
		Reader: "people, in a browser or on paper",
		Limits: []Limit{{answer.MostItems, "rows of a table", "so that a browser is quick"}},
		Write: func(w io.Writer, r *outcome.Report, o Options) error {
			d := documentOf(r, o)
			d.CutTables(answer.MostItems, o.Rest)
			return answer.HTML(w, d)
		},
	}
)

// markdownOf writes Markdown of at most so many bytes.
func markdownOf(most int) func(io.Writer, *outcome.Report, Options) error {
	return func(w io.Writer, r *outcome.Report, o Options) error {
		return answer.Markdown(w, documentOf(r, o), most)
	}
}

// documentOf returns the document of the command under the name of the command.
func documentOf(r *outcome.Report, o Options) *answer.Doc {
	d := r.Document()
	if d.Title != "" {
		d.Lead = append([]answer.Block{answer.Paragraph(safetext.Cut(d.Title, answer.MostSentence))}, d.Lead...)
	}
	d.Title = answer.Sentence(r.Command)
	d.Foot = append(d.Foot, answer.Paragraph("Made by svc-verify "+answer.Sentence(o.Tool)))
	return d
}
