package examine

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/userkey"
	"github.com/svc-edge/svc-verify/trust"
)

// dumped is a record of a collector's export whose body is a text.
func dumped(body string) string {
	return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + strings.ReplaceAll(body, `"`, `\"`) +
		`"}}]}]}]}` + "\n"
}

// TestRecordsThatAreNoEvents: the kind of a record that is no event is named by its own code,
// at its place.
func TestRecordsThatAreNoEvents(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "tenant.ndjson")
	journal := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	line, _, _ := strings.Cut(string(journal), "\n")
	long := strings.Replace(line, `{"data":{`, `{"data":{"a":"`+strings.Repeat("x", 20_000)+`",`, 1)
	for code, record := range map[finding.Code]string{
		finding.BodyTruncated:     long[:10_000],
		finding.SourceUnparseable: long[:10_001],
		finding.Malformed:         strings.Replace(line, `"sequence":1,`, `"sequence":0,`, 1),
		finding.Ambiguous:         strings.Replace(line, `"sequence":1,`, `"sequence":1,"sequence":2,`, 1),
	} {
		name := string(code) + ".ndjson"
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(dumped(record)), 0o644))
		add(t, path, dir, name)
		found := about(run(t, path, root, Whole), name)
		check.That(t, len(found) == 1 && found[0] == code, "%s: %v", code, found)
	}
}

// TestDeliveryIsSaid: how the evidence came is in the walk's findings and keeps
// the verdict as it was.
func TestDeliveryIsSaid(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "journals", "tenant.ndjson")
	before := run(t, path, root, Whole)
	journal := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	lines := bytes.SplitAfter(journal, []byte("\n"))
	must.Do(t, os.WriteFile(filepath.Join(dir, "again.ndjson"), bytes.Join(append(lines[5:9:9], lines[:5]...), nil),
		0o644))
	add(t, path, dir, "again.ndjson")
	after := run(t, path, root, Whole)
	var codes []finding.Code
	for _, f := range after.Findings {
		if f.Code == finding.DuplicateDelivery {
			codes = append(codes, f.Code)
		}
	}
	check.That(t, len(codes) == 1 && len(after.Findings) == len(before.Findings)+1 && after.Verdict == before.Verdict,
		"%s after %s, findings %v", after.Verdict, before.Verdict, after.Findings)
}

// about returns the codes of the findings whose first place is in a file.
func about(r *verdict.Result, name string) (codes []finding.Code) {
	for _, f := range r.Findings {
		if len(f.Evidence) > 0 && strings.HasSuffix(f.Evidence[0].Source, name) {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// openReader opens the case that fill and add have made.
func openReader(t *testing.T, path string) *reader {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	r := c
	s := must.Get(newReader(t.Context(), r, nil))(t)
	t.Cleanup(func() { check.That(t, r.Close() == nil && c.Close() == nil, "close") })
	return s
}

// TestUnread: between two events only the spans between them count, and from one to the end of
// a source only the spans after it.
func TestUnread(t *testing.T) {
	dir := t.TempDir()
	path, _ := fill(t, dir)
	whole := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	junk := []byte("{\"body\":\n")
	part := bytes.Join([][]byte{lines[0], junk, lines[1], lines[2], junk, junk}, nil)
	must.Do(t, os.WriteFile(filepath.Join(dir, "part.ndjson"), part, 0o600))
	add(t, path, dir, "part.ndjson")
	s := openReader(t, path)
	logs, err := s.Logs(t.Context())
	must.That(t, err == nil && len(logs) == 1, "%v %v", logs, err)
	events := []facts.Event{{}}
	for e, err := range s.Events(t.Context(), logs[0], 0) {
		must.Do(t, err)
		events = append(events, *e)
	}
	for _, tt := range []struct{ before, after, want int }{{1, 2, 1}, {2, 3, 0}, {1, 3, 1}, {3, 0, 2}, {1, 0, 3},
		{2, 1, 0}} {
		got, err := s.Unread(t.Context(), logs[0], events[tt.before], events[tt.after])
		check.That(t, err == nil && len(got) == tt.want,
			"from event %d to %d: %d spans, %v, want %d", tt.before, tt.after, len(got), err, tt.want)
	}
}

// TestCopiesAreFoundByTheirRow: the source looks at no other copy of a sequence to
// find one again, so that a crowd is not gone through for each of its copies.
func TestCopiesAreFoundByTheirRow(t *testing.T) {
	dir := t.TempDir()
	path, _ := fill(t, dir, "tenant.ndjson")
	s := openReader(t, path)
	logs := must.Get(s.Logs(t.Context()))(t)
	for e, err := range s.Events(t.Context(), logs[0], 4) {
		must.Do(t, err)
		alone := facts.Event{Ref: e.Ref} // nothing that a search could go by
		places, err := s.Places(t.Context(), logs[0], alone)
		must.That(t, err == nil && len(places) == 1, "%v, %v", places, err)
		if explains, err := s.Explains(t.Context(), logs[0], alone, alone); err != nil || explains {
			t.Fatalf("%t, %v: nothing was lost", explains, err)
		}
		return
	}
}

var question = regexp.MustCompile("(?s)```sql\n(.*?)```\n\n```\n(.*?)```\n")

// TestCaseDocument asks a case the questions of docs/case.md, and expects the answers there.
func TestCaseDocument(t *testing.T) {
	text := contents(t, filepath.Join("..", "..", "docs", "case.md"))
	t.Chdir(t.TempDir())
	demoCase(t)
	db := must.Get(sql.Open("sqlite", "case.db?mode=ro"))(t)
	defer db.Close()
	all := question.FindAllStringSubmatch(text, -1)
	n := strings.Count(text, "```sql")
	check.That(t, n == len(all) && n != 0, "%d of %d queries could be read", len(all), n)
	for _, m := range all {
		if got := table(t, db, m[1]); got != m[2] {
			t.Errorf("%sgives\n%swant\n%s", m[1], got, m[2])
		}
	}
}

var documented = regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\|")

// TestCaseDocumentListsTables: docs/case.md has every table of a case, and no other.
func TestCaseDocumentListsTables(t *testing.T) {
	text := contents(t, filepath.Join("..", "..", "docs", "case.md"))
	var listed []string
	for _, m := range documented.FindAllStringSubmatch(text, -1) {
		listed = append(listed, strings.Split(strings.Trim(m[1], "`"), "`, `")...)
	}
	slices.Sort(listed)
	t.Chdir(t.TempDir())
	demoCase(t)
	db := must.Get(sql.Open("sqlite", "case.db?mode=ro"))(t)
	defer db.Close()
	made := table(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
	check.Equal(t, "name\n"+strings.Join(listed, "\n")+"\n", made, "the tables that docs/case.md lists")
}

// demoCase makes the case that docs/case.md describes, and walks it.
func demoCase(t *testing.T) {
	t.Helper()
	add(t, "case.db", ".", must.Get(harness.WriteAsked(""))(t)...)
	w := must.Get(store.OpenWrite("case.db", cases.As(1), store.Custody(&store.Custodian{Command: "ingest",
		Version: "0.9.0", Now: time.Now, Remember: func(userkey.Head) {}, Opened: func(*custody.Journal) {}})))(t)
	must.Do(t, store.IndexEvents(t.Context(), w), w.Close())
	root := must.Get(trust.Parse([]byte(contents(t, "scene/trust.json"))))(t)
	run(t, "case.db", root, Whole)
}

func contents(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(name))(t)
	return string(b)
}

// table writes the answer to a query as the sqlite3 shell does.
func table(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.Query(query)
	must.That(t, err == nil, "%s%v", query, err)
	defer rows.Close()
	names := must.Get(rows.Columns())(t)
	out := strings.Join(names, "|") + "\n"
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		must.Do(t, rows.Scan(into...))
		for i, c := range cells {
			names[i] = c.String
		}
		out += fmt.Sprintln(strings.Join(names, "|"))
	}
	must.Do(t, rows.Err())
	return out
}

var (
	citation = regexp.MustCompile(`SPEC (\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)`)
	heading  = regexp.MustCompile(`(?m)^#{2,3} (\d+(?:\.\d+)?)[ :]`)
)

// TestCitedSectionsExist: every section of the specification that a comment
// below this folder cites is there.
func TestCitedSectionsExist(t *testing.T) {
	sections := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(contents(t, filepath.Join("..", "..", "docs", "spec.md")), -1) {
		sections[m[1]] = true
	}
	cited := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		for _, m := range citation.FindAllStringSubmatch(contents(t, path), -1) {
			for _, section := range strings.Split(m[1], ", ") {
				cited++
				check.That(t, sections[section],
					"%s cites section %s, which docs/spec.md does not have", path, section)
			}
		}
		return nil
	})
	check.That(t, err == nil && cited != 0, "%d citations, %v", cited, err)
}
