package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// ends is evidence of a fleet in a folder, whose ends are cut.
type ends struct {
	t   *testing.T
	dir string
}

func newEnds(t *testing.T) ends {
	t.Helper()
	e := cases.Evidence(t, fleet.Scene)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	f := ends{t, t.TempDir()}
	must.Do(t, e.Write(f.dir, append(slices.Clone(given), fleet.TrustFile)...))
	return f
}

func (f ends) path(name string) string { return filepath.Join(f.dir, name) }

// cut removes the last lines of a file, and returns how many remain.
func (f ends) cut(name string, lines int) int {
	f.t.Helper()
	doc := must.Get(os.ReadFile(f.path(name)))(f.t)
	all := bytes.SplitAfter(bytes.TrimSuffix(doc, []byte("\n")), []byte("\n"))
	rest := all[:len(all)-lines]
	must.Do(f.t, os.WriteFile(f.path(name), bytes.Join(rest, nil), 0o600))
	return len(rest)
}

// said is the commands' answer about evidence in JSON.
type said struct {
	Verdict string
	Logs    []struct {
		LogID            string `json:"log_id"`
		LastSequence     uint64 `json:"last_sequence"`
		CompleteByOthers word   `json:"complete_by_others"`
		CompleteByOwn    word   `json:"complete_by_own"`
		UnanchoredTail   uint64 `json:"unanchored_tail"`
		TailByOthers     uint64 `json:"tail_by_others"`
	}
	Stores    []storeRow
	EndsEarly []struct {
		LogID  string `json:"log_id"`
		Store  string
		Path   string
		Events uint64
		Behind int64 `json:"behind_ms"`
	} `json:"ends_early"`
	Findings []struct{ Code string }
}

type storeRow struct {
	Name, State string
	Ends        int64
}

type word struct {
	Sequence uint64
	By       []string
	Nodes    []string
}

func (s said) has(code string) bool {
	return slices.ContainsFunc(s.Findings, func(f struct{ Code string }) bool { return f.Code == code })
}

// run runs a command, and returns its exit code and output.
func (f ends) run(args ...string) (int, string) {
	var out bytes.Buffer
	code := newProgram().Run(args, strings.NewReader(""), &out, io.Discard)
	return code, out.String()
}

// check asks check alone.
func (f ends) check(collected []string, names ...string) said {
	f.t.Helper()
	return answerTo[said](f, f.args([]string{"check"}, collected, f.paths(names)))
}

func (f ends) paths(names []string) (paths []string) {
	for _, n := range names {
		paths = append(paths, f.path(n))
	}
	return paths
}

// args are the arguments of a command that has a verdict.
func (f ends) args(command, collected, paths []string) []string {
	all := slices.Concat(command, []string{"--trust", f.path(fleet.TrustFile), "--output", "json", "--quiet"})
	for _, c := range collected {
		all = append(all, "--collected", c)
	}
	return append(all, paths...)
}

// ask is [askAll] of files below the folder.
func (f ends) ask(collected []string, names ...string) said {
	f.t.Helper()
	return askAll[said](f, collected, f.paths(names))
}

// asked counts the calls of askAll.
var asked int

// askAll asks check, walk, and plan with part and conclude, which all say the same. With -short
// it asks walk and conclude in turn.
func askAll[S any](f ends, collected, paths []string) (s S) {
	f.t.Helper()
	s = answerTo[S](f, f.args([]string{"check"}, collected, paths))
	asked++
	others := [][]string{}
	if !testing.Short() || asked%2 == 0 {
		others = append(others, f.args([]string{"walk", f.ingest(paths)}, collected, nil))
	}
	if !testing.Short() || asked%2 == 1 {
		plan, parts := f.parts(paths)
		others = append(others, f.args([]string{"conclude", "--plan", plan}, collected, parts))
	}
	for _, args := range others {
		o := answerTo[S](f, args)
		check.That(f.t, fmt.Sprint(s) == fmt.Sprint(o), "check says\n%v\n%s says\n%v", s, args[0], o)
	}
	return s
}

// answerTo decodes the JSON of a command.
func answerTo[S any](f ends, args []string) (s S) {
	f.t.Helper()
	_, out := f.run(args...)
	must.OK(f.t, json.Unmarshal([]byte(out), &s), "%s says %s", args[0], out)
	return s
}

// ingest makes a case of paths.
func (f ends) ingest(paths []string) (db string) {
	f.t.Helper()
	db = filepath.Join(f.t.TempDir(), "case.db")
	f.run(append([]string{"ingest", db, "--quiet"}, paths...)...)
	return db
}

// parts makes a plan of paths, and its two parts.
func (f ends) parts(paths []string) (plan string, parts []string) {
	f.t.Helper()
	aside := f.t.TempDir()
	plan = filepath.Join(aside, "plan.json")
	f.run(append([]string{"plan", "--parts", "2", "--out", plan, "--quiet"}, paths...)...)
	for i := range 2 {
		parts = append(parts, filepath.Join(aside, fmt.Sprint(i, ".part")))
		f.run("part", "--plan", plan, "--index", fmt.Sprint(i), "--trust", f.path(fleet.TrustFile), "--out", parts[i],
			"--quiet")
	}
	return plan, parts
}

// given are the files of the fleet that the cases ask about: journals, one store, the tenant
// log and the files next to it.
var given = []string{"journals", "stores/loki/query.jsonl", "stores/elasticsearch/otel.jsonl", fleet.TenantLog,
	fleet.Checkpoints, "cursors", "bundles"}

const (
	berlin     = "node/mesh-berlin-1"
	afterwards = "2026-03-03T00:00:00Z"
	beforehand = "2026-03-02T09:00:00Z"
)

// TestCutEnds: a copy whose end was cut off looks like one that was made earlier. It is
// reported first, and counts where the user says when it was collected.
func TestCutEnds(t *testing.T) {
	whole := newEnds(t).check([]string{afterwards}, given...)
	check.That(t, len(whole.EndsEarly) == 0 && whole.Verdict == "verified", "the whole: %s, %v", whole.Verdict,
		whole.EndsEarly)
	for name, tt := range sampled(map[string]struct {
		file  string
		lines int
		log   string
		code  string // of the finding that counts
		atEnd bool   // the log's own journal: its id is enough
	}{
		"a journal by 1":  {"journals/mesh-berlin-1.ndjson", 1, berlin, "journal.lacks-events", true},
		"a journal by 7":  {"journals/mesh-berlin-1.ndjson", 7, berlin, "journal.lacks-events", true},
		"a journal by 15": {"journals/mesh-berlin-1.ndjson", 15, berlin, "journal.lacks-events", true},
		"one store":       {"stores/elasticsearch/otel.jsonl", 5, "", "source.disagrees", false},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			f := newEnds(t)
			f.cut(tt.file, tt.lines)
			f.saysFirst(tt.file, tt.log, tt.lines)
			for collected, counts := range map[string]bool{afterwards: true, beforehand: false, "node/mesh-oslo-1": false,
				"node/mesh-oslo-1=" + afterwards: false, berlin: tt.atEnd, berlin + "=" + afterwards: true} {
				if tt.log == "" && strings.HasPrefix(collected, "node/") {
					continue // its last events may be of any log
				}
				ask := f.check
				if collected == afterwards {
					ask = f.ask
				}
				s := ask([]string{collected}, given...)
				check.That(t, s.has(tt.code) == counts && (s.Verdict == "rejected") == counts,
					"collected %s: %s, %v", collected, s.Verdict, s.Findings)
			}
		})
	}
}

// saysFirst: a file ends early, of one log if it is a journal, and that is no fault.
func (f ends) saysFirst(file, log string, lines int) {
	f.t.Helper()
	s := f.ask(nil, given...)
	var events uint64
	for _, e := range s.EndsEarly {
		events += e.Events
		check.That(f.t, (log == "" || e.LogID == log && filepath.Base(e.Path) == filepath.Base(file)) && e.Behind > 0,
			"%+v", e)
	}
	check.That(f.t, s.Verdict == "verified" && events == uint64(lines), "%s, %d events fewer", s.Verdict, events)
	if !slices.ContainsFunc(s.Stores, func(s storeRow) bool { return s.State == "ends-early" && s.Ends == int64(lines) }) {
		f.t.Errorf("no store ends early: %v", s.Stores)
	}
	_, text := f.run(append([]string{"check", "--full", "--trust", f.path(fleet.TrustFile), "--quiet"},
		f.paths(given)...)...)
	first, _, _ := strings.Cut(text, "All of it: --full")
	name := filepath.Base(file)
	if log == "" {
		name = filepath.Dir(file) // of a store
	}
	if !strings.Contains(strings.Join(strings.Fields(first), " "), name+" ends early, with event") ||
		!strings.Contains(strings.Join(strings.Fields(text), " "), "ends early by ") {
		f.t.Errorf("the first screen is\n%s", first)
	}
}

// TestCutTenantLog: the heads that nodes witnessed also show that a tenant log continues. A
// lone copy of a log does not end early if nothing shows that the log continues.
func TestCutTenantLog(t *testing.T) {
	f := newEnds(t)
	last := f.cut(fleet.TenantLog, 1)
	names := []string{"journals", fleet.TenantLog}
	s := f.ask(nil, names...)
	check.That(t, len(s.EndsEarly) == 1 && s.EndsEarly[0].LogID == "tenant/acme-corp" && s.EndsEarly[0].Events == 1 &&
		s.Verdict == "verified", "%s, %v", s.Verdict, s.EndsEarly)
	for collected, verdict := range map[string]string{"tenant/acme-corp": "rejected", afterwards: "rejected",
		beforehand: "verified"} {
		s := f.check([]string{collected}, names...)
		check.That(t, s.Verdict == verdict && s.has("journal.tail-truncated") == (verdict == "rejected"),
			"collected %s: %s, %v", collected, s.Verdict, s.Findings)
	}
	one := f.check([]string{"tenant/acme-corp"}, "journals/mesh-berlin-1.ndjson", fleet.TenantLog)
	check.That(t, !one.has("journal.tail-truncated") && len(one.EndsEarly) == 1,
		"one node is enough: %v, %v", one.Findings, one.EndsEarly)
	alone := f.check([]string{afterwards}, fleet.TenantLog)
	check.That(t, len(alone.EndsEarly) == 0 && len(alone.Logs) != 0, "alone: %v, last %d", alone.EndsEarly, last)
}

// TestTwoNumbers: anything that the log's own key signs is its own word.
func TestTwoNumbers(t *testing.T) {
	f := newEnds(t)
	for name, tt := range sampled(map[string]struct {
		names           []string
		log             string
		byOthers, byOwn string
		less            bool // by others than by its own
	}{
		"a checkpoint and bundles": {[]string{fleet.TenantLog, fleet.Checkpoints, "bundles"}, "tenant/acme-corp",
			"witnessed-checkpoint", "checkpoint", true},
		"a checkpoint alone": {[]string{fleet.TenantLog, fleet.Checkpoints}, "tenant/acme-corp", "", "checkpoint", true},
		"journals":           {[]string{fleet.TenantLog, "journals"}, "tenant/acme-corp", "journal-witness", "", false},
		"everything":         {given, "tenant/acme-corp", "journal-witness", "checkpoint", false},
		"two of three nodes": {[]string{fleet.TenantLog, "journals/mesh-berlin-1.ndjson", "journals/mesh-oslo-1.ndjson"},
			"tenant/acme-corp", "", "", false},
		"a cursor":           {[]string{"journals", "cursors"}, berlin, "", "export-cursor", true},
		"reports and cursor": {given, berlin, "node-report", "export-cursor", true},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			s := f.ask(nil, tt.names...)
			for _, l := range s.Logs {
				others, own := l.CompleteByOthers, l.CompleteByOwn
				if l.LogID != tt.log {
					continue
				}
				check.That(t, strings.Join(others.By, " ") == tt.byOthers && strings.Join(own.By, " ") == tt.byOwn &&
					(others.Sequence < own.Sequence) == tt.less && l.TailByOthers == l.LastSequence-others.Sequence, "%+v", l)
				return
			}
			t.Error("no such log")
		})
	}
}

// TestStatusBelievesOthers: status has the same number as all other commands.
func TestStatusBelievesOthers(t *testing.T) {
	f := newEnds(t)
	for name, names := range map[string][]string{"journals": given,
		"none": {fleet.TenantLog, fleet.Checkpoints, "bundles"}} {
		s := f.check(nil, names...)
		db := f.ingest(f.paths(names))
		code, out := f.run("certificates", "--all", db, "--trust", f.path(fleet.TrustFile), "--output", "json", "--quiet")
		var doc struct {
			Counts struct{ Unknown int }
			Rows   []struct {
				UpTo uint64 `json:"complete_up_to"`
			}
		}
		err := json.Unmarshal([]byte(out), &doc)
		must.That(t, err == nil && len(doc.Rows) > 0, "%v %v", err, out)
		tenant := s.Logs[len(s.Logs)-1]
		if doc.Rows[0].UpTo != tenant.CompleteByOthers.Sequence || (doc.Counts.Unknown == 0) != (name == "journals") ||
			(code == 0) != (name == "journals") {
			t.Errorf("%s: status %d, up to %d, %d unknown; walk says %d", name, code, doc.Rows[0].UpTo, doc.Counts.Unknown,
				tenant.CompleteByOthers.Sequence)
		}
	}
}
