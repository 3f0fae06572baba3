package cases

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// manipulationsTemplate is the page without the rows that are made.
//
//go:embed testdata/manipulations.md
var manipulationsTemplate string

// row is a line of the page.
type row struct {
	manipulation
	*verdict.Result
}

// rows are the lines of the page, filled by the tests that run beside each other.
type rows struct {
	sync.Mutex
	all []row
}

func (r *rows) add(m manipulation, result *verdict.Result) {
	r.Lock()
	defer r.Unlock()
	r.all = append(r.all, row{m, result})
}

// checkPage holds the page against the rows. If these are not all, the page has each of them.
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
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, page) {
		t.Error("docs/manipulations.md is out of date: run make docs")
	}
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

// shown is the name without that of the actor, which stands above.
func (x row) shown() string {
	if name, ok := strings.CutPrefix(x.name, string(x.actor)+": "); ok {
		return ": " + name
	}
	return "`" + x.name + "`"
}

// decisive is the finding that decides, with what it is about.
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
