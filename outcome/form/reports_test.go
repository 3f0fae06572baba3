package form

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// reportOf makes a report of items, with a document that lists their names.
func reportOf(run outcome.Run, items ...outcome.Item) *outcome.Report {
	document := func() *answer.Doc {
		d := answer.NewAnswer(outcome.Worst(run.Verdict), "items of "+run.Command)
		for _, note := range run.NotExamined {
			d.LeftOut = append(d.LeftOut, answer.Say(note))
		}
		t := answer.Table{Columns: answer.Columns("Item", "name", "Facts", ""), Left: answer.Left{Of: "items"}}
		for _, i := range items {
			t.Rows = append(t.Rows, answer.Row(answer.Name(i.Name), fmt.Sprint(i.About)))
		}
		d.AddSections(answer.NewSection("", "Items", t))
		return d
	}
	return &outcome.Report{Run: run, Document: document, Items: func() iter.Seq2[outcome.Item, error] {
		return func(yield func(outcome.Item, error) bool) {
			for _, i := range items {
				if !yield(i, nil) {
					return
				}
			}
		}
	}}
}

// settings returns the settings of a command with these inputs.
func settings(inputs ...string) Settings {
	return Settings{Inputs: inputs, Stdout: io.Discard, Stderr: io.Discard}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

func files(t *testing.T) string {
	t.Helper()
	entries := must.Get(os.ReadDir("."))(t)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// TestWrongUsage: a value that cannot be meant is refused with what to write, and
// no file is left or touched.
func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "input", "in")
	must.Do(t, os.Symlink("input", "alias"))
	must.Do(t, os.Link("input", "hard"))
	for _, tt := range []struct {
		values []string
		want   string
	}{
		{[]string{"jsnol=x"}, `there is no form jsnol; the forms are jsonl, json, `},
		{[]string{"jsnol=x"}, `did you mean jsonl?`},
		{[]string{"="}, `there is no form ""`},
		{[]string{"jsonl"}, "the file is missing; write --report jsonl=FILE"},
		{[]string{"jsonl="}, "the file is missing; write --report jsonl=FILE"},
		{[]string{"json=-"}, "standard output has the result; write --report json=FILE"},
		{[]string{"github-annotations=x"}, "takes no file"},
		{[]string{"jsonl=x", "json=./x"}, "another report is written to this file"},
		{[]string{"jsonl=new/../x", "json=x"}, "another report is written to this file"},
		{[]string{"jsonl=input"}, "the file is an input, ./input, and would be replaced"},
		{[]string{"jsonl=alias"}, "the file is an input"},
		{[]string{"jsonl=hard"}, "the file is an input"},
		{[]string{"jsonl=x", "json=y", "json=z\x1b"}, ""},
	} {
		r, err := Open(tt.values, settings("./input", "-"))
		switch {
		case err == nil && tt.want == "":
			r.Discard()
		case err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("%q: %v, want %s", tt.values, err, tt.want)
		}
		got := files(t)
		must.That(t, got == "alias hard input", "%q: left %s", tt.values, got)
	}
}

// TestStandardOutput: a report does not go where standard output goes.
func TestStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, err := os.Create("result")
	must.Do(t, err)
	defer stdout.Close()
	s := settings()
	s.Stdout = stdout
	if _, err := Open([]string{"json=result"}, s); err == nil || !strings.Contains(err.Error(), "is standard output") {
		t.Errorf("found %v", err)
	}
	r, err := Open([]string{"json=other"}, s)
	must.Do(t, err)
	r.Discard()
}

// TestReportsAreWhole: no report is seen before all are whole, the command's own ones
// too, and after an error all old ones are as they were.
func TestReportsAreWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "b", "old")
	for _, commit := range []bool{false, true} {
		r := must.Get(Open([]string{"jsonl=a", "json=b", "jsonl=c"}, settings()))(t)
		defer r.Discard()
		report := reportOf(outcome.Run{})
		report.JSON, report.Lines = "summary", func(w io.Writer) error {
			_, err := io.WriteString(w, "lines")
			return err
		}
		must.Do(t, r.Write(report, Options{}))
		_, err := os.Stat("a")
		must.That(t, err != nil, "a report is seen before it is whole")
		if commit {
			must.Do(t, r.Commit())
		}
		r.Discard()
		want := map[bool]string{false: "b", true: "a b c"}[commit]
		check.That(t, files(t) == want, "left %s, want %s", files(t), want)
	}
	for name, want := range map[string]string{"a": "lines", "b": "\"summary\"\n", "c": "lines"} {
		content, err := os.ReadFile(name)
		check.That(t, err == nil && string(content) == want, "%s: %q, %v", name, content, err)
	}
}

// TestNothingAskedFor: without the flag there is nothing to write.
func TestNothingAskedFor(t *testing.T) {
	r, err := Open(nil, settings())
	check.That(t, err == nil && r.Write(reportOf(outcome.Run{}), Options{}) == nil && r.Commit() == nil, "%v, %v", r, err)
}

// TestFullReport: a report that cannot be written is named, and no other is put into its
// place.
func TestFullReport(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		return // the system has no device on which every write fails
	}
	t.Chdir(t.TempDir())
	r, err := Open([]string{"jsonl=a", "json=/dev/full"}, settings())
	must.Do(t, err)
	report := reportOf(outcome.Run{})
	report.Lines = func(io.Writer) error { return nil }
	if err = r.Write(report, Options{}); err == nil {
		err = r.Commit()
	}
	check.That(t, err != nil && err.Error() == "writing /dev/full: no space left on device", "found %v", err)
	r.Discard()
	got := files(t)
	check.That(t, got == "", "left %s", got)
}

// TestOwns: a run knows its own reports, by each name, and while they are written.
func TestOwns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "old", "old")
	write(t, "other", "other")
	r, err := Open([]string{"jsonl=old", "json=new"}, settings())
	must.Do(t, err)
	defer r.Discard()
	entries, err := filepath.Glob("*")
	must.Do(t, err)
	hidden, err := filepath.Glob(".*")
	must.That(t, err == nil && len(hidden) == 2, "%v, %v", hidden, err)
	for _, name := range append(entries, hidden...) {
		info := must.Get(os.Stat(name))(t)
		if r.Owns(info) == (name == "other") {
			t.Errorf("%s: %t", name, r.Owns(info))
		}
	}
}

// TestRest: a form that leaves something out names the complete report, if it was requested,
// and else the way to request it.
func TestRest(t *testing.T) {
	t.Chdir(t.TempDir())
	var items []outcome.Item
	for range 30 {
		items = append(items, outcome.Item{Name: "x", Class: outcome.Rejected})
	}
	for _, tt := range []struct{ value, want string }{
		{"jsonl=all here", `22 more errors, in "all here"`}, {"json=x", "22 more errors: --report jsonl=FILE"},
	} {
		s, stderr := settings(), bytes.Buffer{}
		s.Stderr = &stderr
		r := must.Get(Open([]string{tt.value, "github-annotations"}, s))(t)
		defer r.Discard()
		report := reportOf(outcome.Run{Verdict: outcome.Rejected}, items...)
		report.Lines = func(io.Writer) error { return nil }
		must.Do(t, r.Write(report, Options{}))
		check.That(t, strings.Contains(stderr.String(), tt.want), "%s: %s", tt.value, stderr.String())
	}
}
