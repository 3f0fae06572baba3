package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// nothingListed is how commands say that there is nothing.
var nothingListed = regexp.MustCompile(`(?m)^\s*(0|no) (gaps|events|findings|sources|copies)\b`)

// emptyRange is a range of events that is none.
var emptyRange = regexp.MustCompile(`events? 0\b|\b0 to 0\b`)

// TestNextCommands: after every manipulation, each command that a cause or a finding leads
// to answers, and shows something. Nothing names events that are none. A code leads to one kind of
// command, which is tried after three manipulations; the first screen is tried after every third.
func TestNextCommands(t *testing.T) {
	e, tried := cases.Evidence(t, fleet.Scene), map[string]int{}
	for i, s := range tamper.Scripts() {
		if testing.Short() && i%48 != 0 {
			continue // the rest is played without -short
		}
		t.Run(s.Name, func(t *testing.T) {
			after, damage := must.Two(s.Apply(e))(t)
			f := follow{tried: tried, screen: testing.Short() || i%3 == 0}
			f.next(t, after, tamper.Given(e, after, damage))
		})
	}
}

// follow describes the commands tried after a manipulation.
type follow struct {
	tried  map[string]int // how often a next command was tried, by code
	screen bool           // whether the first screen is
}

// next ingests files of evidence, walks the case, and runs the next command of each cause and
// finding whose code was tried less than three times.
func (w follow) next(t *testing.T, e *fleet.Evidence, names []string) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, e.Write(dir, e.Names()...))
	db, trust := filepath.Join(t.TempDir(), "case.db"), filepath.Join(dir, "trust.json")
	given := []string{}
	for _, name := range names {
		if p := filepath.Join(dir, filepath.FromSlash(name)); exists(p) {
			given = append(given, p)
		}
	}
	if !exists(trust) || len(given) == 0 {
		return // everything was removed
	}
	call(nil, append([]string{"ingest", db, "--quiet"}, given...)...)
	_, stdout, stderr := call(nil, "walk", db, "--trust", trust, "--output", "json", "--quiet")
	var answer struct {
		Causes []struct {
			Code, Next   string
			For, Against []string
		}
		Findings []finding.Finding
	}
	err := json.Unmarshal([]byte(stdout), &answer)
	must.That(t, err == nil, "%v: %s", err, stderr)
	next := map[string]string{} // by command
	for _, c := range answer.Causes {
		for _, fact := range append(c.For, c.Against...) {
			check.That(t, !emptyRange.MatchString(fact), "%s: %s", c.Code, fact)
		}
		next[c.Next] = c.Code
	}
	for _, f := range answer.Findings {
		check.That(t, !emptyRange.MatchString(f.Message), "%s: %s", f.Code, f.Message)
		if f.Severity != finding.Info {
			next[f.Next] = string(f.Code)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(next)) {
		code := next[step]
		if w.tried[code]++; w.tried[code] > 3 {
			continue
		}
		runNext(t, code, step, map[string]string{"FILE": db, "TRUST": trust})
	}
	if !w.screen {
		return
	}
	code, screen, _ := call(nil, "walk", db, "--trust", trust, "--quiet")
	command, ok := commandOf(screen)
	check.That(t, ok == (code != exitVerified), "exit code %d with\n%s", code, screen)
	if ok {
		named := regexp.MustCompile(` (FILE|TRUST|PATH|BUNDLE|PLAN|PART)\b`).FindString(command)
		check.That(t, named == "", "the command names no file:%s in %s", named, command)
		runNext(t, "the first screen", command, nil)
	}
}

// commandOf returns the command that ends a first screen, as people copy it: on one line.
func commandOf(screen string) (command string, ok bool) {
	_, command, ok = strings.Cut(screen, "\nNext: ")
	return strings.Join(strings.Fields(strings.ReplaceAll(command, "\\\n", " ")), " "), ok
}

// runNext runs a next step, unless it has a placeholder for an unknown name.
func runNext(t *testing.T, code, step string, known map[string]string) {
	t.Helper()
	command, _, _ := strings.Cut(step, ": ")
	args := strings.Fields(command)[1:]
	for i, arg := range args {
		if path, ok := known[arg]; ok {
			args[i] = path
		} else if arg == strings.ToUpper(arg) && !strings.ContainsAny(arg, "0123456789") {
			return
		}
	}
	exit, stdout, stderr := call(nil, args...)
	check.That(t, (exit == 0 || exit == 1 || exit == 3) && strings.TrimSpace(stdout) != "" &&
		!nothingListed.MatchString(stdout), "%s: %s: exit %d\n%s%s", code, command, exit, stdout, stderr)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
