package cases

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/tamper"
)

var update = flag.Bool("update", false, "write docs/findings-coverage.md anew")

const intro = `# What is found, and what shows it

Every code that the forensic half can report, how it is made from the evidence of a fleet, and the near miss that must not lead to it. This page is written from the table in
` + "`forensics/cases`" + ` by ` + "`go test ./forensics/cases -update`" + `; the tests there play every line of it. The scene is ` + "`fleet`" + ` where none is named:

    svc-harness scene fleet --tamper SCRIPT --out DIR

`

// TestCoverage: the page says what the table says.
func TestCoverage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "findings-coverage.md")
	page := coverage()
	if *update {
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, page) {
		t.Error("docs/findings-coverage.md is out of date: run go test ./forensics/cases -update")
	}
}

// coverage is the page.
func coverage() []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, severity := range []finding.Severity{finding.Critical, finding.High, finding.Medium, finding.Info} {
		fmt.Fprintf(&b, "## %s\n\n| code | made by | also | near miss |\n|---|---|---|---|\n", severity)
		for _, entry := range finding.Codes() {
			for _, x := range fixtures() {
				if x.code == entry.Code && entry.Severity == severity {
					fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", x.code, x.made(), codes(x.also), x.missed())
				}
			}
		}
		b.WriteByte('\n')
	}
	return append(bytes.TrimSpace(b.Bytes()), '\n')
}

// made says how the code of a fixture is made.
func (x fixture) made() string {
	if x.by != "" {
		return named(x.by)
	}
	return "scene `" + x.scene + "`: " + summary(x.scene)
}

// missed says what the near miss is, and what it leads to for its own part.
func (x fixture) missed() string {
	near := "scene `unabused`"
	if x.near != "" {
		near = named(x.near)
	}
	if len(x.nearAlso) > 0 {
		near += "; only " + codes(x.nearAlso)
	}
	return near
}

func named(script string) string {
	s, _ := tamper.Lookup(script)
	return "`" + script + "`: " + s.Summary
}

func summary(scene string) string {
	all := harness.Scenes()
	i := slices.IndexFunc(all, func(d harness.Description) bool { return d.Name == scene })
	return all[max(i, 0)].Summary
}

func codes(all []finding.Code) string {
	var quoted []string
	for _, c := range all {
		quoted = append(quoted, "`"+string(c)+"`")
	}
	return strings.Join(quoted, ", ")
}
