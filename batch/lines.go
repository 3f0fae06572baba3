package batch

import (
	"bufio"
	"io"

	"github.com/svc-edge/svc-verify/answer"
)

// ContradictionSchema names the form of a contradiction among the lines of a batch.
const ContradictionSchema = "svc-verify/verify-contradiction/v1"

// WriteLines writes every record and then every contradiction, each as one line of
// JSON in printable ASCII.
func (r *Result) WriteLines(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for record, err := range r.Records() {
		if err == nil {
			err = answer.JSONLine(out, record)
		}
		if err != nil {
			return err
		}
	}
	for c, err := range r.Contradictions() {
		if err == nil {
			err = answer.JSONLine(out, struct {
				Schema string `json:"schema"`
				Contradiction
			}{ContradictionSchema, c})
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}
