package cases

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// formatsTemplate is the page without the rows that are made.
//
//go:embed testdata/formats.md
var formatsTemplate string

// TestFormats: the page agrees with the readers. With -short the readers read every 90th form.
// Of the others, only the columns that need no reading are compared.
func TestFormats(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "formats.md")
	got := must.Get(os.ReadFile(path))(t)
	page := formatsPage(t, string(got))
	if *update {
		must.Do(t, os.WriteFile(path, page, 0o644))
	} else if !bytes.Equal(got, page) {
		t.Error("docs/formats.md is out of date: run make docs")
	}
}

// tried reports whether this run reads the form with that index.
func tried(i int) bool { return !testing.Short() || *update || i%90 == 0 }

// formatsPage is the page. A form that is not tried keeps its row of the page as it
// was, if the other columns are right.
func formatsPage(t *testing.T, was string) []byte {
	var forms, cuts, stores, bounds strings.Builder
	for i, s := range shapes.All() {
		loses := s.Loses
		if loses == "" {
			loses = "nothing"
		}
		begin, end := "| "+described(s)+" | ", " | "+cell(loses)+" | "+cell(s.Export)+" |\n"
		if !tried(i) {
			for line := range strings.Lines(was) {
				if strings.HasPrefix(line, begin) && strings.HasSuffix(line, end) {
					forms.WriteString(line)
				}
			}
			continue
		}
		f, batch := cleanly(t, s), "–"
		if b := f.result.Batches; b.Distinct == 1 && b.Absent == 0 {
			batch = "kept"
		}
		columns := []string{orDash(f.formats), orDash(f.fidelities), batch, planned(t, s)}
		forms.WriteString(begin + strings.Join(columns, " | ") + end)
	}
	for _, s := range read.BuiltinStores().All {
		why := cmp.Or(s.Said("plan"), "it is one document")
		if s.Said("line") != "" {
			why = "a line can be in several records"
		}
		fmt.Fprintf(&cuts, "| %s | %s | %s |\n", s.Name, cutOrWhole(s.Name.IsCut()), why)
	}
	for _, s := range read.BuiltinStores().All {
		if product := s.Said("product"); product != "" {
			columns := []string{string(s.Name), product, s.Said("record"), s.Said("query"), s.Said("loses"), s.Said("export")}
			stores.WriteString("| " + strings.Join(columns, " | ") + " |\n")
		}
	}
	writeBounds(&bounds)
	return []byte(strings.NewReplacer("{{forms}}", forms.String(), "{{cuts}}", cuts.String(), "{{stores}}",
		stores.String(), "{{descriptions}}", read.BuiltinStores().Text, "{{bounds}}",
		bounds.String()).Replace(formatsTemplate))
}

// writeBounds writes the rows of the limits.
func writeBounds(b *strings.Builder) {
	l := read.Limits{}.WithDefaults()
	fmt.Fprintf(b, "| bytes decompressed from one file | %d MiB, and %d for each byte of it |\n",
		read.FreeExpansion>>20, l.Expansion)
	fmt.Fprintf(b, "| bytes that each line, value or message in it counts for in addition | %d |\n", read.PerUnit)
	fmt.Fprintf(b, "| memory of one decoder | %d MiB |\n", read.MostWindow>>20)
	fmt.Fprintf(b, "| memory of all decoders, one after another | %d GiB, and %d bytes for each byte of the file |\n",
		read.FreeMemory>>30, read.MemoryRate)
	fmt.Fprintf(b, "| members of an archive, and blocks of a stream of xz | %d |\n", l.Members)
	fmt.Fprintf(b, "| codecs and archives within one another | %d |\n", l.Nesting)
	fmt.Fprintf(b, "| a line, message, value or row | %d MiB |\n", l.Unit>>20)
}

// TestDescribing: the page explains every key that a description can have.
func TestDescribing(t *testing.T) {
	_, err := read.ParseStores("unknown")
	keys, ok := strings.CutPrefix(fmt.Sprint(err), "line 1: expected one of ")
	keys, _, _ = strings.Cut(keys, ", found")
	for key := range strings.SplitSeq(keys, ", ") {
		check.That(t, ok && strings.Contains(formatsTemplate, "\n| `"+key+" "),
			"%v: the page does not explain %q", err, key)
	}
}

func cutOrWhole(cut bool) string {
	if cut {
		return "cut"
	}
	return "whole"
}

// planned returns how a plan treats the files of a form: cut or whole.
func planned(t *testing.T, s shapes.Shape) string {
	t.Helper()
	h := historyFor(t, s)
	dir := t.TempDir()
	for name, content := range s.Write(h.handedOut()) {
		must.Do(t, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "-")), content, 0o600))
	}
	p := must.Get(plan.Make(t.Context(), []string{dir}, plan.Options{Shares: 4, Least: 1}, nil))(t)
	cut := slices.ContainsFunc(p.Sources, func(s plan.Source) bool { return len(s.Ranges) > 1 })
	for _, s := range p.Sources {
		check.That(t, s.Format.IsCut() || len(s.Ranges) <= 1,
			"a file of %s is cut, and the table says that it goes whole", s.Format)
	}
	return cutOrWhole(cut)
}

// orDash is a list, or a dash for an empty one.
func orDash(all []string) string {
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, ", ")
}

// described is the name of a form, with a link to its document if that has an
// address.
func described(s shapes.Shape) string {
	title, address, ok := strings.Cut(s.Document, "http")
	if !ok {
		return fmt.Sprintf("`%s`: %s", s.Name, cell(s.Document))
	}
	return fmt.Sprintf("[`%s`](http%s %q)", s.Name, cell(address), cell(strings.TrimRight(title, ", ")))
}

// cell is text as it is in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`).Replace(text)
}
