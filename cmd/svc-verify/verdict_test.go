package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// heldUp is a case that everything is asked about.
type heldUp struct {
	files map[string]fleet.File
	trust string // its file
}

// madeCase makes a case when it is its turn.
type madeCase struct {
	name string
	make func(t *testing.T) heldUp
}

// oneOf is how many generated manipulations there are to one that is tried here.
// Package cases does all of them.
const oneOf = 8

// heldUps are the evidence of a fleet after every script and some manipulations,
// and in every layout.
func heldUps(t *testing.T) (all []madeCase) {
	t.Helper()
	e := cases.Evidence(t, fleet.Scene)
	usual := trustFile(t, e, t.TempDir())
	for _, s := range tamper.Scripts() {
		all = append(all, madeCase{s.Name, func(t *testing.T) heldUp {
			after, damage := must.Two(s.Apply(e))(t)
			root := usual
			if _, ok := after.Files[fleet.TrustFile]; ok {
				root = trustFile(t, after, t.TempDir())
			}
			return heldUp{filesOf(after, tamper.Given(e, after, damage)), root}
		}})
	}
	for i, m := range tamper.Manipulations(1) {
		if i%oneOf == 0 {
			all = append(all, madeCase{m.Name, func(t *testing.T) heldUp {
				after, _ := must.Two(m.Apply(e))(t)
				return heldUp{filesOf(after, m.Given), usual}
			}})
		}
	}
	for _, l := range must.Get(layout.All(e))(t) {
		all = append(all, madeCase{l.Name, func(*testing.T) heldUp { return heldUp{l.Files, usual} }})
	}
	return all
}

// filesOf are the files of evidence at or below paths.
func filesOf(e *fleet.Evidence, paths []string) map[string]fleet.File {
	files := map[string]fleet.File{}
	for _, name := range e.Names(paths...) {
		files[name] = e.Files[name]
	}
	return files
}

// trustFile writes the trust file of evidence.
func trustFile(t *testing.T, e *fleet.Evidence, dir string) string {
	t.Helper()
	must.Do(t, e.Write(dir, fleet.TrustFile))
	return filepath.Join(dir, fleet.TrustFile)
}

// TestOneVerdict: all commands that report the verdict on a case report the same one, whatever
// was done to the evidence and however it is laid out. Every second case is asked about, and the
// next statements ask of the next of these, so that each is asked about every sixth. Package cases
// has the verdicts of all of them.
func TestOneVerdict(t *testing.T) {
	all := heldUps(t)
	var verdicts sync.Map
	t.Run("each", func(t *testing.T) {
		for i, h := range all {
			if i%2 == 0 || testing.Short() && i%56 != 5 {
				continue
			}
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				verdicts.Store(h.make(t).check(t, t.TempDir(), i), true)
			})
		}
	})
	for _, v := range []verify.Verdict{verify.Verified, verify.Rejected, verify.Inconclusive} {
		_, ok := verdicts.Load(v)
		check.That(t, ok, "no case is %s", v)
	}
}

// statement is one way to ask for the verdict on a case.
type statement struct {
	args []string
	read func(out string) string
	exit bool // by the verdict, and else 0
}

// first is the verdict whose word is the first of a text.
func first(out string) string { return meant(strings.Fields(out + " none")[0]) }

// meant is the verdict that people read as a word.
func meant(word string) string {
	if word = strings.ToLower(word); word == "open" {
		return string(verify.Inconclusive)
	}
	return word
}

func verdictOfJSON(out string) string {
	var doc struct {
		Verdict string `json:"verdict"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		return err.Error()
	}
	return doc.Verdict
}

// headline returns how to read the first match of an expression.
func headline(expression string) func(string) string {
	of := regexp.MustCompile(expression)
	return func(out string) string {
		if m := of.FindStringSubmatch(out); m != nil {
			return meant(m[1])
		}
		return ""
	}
}

// ofCSV is the verdict in the last column of a table, if all rows have the same
// and it follows from their effects; one without rows is of no case that is rejected.
func ofCSV(out string) string {
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		return err.Error()
	}
	said, worst := "", verify.Verified
	for _, row := range rows[1:] {
		switch finding.Effect(row[slices.Index(rows[0], "effect")]) {
		case finding.Rejects:
			worst = verify.Rejected
		case finding.LeavesOpen:
			worst = cmp.Or(map[verify.Verdict]verify.Verdict{verify.Verified: verify.Inconclusive}[worst], worst)
		}
		if verdict := row[len(row)-1]; said == "" || said == verdict {
			said = verdict
		} else {
			said = said + " and " + verdict
		}
	}
	if said == "" || said == string(worst) {
		return string(worst)
	}
	return said + ", of findings that make it " + string(worst)
}

// ofLines is the verdict that all JSON lines have.
func ofLines(out string) string {
	said := ""
	for line := range strings.Lines(out) {
		if verdict := verdictOfJSON(line); said == "" || said == verdict {
			said = verdict
		} else {
			return said + " and " + verdict
		}
	}
	return said
}

// statements are all ways to ask.
func (h heldUp) statements(log string, sequence uint64) []statement {
	all := []statement{
		{[]string{"show crosscheck", "--trust", h.trust, "--output", "json"}, verdictOfJSON, true},
		{[]string{"show crosscheck", "--trust", h.trust}, first, true},
		{[]string{"walk", "--trust", h.trust}, first, true},
		{[]string{"show findings"}, first, false},
		{[]string{"show findings", "--output", "json", "--severity", "info"}, verdictOfJSON, false},
		{[]string{"show gaps"}, first, false},
		{[]string{"show gaps", "--output", "json"}, verdictOfJSON, false},
		{[]string{"report", "--output", "markdown"}, headline(`(?m)^\*\*(\w+)\.\*\*`), false},
		{[]string{"report", "--output", "html"}, headline(`<p class="verdict">.*<span>([a-z]+)</span></p>`), false},
		{[]string{"report", "--output", "json"}, verdictOfJSON, false},
		{[]string{"report", "--output", "csv"}, ofCSV, false},
	}
	if sequence > 0 {
		all = append(all, statement{[]string{"timeline", "--output", "timesketch"}, ofLines, false},
			statement{[]string{"timeline"}, first, false},
			statement{[]string{"timeline", "--output", "json"}, verdictOfJSON, false},
			statement{[]string{"timeline", "--bucket", "day"}, first, false})
		at := []string{"show event", "--log", log, "--sequence", fmt.Sprint(sequence)}
		all = append(all, statement{at, first, false},
			statement{append(slices.Clone(at), "--output", "json"), verdictOfJSON, false})
	}
	return all
}

// check asks in every third way from the n-th on, and returns the verdict.
func (h heldUp) check(t *testing.T, dir string, n int) verify.Verdict {
	t.Helper()
	given, file := filepath.Join(dir, "evidence"), filepath.Join(dir, "c.case")
	must.Do(t, errors.Join(os.MkdirAll(given, 0o700), (&fleet.Evidence{Files: h.files}).Write(given)))
	if code, _, errs := call(nil, "ingest", file, given); code == 2 {
		t.Fatal(errs)
	}
	code, out, _ := call(nil, "walk", file, "--trust", h.trust, "--output", "json")
	var walked struct {
		Verdict verify.Verdict `json:"verdict"`
		Logs    []struct {
			LogID string `json:"log_id"`
			First uint64 `json:"first_sequence"`
		} `json:"logs"`
	}
	if err := json.Unmarshal([]byte(out), &walked); err != nil || code != exitCode(walked.Verdict) {
		t.Fatalf("walk ends with %d and says %s, %v", code, walked.Verdict, err)
	}
	logVerdicts(t, out)
	again, same, errs := call(nil, "check", "--trust", h.trust, "--output", "json", given)
	check.That(t, again == code && same == out,
		"check ends with %d and is not what walk says, which ends with %d: %s", again, code, errs)
	log, sequence := "", uint64(0)
	for _, l := range walked.Logs {
		if l.First > 0 {
			log, sequence = l.LogID, l.First
		}
	}
	for i, s := range h.statements(log, sequence) {
		if (i+n)%3 != 0 {
			continue
		}
		args := append(append(strings.Fields(s.args[0]), file), s.args[1:]...)
		code, out, errs := call(nil, args...)
		want := exitVerified
		switch {
		case s.exit:
			want = exitCode(walked.Verdict)
		case s.args[0] == "show gaps" && sequence == 0: // there is no log
			want = exitInconclusive
		}
		if got := s.read(out); got != string(walked.Verdict) || code != want {
			t.Errorf("%s says %q and ends with %d; the walk says %s: %s", s.args, got, code, walked.Verdict, errs)
		}
		form := s.args[len(s.args)-1]
		check.That(t, form != "csv" && form != "timesketch" || strings.Contains(errs, "the case is "+string(walked.Verdict)),
			"%s says %q beside it; the walk says %s", s.args, errs, walked.Verdict)
		check.That(t, walked.Verdict == verify.Verified || !strings.Contains(out, "nothing was found that speaks against it"),
			"%s says that nothing was found, and the walk %s", s.args, walked.Verdict)
	}
	return walked.Verdict
}
