package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// verifier is the folders whose packages name a code only where they find it. Everywhere else
// a code is recognised by its properties, so that a new one needs no edit there.
var verifier = []string{"answer", "archive", "batch", "bundle", "chain", "cmd", "contradiction", "forensics",
	"outcome", "trust", "verify"}

// namers are the packages that name constants of codes that are generated into another
// package, all if names is empty, with the reason.
var namers = []struct{ in, of, names, why string }{
	{"", "internal/form", "", "every reader of a document finds what is wrong with its form"},
	{"", "internal/ijson", "", "and with its JSON"},
	{"forensics/read", "finding", "", "finds what is wrong with sources"},
	{"forensics/ingest", "finding", "", "finds what is wrong with sources, and with records"},
	{"forensics/walk", "finding", "", "finds what is wrong with logs"},
	{"forensics/facts", "finding", "", "finds what is wrong with documents"},
	{"forensics/crosscheck", "finding", "", "finds what sources say against each other"},
	{"forensics/delivery", "finding", "", "finds what is wrong with batches, and changed sources"},
	{"forensics/examine", "finding", "SourceTruncated", "finds sources whose ingest broke off"},
	{"forensics/query", "finding", "SourceTruncated", "so it does for the answer of an ingest"},
	{"forensics/verdict", "finding", "TailUnanchored JournalEndsEarly", "limits a verdict by them"},
	{"forensics/cases", "finding", "", "is for tests alone"},
	{"contradiction", "finding", "IssuedTwice RevocationWithheld SplitView", "finds them in two bundles"},
	{"archive/handover", "archive/bag", "Altered Missing Unlisted Name Unreadable", "finds them of a bag that is made"},
	{"archive/logbook", "archive", "AnotherHistory ArchiveVerdictLost LedgerAltered LedgerForeign",
		"finds them without reading an object"},
	{"archive/object", "finding", "SourceUnreadable", "has what could not be read examined"},
	{"archive/bag", "archive/seal", "AnotherHistory Contradiction SealRoot", "finds them of a seal without its keys"},
	{"archive/record", "archive/seal", "NoToken NotRead SealRoot", "finds them of a record too"},
	{"cmd/svc-verify", "archive/seal", "NoToken", "leaves it out where a record shows more"},
	{"archive/record", "archive/timestamp", "TokenOther", "finds it of a token without a request"},
	{"archive/record", "archive/timestamp", "TokenUnchecked", "renews in spite of it"},
}

// otherWords are codes that are words of something else too: a type of events, and the outcome
// for a file.
var otherWords = []string{"approval.denied", "not-read"}

// codeUse is a code that is named outside its package.
type codeUse struct{ in, of, name string }

// TestCodes: a code is named where it is found, and nowhere else.
func TestCodes(t *testing.T) {
	constants := generatedCodes(t)
	used := map[codeUse]bool{}
	for _, folder := range verifier {
		eachFile(t, folder, func(name string) {
			if strings.HasSuffix(name, "_test.go") || path.Base(name) == "codes_gen.go" {
				return
			}
			for _, u := range codeUses(t, name, nil, constants) {
				if u.of == "" {
					t.Errorf("%s has the code %s as a string", name, u.name)
					continue
				}
				if row := namerOf(u); row >= 0 {
					used[codeUse{namers[row].in, u.of, u.name}] = true
					continue
				}
				t.Errorf("%s names %s.%s: ask for a property of the code", name, u.of, u.name)
			}
		})
	}
	for _, n := range namers {
		for _, name := range strings.Fields(n.names) {
			check.That(t, used[codeUse{n.in, n.of, name}],
				"%s does not name %s.%s: take it off the list", n.in, n.of, name)
		}
	}
}

// TestCodesAreFound: the rule finds constants under any name of their package, and strings.
func TestCodesAreFound(t *testing.T) {
	const source = `package cause

import (
	codes "github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

func isGap(code codes.Code) bool { return code == codes.Gap || code == trust.KeyUnknown }

func isFork(code string) bool { return code == "chain.fork" || code == "approval.denied" }
`
	want := []codeUse{{"forensics/cause", "finding", "Gap"}, {"forensics/cause", "trust", "KeyUnknown"},
		{"forensics/cause", "", "chain.fork"}}
	got := codeUses(t, "forensics/cause/gap.go", source, generatedCodes(t))
	check.That(t, slices.Equal(got, want), "%v, want %v", got, want)
	for _, u := range want {
		check.That(t, namerOf(u) < 0, "%v is allowed", u)
	}
}

// namerOf returns the row that allows a use, -1 if none does.
func namerOf(u codeUse) int {
	return slices.IndexFunc(namers, func(n struct{ in, of, names, why string }) bool {
		return u.of == n.of && (n.in == "" || within(u.in, n.in)) &&
			(n.names == "" || slices.Contains(strings.Fields(n.names), u.name))
	})
}

// codeUses returns the constants of other packages that a file of Go names, and the strings in
// it that are codes. If source is nil, the file is read.
func codeUses(t *testing.T, name string, source any, constants map[string]map[string]string) (all []codeUse) {
	t.Helper()
	f := must.Get(parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution))(t)
	in, packages, codes := path.Dir(name), map[string]string{}, map[string]bool{}
	for dir, of := range constants {
		for _, code := range of {
			codes[code] = !slices.Contains(otherWords, code)
		}
		for _, i := range f.Imports {
			if i.Path.Value == strconv.Quote(module+dir) {
				packages[path.Base(dir)] = dir
				if i.Name != nil {
					packages[i.Name.Name] = dir
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && constants[packages[x.Name]][n.Sel.Name] != "" {
				all = append(all, codeUse{in, packages[x.Name], n.Sel.Name})
			}
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && codes[s] {
				all = append(all, codeUse{in, "", s})
			}
		}
		return true
	})
	return all
}

// generatedCodes returns the constants of codes, by the package and their name.
func generatedCodes(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, folder := range append([]string{"finding", "internal"}, verifier...) {
		eachFile(t, folder, func(name string) {
			if path.Base(name) != "codes_gen.go" {
				return
			}
			f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
			of := map[string]string{}
			ast.Inspect(f, func(n ast.Node) bool {
				if v, ok := n.(*ast.ValueSpec); ok {
					of[v.Names[0].Name], _ = strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				}
				return true
			})
			all[path.Dir(name)] = of
		})
	}
	return all
}

// eachFile calls a function with the name of each file of Go in a folder.
func eachFile(t *testing.T, folder string, do func(name string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(name, ".go") {
			do(filepath.ToSlash(name))
		}
		return err
	})
	must.Do(t, err)
}
