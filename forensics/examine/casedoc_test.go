package examine

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver

	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

var question = regexp.MustCompile("(?s)```sql\n(.*?)```\n\n```\n(.*?)```\n")

// TestCaseDocument asks a case what docs/case.md asks, and wants the answers that
// stand there.
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
	w := must.Get(store.OpenWrite("case.db", fleettest.As(1)))(t)
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
