package custody

import (
	"bytes"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestSpecification: the example of the appendix is an entry.
func TestSpecification(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/spec.md"))(t)
	_, after, found := bytes.Cut(text, []byte("```json custody-entry\n"))
	doc, _, _ := bytes.Cut(after, []byte("\n"))
	_, err := parseEntry(doc)
	check.That(t, found && err == nil, "%s: %v", doc, err)
}
