package cases

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the pages of this package anew")

const intro = `# Findings, and the evidence that shows them

This page is generated: ` + "`make docs`" + `.

Every code that the walk and the crosscheck can report, the evidence that produces it, and the near
miss that must not. The tests in ` + "`forensics/cases`" + ` play every line. Section 13 of [spec.md](spec.md)
defines the faults of a log. The scene is ` + "`fleet`" + ` unless a line names another:

    svc-harness scene fleet --tamper SCRIPT --out DIR

`

// TestCoverage: the page agrees with the table.
func TestCoverage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "findings-coverage.md")
	page := coverage()
	if *update {
		must.Do(t, os.WriteFile(path, page, 0o644))
	}
	got, err := os.ReadFile(path)
	check.That(t, err == nil && bytes.Equal(got, page), "docs/findings-coverage.md is out of date: run make docs")
}

// coverage is the page.
func coverage() []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, severity := range []finding.Severity{finding.Critical, finding.High, finding.Medium, finding.Info} {
		fmt.Fprintf(&b, "## %s\n\n| code | found by | made by | also | near miss |\n|---|---|---|---|---|\n", severity)
		for _, entry := range finding.Codes("logs") {
			for _, x := range codeFixtures() {
				if x.code == entry.Code && entry.Severity == severity {
					fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", x.code, x.examination(), x.made(), codes(x.also), x.missed())
				}
			}
		}
		b.WriteByte('\n')
	}
	return append(bytes.TrimSpace(b.Bytes()), '\n')
}

// examination names the examination that finds the code.
func (x fixture) examination() string {
	if x.crossed {
		return "crosscheck"
	}
	return "walk"
}

// TestSpecificationStatesEveryFault: section 13 states every fault of a log, with the
// examination that finds it, and whether it leaves the verdict open. A fault of sources and
// batches is no fault of a log.
func TestSpecificationStatesEveryFault(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "spec.md")))(t)
	_, section, _ := strings.Cut(string(page), "\n## 13 ")
	section, _, _ = strings.Cut(section, "\n## ")
	stated := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (walk|crosscheck) \\| (.*) \\|$").FindAllStringSubmatch(
		section, -1) {
		effect := string(finding.Rejects)
		if strings.HasSuffix(m[3], "*Open.*") {
			effect = string(finding.LeavesOpen)
		}
		stated[m[1]] = m[2] + " " + effect
	}
	other := regexp.MustCompile(`^(source|batch|walk|document)\.`)
	for _, x := range codeFixtures() {
		entry, _ := finding.Lookup(x.code)
		want := x.examination() + " " + string(entry.Effect)
		got, ok := stated[string(x.code)]
		check.That(t, (!ok || got == want) && (ok || entry.Effect == finding.None || other.MatchString(string(x.code))),
			"%s: the specification says %q, want %q", x.code, got, want)
	}
}

// made returns how the code of a fixture is made.
func (x fixture) made() string {
	if x.by != "" {
		return named(x.by)
	}
	return "scene `" + x.scene + "`: " + summary(x.scene)
}

// missed describes the near miss, and the findings that it leads to by itself.
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

// wholeDumps are the dumps that each hold everything: paths below stores.
var wholeDumps = []string{
	"collector/json", "collector/proto", "collector/zstd", "collector/native-zstd", "s3/json", "s3/proto",
	"kafka/otlp_json.jsonl", "kafka/otlp_proto.jsonl", "kafka/raw.jsonl", "loki/query.jsonl", "loki/legacy.jsonl",
	"elasticsearch/otel.jsonl", "elasticsearch/ecs.jsonl", "elasticsearch/raw.jsonl", "elasticsearch/old.jsonl",
	"elasticsearch/bodymap.jsonl", "elasticsearch/bulk.jsonl", "clickhouse/otel_logs.jsonl", "splunk/hec.jsonl",
	"splunk/export.jsonl", "requests/capture.http",
}

// TestDumpsAreListed: no dump is left out of the list, save those that are a
// folder's worth of pages.
func TestDumpsAreListed(t *testing.T) {
	pages := []string{"loki/query_range-", "elasticsearch/search-", "clickhouse/otel_logs-"}
	for _, name := range Evidence(t, fleet.Scene).Names("stores") {
		listed := slices.ContainsFunc(wholeDumps, func(d string) bool {
			return name == fleet.Store(d) || strings.HasPrefix(name, fleet.Store(d)+"/")
		})
		paged := slices.ContainsFunc(pages, func(p string) bool { return strings.HasPrefix(name, fleet.Store(p)) })
		check.That(t, listed || paged, "%s is in no list", name)
	}
}

// manipulationsTemplate is the page without the rows that are made.
//
//go:embed testdata/manipulations.md
var manipulationsTemplate string

// row is a line of the page.
type row struct {
	manipulation
	*verdict.Result
}

// rows are the lines of the page, filled by the tests that run in parallel.
type rows struct {
	sync.Mutex
	all []row
}

func (r *rows) add(m manipulation, result *verdict.Result) {
	r.Lock()
	defer r.Unlock()
	r.all = append(r.all, row{m, result})
}

// checkPage compares the page with the rows. If these are not all, the page has each of them.
func (r *rows) checkPage(t *testing.T, all bool) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "manipulations.md")
	if !all {
		page := string(must.Get(os.ReadFile(path))(t))
		for _, x := range r.all {
			check.That(t, strings.Contains(page, x.line()), "docs/manipulations.md does not have %s", x.line())
		}
		return
	}
	page := r.page()
	if *update {
		must.Do(t, os.WriteFile(path, page, 0o644))
	}
	got, err := os.ReadFile(path)
	check.That(t, err == nil && bytes.Equal(got, page), "docs/manipulations.md is out of date: run make docs")
}

func (r *rows) page() []byte {
	slices.SortFunc(r.all, func(a, b row) int { return strings.Compare(a.name, b.name) })
	var actors, near, told strings.Builder
	for _, actor := range []tamper.Actor{tamper.OneStore, tamper.AllStores, tamper.AtNode, tamper.NodeThief,
		tamper.Outsider, tamper.AuditKey} {
		fmt.Fprintf(&actors,
			"## %s%s\n\n| manipulation | what | verdict | decided by | first cause |\n|---|---|---|---|---|\n",
			strings.ToUpper(string(actor[:1])), actor[1:])
		for _, x := range r.all {
			if x.actor == actor && x.blame != tamper.Nothing {
				actors.WriteString(x.line())
			}
		}
		actors.WriteByte('\n')
	}
	for _, x := range r.all {
		if untold[x.name] != "" {
			told.WriteString(x.line())
		} else if x.blame == tamper.Nothing {
			near.WriteString(x.line())
		}
	}
	return []byte(strings.NewReplacer("{{actors}}", actors.String(), "{{near}}", near.String(), "{{untold}}",
		told.String()).Replace(manipulationsTemplate))
}

// line is the line of the page.
func (x row) line() string {
	switch code := untold[x.name]; {
	case code != "":
		return fmt.Sprintf("| %s | %s | `%s` |\n", x.what, x.Verdict, code)
	case x.blame == tamper.Nothing:
		return fmt.Sprintf("| %s | %s | %s |\n", x.actor, x.what, x.Verdict)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", x.shown(), x.what, x.Verdict, x.decisive(), x.cause())
}

// shown is the name without the actor's name, which is above.
func (x row) shown() string {
	if name, ok := strings.CutPrefix(x.name, string(x.actor)+": "); ok {
		return ": " + name
	}
	return "`" + x.name + "`"
}

// decisive is the finding that decides, with its place.
func (x row) decisive() string {
	f := x.Decides
	if f == nil {
		return ""
	}
	about := ""
	switch {
	case f.Sequence > 0 && f.Sequence == f.LastSequence:
		about = fmt.Sprintf(", %s, %d", f.LogID, f.Sequence)
	case f.Sequence > 0:
		about = fmt.Sprintf(", %s, %d to %d", f.LogID, f.Sequence, f.LastSequence)
	case f.LogID != "":
		about = ", " + f.LogID
	case len(f.Evidence) > 0:
		_, path, _ := strings.Cut(f.Evidence[0].Source, "/evidence/")
		about = ", " + path
	}
	return "`" + string(f.Code) + "`" + about
}

// cause is the cause that is named first.
func (x row) cause() string {
	if len(x.Causes) == 0 {
		return ""
	}
	return "`" + string(x.Causes[0].Code) + "`"
}
