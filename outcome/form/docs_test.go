package form

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
)

// TestLimitsDocument: the reference has the forms with the limits that they keep.
func TestLimitsDocument(t *testing.T) {
	const file, head = "../../docs/cli.md", "| form | for | at most |\n|---|---|---|\n"
	var want strings.Builder
	for _, f := range Forms() {
		var limits []string
		for _, l := range f.Limits {
			limits = append(limits, fmt.Sprintf("%s %s, %s", answer.Number(l.Most), l.Of, l.Why))
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", f.Name, f.Reader, strings.Join(limits, "; "))
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), head)
	rows, after, ended := strings.Cut(rest, "\n\n")
	if strings.HasPrefix(rest, "\n") { // no row
		rows, after = "", rest[1:]
	}
	if !found || !ended {
		t.Fatalf("%s has no table of the forms", file)
	}
	if *update {
		page := before + head + want.String() + "\n" + after
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rows+"\n" != want.String() {
		t.Errorf("%s is out of date: run make docs\n%s", file, want.String())
	}
}
