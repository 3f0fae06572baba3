package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
)

// nothingListed is how commands say that there is nothing.
var nothingListed = regexp.MustCompile(`(?m)^\s*(0|no) (gaps|events|findings|sources|copies)\b`)

// emptyRange is a range of events that is none.
var emptyRange = regexp.MustCompile(`events? 0\b|\b0 to 0\b`)

// TestNextCommands: after every manipulation, each command that a cause leads to answers,
// and shows something. No fact for or against a cause names events that are none.
func TestNextCommands(t *testing.T) {
	e, err := fleet.Build(fleet.Scene, 1, 250)
	check(t, err)
	for i, s := range tamper.Scripts() {
		if testing.Short() && i%8 != 0 {
			continue // the rest is played without -short
		}
		t.Run(s.Name, func(t *testing.T) {
			after, damage, err := s.Apply(e)
			check(t, err)
			followNext(t, after, tamper.Given(e, after, damage))
		})
	}
}

// followNext ingests files of evidence, walks the case, and runs the next command of each
// cause.
func followNext(t *testing.T, e *fleet.Evidence, names []string) {
	t.Helper()
	dir := t.TempDir()
	check(t, e.Write(dir, e.Names()...))
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
	call(nil, append([]string{"ingest", "--case", db, "--quiet"}, given...)...)
	_, stdout, stderr := call(nil, "walk", "--case", db, "--trust", trust, "--output", "json", "--quiet")
	var answer struct {
		Causes []struct {
			Code, Next   string
			For, Against []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	seen := map[string]bool{}
	for _, c := range answer.Causes {
		for _, fact := range append(c.For, c.Against...) {
			if emptyRange.MatchString(fact) {
				t.Errorf("%s: %s", c.Code, fact)
			}
		}
		command, _, _ := strings.Cut(c.Next, ": ")
		if seen[command] || strings.HasPrefix(command, "svc-verify ingest") {
			continue // what is to be added is not here
		}
		seen[command] = true
		args := strings.Fields(command)[1:]
		for i, arg := range args {
			switch arg {
			case "FILE":
				args[i] = db
			case "TRUST":
				args[i] = trust
			}
		}
		code, stdout, stderr := call(nil, args...)
		if code != 0 && code != 1 && code != 3 || strings.TrimSpace(stdout) == "" || nothingListed.MatchString(stdout) {
			t.Errorf("%s: %s: exit %d\n%s%s", c.Code, command, code, stdout, stderr)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
