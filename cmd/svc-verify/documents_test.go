package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
)

// codesDocument returns docs/codes.md: every code that the program prints.
func codesDocument() string {
	var b strings.Builder
	b.WriteString("# Codes\n\n" +
		"This page is generated: `make docs`.\n\n" +
		"Every code, as `svc-verify explain CODE` explains it. Until the first signed release, codes that\n" +
		"mean the same may become one; the table at the end names the older ones, and `explain` knows them.\n" +
		"No code is given another meaning. In a sentence, {path} is a JSON pointer, and {expected} and\n" +
		"{found} are what was expected and found there. Rules are sections of [spec.md](spec.md).\n")
	group := ""
	for _, t := range allTopics() {
		if t.Group != group {
			fmt.Fprintf(&b, "\n## %s\n", t.Group)
			group = t.Group
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n", t.Code)
		for _, p := range t.Pairs() {
			fmt.Fprintf(&b, "- %s%s: %s\n", strings.ToUpper(p[0][:1]), p[0][1:],
				strings.TrimSuffix(strings.TrimPrefix(p[1], "section "), " of the specification"))
		}
	}
	b.WriteString("\n## Older codes\n\n| older code | is now |\n|---|---|\n")
	for _, e := range finding.Codes("") {
		for _, old := range e.Was {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", old, e.Code)
		}
	}
	return b.String()
}

// conforms checks that a document has the form that it names. A file that is no JSON document
// names none.
func conforms(ts *testscript.TestScript, doc []byte) {
	for _, fault := range faultsOf(doc) {
		ts.Fatalf("%s", fault)
	}
}

// faultsOf lists the members of a document that the schema that it names does not allow.
func faultsOf(doc []byte) []string {
	var own struct{ Schema string }
	if json.Unmarshal(doc, &own) != nil {
		return nil
	}
	name, ours := strings.CutPrefix(own.Schema, "svc-verify/")
	name, _, _ = strings.Cut(name, "/")
	if !ours {
		return nil
	}
	if !slices.Contains(schemas.Names(), name) {
		return []string{fmt.Sprintf("the form %s has no schema", own.Schema)}
	}
	violations, err := schemas.FindViolations(name, doc)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, v := range violations {
		faults = append(faults, fmt.Sprintf("not what svc-verify schema %s says: %s: %s", name, v.Pointer, v.Message))
	}
	return faults
}

// TestSchemasOfOutputsAreTried: for each schema of a document of this program
// there is a script or a test that wants to see one, so that faultsOf has looked
// at it.
func TestSchemasOfOutputsAreTried(t *testing.T) {
	scripts := must.Get(filepath.Glob(filepath.Join("testdata", "script", "*.txtar")))(t)
	var all strings.Builder
	for _, script := range append(scripts, "receive_test.go") {
		text := must.Get(os.ReadFile(script))(t)
		all.Write(text)
	}
	for _, name := range schemas.Names() {
		form := fmt.Sprintf("svc-verify/%s/v1", name)
		text := must.Get(schemas.Source(name))(t)
		if strings.Contains(string(text), fmt.Sprintf("%q: %q", "const", form)) &&
			!strings.Contains(all.String(), form) {
			t.Errorf("no script wants a document of the form %s", form)
		}
	}
}
