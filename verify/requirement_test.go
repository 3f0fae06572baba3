//go:build heavy

package verify_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestEveryCase: every conformance case has exactly the verdict, check, code and path that it
// expects. So a loss in any check is noticed here, by the tests of this package alone.
func TestEveryCase(t *testing.T) {
	tally := must.Get(kit.RunCorpus(t.Context(), &kit.Corpus{Cases: must.Get(fixtures.Cases())(t)},
		kit.Options{Level: kit.LevelCode, Progress: func(int64) {}}))(t)
	check.That(t, tally.Verdict == verify.Verified, "%+v", tally.Disagreements)
}

// TestNoRequirementIsIdle: without any one requirement of a check, some case
// would have another outcome. A requirement is a call of expect, equal or
// absent, by the way to it: a helper that compares one thing in five places is
// five.
func TestNoRequirementIsIdle(t *testing.T) {
	killed, lines := map[string]string{}, map[string]bool{}
	for _, c := range judgedCases(t) {
		findings, examined := trace(t, c)
		for place := range examined {
			if _, ok := killed[place]; !ok {
				killed[place] = ""
			}
			line, _, _ := strings.Cut(place, " ")
			lines[line] = true
		}
		for _, place := range needed(findings) {
			killed[place] = c.Name
		}
	}
	for _, place := range slices.Sorted(maps.Keys(killed)) {
		check.That(t, killed[place] != "", "%s: no case has another outcome without it", place)
	}
	for _, line := range expectations(t) {
		check.That(t, lines[line], "%s: no case comes here", line)
	}
	check.That(t, len(killed) >= 100, "%d requirements only", len(killed))
	t.Logf("%d requirements, %d of them at a line of their own", len(killed), len(lines))
}

// failure is a finding of a case and the place of the requirement that it
// breaks.
type failure struct {
	verify.Finding
	place string
}

// trace verifies a case again. It returns the findings in their order, and the
// requirements that were examined.
func trace(t *testing.T, c judged) ([]failure, map[string]bool) {
	t.Helper()
	examined, broken := map[string]bool{}, []failure{}
	verify.Trace(c.in, c.root, c.policy, func(f verify.Finding, held bool) {
		place := placeOf()
		examined[place] = true
		if !held {
			broken = append(broken, failure{f, place})
		}
	})
	var all []failure
	for _, f := range c.report.Findings() {
		must.That(t, len(broken) != 0 && broken[0].Finding == f, "%s: no requirement has the finding %+v", c.Name, f)
		all, broken = append(all, broken[0]), broken[1:]
	}
	must.That(t, len(broken) <= 0, "%s: not in the report: %+v", c.Name, broken)
	return all, examined
}

// placeOf is the way from a check to the requirement that is examined: the
// places of the calls, the innermost first.
func placeOf() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	var places []string
	for {
		frame, more := frames.Next()
		name := frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
		switch {
		case !more, name == "verify.Trace":
			return strings.Join(places, " ")
		case strings.HasPrefix(name, "verify.") && !strings.HasSuffix(name, ".expect") &&
			!strings.HasSuffix(name, ".absent") &&
			!strings.HasPrefix(name, "verify.equal["):
			places = append(places, fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line))
		}
	}
}

// needed lists the requirements without which a case would be answered with
// another verdict, or with another first finding.
func needed(findings []failure) []string {
	var places []string
	for _, f := range findings {
		if slices.Contains(places, f.place) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(findings), func(other failure) bool { return other.place == f.place })
		if len(rest) == 0 || rest[0].Finding != findings[0].Finding {
			places = append(places, f.place)
		}
	}
	return places
}

// expectations lists the places of all calls of expect, equal and absent in this
// package, but for the one within equal.
func expectations(t *testing.T) []string {
	t.Helper()
	names := must.Get(filepath.Glob("*.go"))(t)
	var places []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file := must.Get(parser.ParseFile(set, name, nil, 0))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncDecl); ok && f.Name.Name == "equal" {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && expects(call.Fun) {
				places = append(places, fmt.Sprintf("%s:%d", name, set.Position(call.Pos()).Line))
			}
			return true
		})
	}
	return places
}

// expects reports whether a call is of expect, equal or absent.
func expects(called ast.Expr) bool {
	switch f := called.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name == "expect" || f.Sel.Name == "absent"
	case *ast.Ident:
		return f.Name == "equal"
	}
	return false
}
