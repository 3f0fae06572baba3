package house_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

var (
	update = flag.Bool("update", false, "lower the figures of budget.txt that fell")
	places = flag.String("places", "", "print the places that this figure over the tree counts")
)

// listed are headings of pages that are generated from the programs.
var listed = []struct {
	row     string
	heading *regexp.Regexp
	pages   []string
}{
	{"codes of findings", regexp.MustCompile("(?m)^### `"), []string{"docs/codes.md"}},
	{"commands", regexp.MustCompile("(?m)^## svc-"),
		[]string{"docs/commands.md", "service/docs/svc-edge-commands.md", "service/docs/svc-harness.md"}},
}

// TestBudget: the tree grows only with a line of budget.txt.
func TestBudget(t *testing.T) {
	const name = "budget.txt"
	text, err := os.ReadFile(name)
	must.Do(t, err)
	counted := counts(t)
	if *update {
		lowered := must.Get(Lower(string(text), counted))(t)
		text = []byte(lowered)
		must.Do(t, os.WriteFile(name, text, 0o644))
	}
	limits, err := Parse(string(text))
	must.Do(t, err)
	over := Growth(limits, counted)
	for _, sentence := range over {
		t.Error(sentence)
	}
	if len(over) > 0 {
		t.Errorf("Make something smaller. Raise a line in %s only for a new capability, or a move from a folder whose line"+
			" falls, and explain it in the commit. `go test . -run TestBudget -v -places ROW` lists what a row counts.", name)
	}
	for _, row := range counted {
		if row.Name == *places {
			t.Log(strings.Join(row.Places, "\n"))
		}
	}
}

// counts returns the figures of the tree, with those that generated pages list.
func counts(t *testing.T) []Row {
	t.Helper()
	rows := must.Get(Count(os.DirFS(".")))(t)
	for _, l := range listed {
		n := 0
		for _, page := range l.pages {
			text := must.Get(os.ReadFile(page))(t)
			n += len(l.heading.FindAll(text, -1))
		}
		rows = append(rows, Row{Name: l.row, Figures: []int{n}})
	}
	return rows
}
