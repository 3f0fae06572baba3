package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/verify"
)

// TestProgram holds the declaration of the command line to the rules of cliapp.
func TestProgram(t *testing.T) {
	check.Do(t, newProgram().Check())
}

// TestHelpOfEveryCommand: the help states each exit code once, and lists the codes of every
// command that is no group.
func TestHelpOfEveryCommand(t *testing.T) {
	var visit func(path []string, all []*cliapp.Command)
	visit = func(path []string, all []*cliapp.Command) {
		for _, c := range all {
			line := append(slices.Clone(path), c.Name)
			_, help, _ := call(nil, append(slices.Clone(line), "--help")...)
			n := strings.Count(strings.ToLower(help), "exit code")
			check.That(t, n == 1, "%v: exit codes are spoken of %d times", line, n)
			for _, e := range newProgram().ExitCodes {
				n := len(regexp.MustCompile(fmt.Sprintf(`(?m)^  %d  `, e.Code)).FindAllString(help, -1))
				check.That(t, n <= 1, "%v: exit code %d is explained %d times", line, e.Code, n)
			}
			check.That(t, c.Action == nil || len(c.ExitCodes) > 0, "%v: it does not say which exit codes it has", line)
			visit(line, c.Commands)
		}
	}
	visit(nil, newProgram().Commands)
}

// TestExitCodeIsTotal: only the two known answers give 0 and 1.
func TestExitCodeIsTotal(t *testing.T) {
	want := map[verify.Verdict]int{verify.Verified: 0, verify.Rejected: 1, verify.Inconclusive: 3, "": 3, "Verified": 3,
		"verified ": 3, "passed": 3}
	for v, code := range want {
		check.Equal(t, exitCode(v), code, "%q gives", v)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := verify.Verdict(rapid.String().Draw(t, "verdict"))
		code := exitCode(v)
		must.That(t, code == 3 || want[v] == code, "%q gives %d", v, code)
	})
}

// TestResultsHaveTheirSchema: every form of the result conforms to the output of "svc-verify
// schema result".
func TestResultsHaveTheirSchema(t *testing.T) {
	for name, scene := range scenes() {
		trust := fileOf(t, seal.Canonical(scene.Trust))
		for _, export := range scene.Exports {
			good := seal.Canonical(export.Bundle)
			bad := bytes.Replace(good, []byte(`"allow"`), []byte(`"deny"`), 1)
			for _, doc := range [][]byte{good, bad, nil, []byte("{")} {
				for _, form := range []string{"result", "brief"} {
					_, stdout, _ := call(doc, "--evidence", "-", "--trust", trust, "--output", form)
					check.OK(t, schemas.Conformance("result", []byte(stdout)), "%s: %s: %s", name, form, stdout)
				}
			}
		}
	}
}

// TestSameBytes: two runs print the same, and nothing of the file's name.
func TestSameBytes(t *testing.T) {
	scene := scenes()["capability"]
	doc := seal.Canonical(scene.Bundle("tx-2026-0001"))
	trust := fileOf(t, seal.Canonical(scene.Trust))
	for _, form := range []string{"result", "brief", "report"} {
		code, first, _ := call(doc, "--evidence", "-", "--trust", trust, "--output", form)
		_, second, _ := call(nil, "--evidence", fileOf(t, doc), "--trust", fileOf(t, seal.Canonical(scene.Trust)),
			"--output", form)
		check.That(t, code == 0 && first == second, "%s: exit code %d\n%s\n%s", form, code, first, second)
	}
}

// TestEveryLimitationIsExplained: whatever limitation a scene's proof has, explain
// knows.
func TestEveryLimitationIsExplained(t *testing.T) {
	for name, scene := range scenes() {
		trust := fileOf(t, seal.Canonical(scene.Trust))
		for _, export := range scene.Exports {
			_, stdout, _ := call(seal.Canonical(export.Bundle), "--evidence", "-", "--trust", trust, "--output",
				"report")
			var report verify.Report
			must.Do(t, json.Unmarshal([]byte(stdout), &report))
			for _, l := range report.Limitations {
				_, ok := findTopic(string(l.Code))
				check.That(t, ok, "%s: limitation %s is not explained", name, l.Code)
			}
		}
	}
}

// TestMeterOfEveryCommand: every command can show that it works, but for groups and for those
// that are done at once.
func TestMeterOfEveryCommand(t *testing.T) {
	short := []string{"contradiction", "inspect", "explain", "schema", "version"}
	for _, c := range newProgram().Commands {
		if len(c.Commands) > 0 || slices.Contains(short, c.Name) {
			continue
		}
		if !slices.ContainsFunc(c.Flags, func(f cliapp.Flag) bool { return f.Name == "progress" }) ||
			!slices.ContainsFunc(c.Flags, func(f cliapp.Flag) bool { return f.Name == "quiet" }) {
			t.Errorf("%s has no --progress or no --quiet", c.Name)
		}
	}
}

// TestListIsTheSameDocument: a list that is written element by element equals the document
// that answer.JSON writes at once.
func TestListIsTheSameDocument(t *testing.T) {
	type document struct {
		Schema string        `json:"schema"`
		Before string        `json:"before"`
		Things []query.Event `json:"things"`
		After  []int         `json:"after"`
	}
	for n := range 4 {
		want := document{"x/v1", hostile, make([]query.Event, n), []int{1, 2}}
		var at, once bytes.Buffer
		l := newList(&at, want.Schema, "things", member{"before", want.Before})
		for _, e := range want.Things {
			l.addItem(e)
		}
		l.endList(member{"after", want.After})
		must.Do(t, answer.JSON(&once, want))
		check.That(t, at.String() == once.String(), "%d elements:\n%s\nwant\n%s", n, at.String(), once.String())
	}
}
