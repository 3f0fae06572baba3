package answer_test

import (
	"io"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestJSONIsASCII: both writers escape all other characters than printable ASCII, and keep the value.
func TestJSONIsASCII(t *testing.T) {
	value := []string{"ä\u202e\x7f"}
	for _, c := range []struct {
		write func(io.Writer, any) error
		want  string
	}{
		{answer.JSON, "[\n  \"\\u00e4\\u202e\\u007f\"\n]\n"},
		{answer.JSONLine, "[\"\\u00e4\\u202e\\u007f\"]\n"},
	} {
		var b strings.Builder
		must.Do(t, c.write(&b, value))
		check.Equal(t, b.String(), c.want, "the document")
	}
}
