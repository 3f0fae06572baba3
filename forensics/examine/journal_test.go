package examine

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// edit makes a journal file of its lines, each with its line feed.
type edit func(lines []string) string

// onLine changes one line of a file.
func onLine(i int, change func(string) string) edit {
	return func(lines []string) string {
		lines[i] = change(lines[i])
		return strings.Join(lines, "")
	}
}

// onText changes the text of a file.
func onText(change func(string) string) edit {
	return func(lines []string) string { return change(strings.Join(lines, "")) }
}

// lineEnds ends each line of a file otherwise.
func lineEnds(end string) edit {
	return onText(func(s string) string { return strings.ReplaceAll(s, "\n", end) })
}

// spelled is the same line with the last member first, white space between
// tokens, and a letter escaped.
func spelled(line string) string {
	at := strings.LastIndex(line, `,"skip_hash":`)
	text := strings.TrimSuffix(line, "}\n")
	text = "{ " + text[at+1:] + " ," + text[1:at] + "}\n"
	return strings.Replace(text, `"tenant_id" :`, `"\u0074enant_id" : `, 1)
}

// harmless are edits that change no event (SPEC 4.5), and the notes on them.
var harmless = map[string]struct {
	edit edit
	note finding.Code
}{
	"CR LF":            {lineEnds("\r\n"), ""},
	"empty lines":      {lineEnds("\n\n"), ""},
	"empty first line": {onText(func(s string) string { return "\n" + s }), ""},
	"lines of space":   {lineEnds("\n \t\r\n"), ""},
	"space behind":     {lineEnds(" \t\n"), ""},
	"byte order mark":  {onText(func(s string) string { return "\ufeff" + s }), ""},
	"torn but whole":   {onText(func(s string) string { return strings.TrimSuffix(s, "\n") }), finding.SourcePartialTail},
	"another order":    {func(l []string) string { slices.Reverse(l); return strings.Join(l, "") }, finding.Reordered},
	"every line twice": {func(l []string) string { return strings.Join(append(l, l...), "") }, finding.DuplicateDelivery},
	"a line spelled":   {onLine(5, spelled), finding.BodyStructured},
	"spelled, and CR LF": {onLine(5, func(s string) string {
		return strings.ReplaceAll(spelled(s), "\n", "\r\n")
	}), finding.BodyStructured},
	"every line spelled": {func(l []string) string {
		for i := range l {
			l[i] = spelled(l[i])
		}
		return strings.Join(l, "")
	}, finding.BodyStructured},
}

// tried are the names of the edits that are tried; with -short, one in three.
func tried() (names []string) {
	for i, name := range slices.Sorted(maps.Keys(harmless)) {
		if !testing.Short() || i%3 == 0 {
			names = append(names, name)
		}
	}
	return names
}

// TestJournalLines: files that went through other hands are read as the specification
// requires, whatever they look like.
func TestJournalLines(t *testing.T) {
	want := walked(t, onText(func(s string) string { return s }))
	l := tenantLog(want)
	must.That(t, l.Verdict == verify.Verified && l.Events != 0, "the file as it is: %+v", l)
	for _, name := range tried() {
		h := harmless[name]
		got := walked(t, h.edit)
		codes := codesOf(want)
		if h.note != "" {
			codes = append(codes, h.note)
		}
		slices.Sort(codes)
		found := slices.Sorted(slices.Values(codesOf(got)))
		d := cmp.Diff(tenantLog(want), tenantLog(got))
		check.That(t, d == "" && slices.Equal(found, codes),
			"%s: %v, want %v (-as it is +edited):\n%s", name, found, codes, d)
	}
}

// TestJournalLinesAltered: no spelling of a line excuses its altered content.
func TestJournalLinesAltered(t *testing.T) {
	altered := func(s string) string {
		return regexp.MustCompile(`("occurred_at" ?:"20)26`).ReplaceAllString(s, "${1}27")
	}
	for _, name := range tried() {
		h := harmless[name]
		alter := func(lines []string) string {
			lines[5] = altered(lines[5])
			return h.edit(lines)
		}
		if got := walked(t, alter); tenantLog(got).Verdict == verify.Verified || len(codesOf(got)) == 0 {
			t.Errorf("%s, and the event altered: %s %v", name, tenantLog(got).Verdict, codesOf(got))
		}
	}
}

// TestJournalLinesUnread: a line that is no JSON ends nothing, and is reported.
func TestJournalLinesUnread(t *testing.T) {
	want := walked(t, onText(func(s string) string { return s }))
	for name, junk := range map[string]string{
		"text": "no event\n", "half an event": `{"body":{"data":{},"log_id":` + "\n",
		"a number": "7\n", "an object": "{}\n", "zeros": "\x00\x00\x00\n",
	} {
		if testing.Short() && name != "half an event" {
			continue
		}
		got := walked(t, onLine(5, func(s string) string { return junk + s }))
		d := cmp.Diff(tenantLog(want), tenantLog(got))
		check.That(t, d == "", "%s (-as it is +edited):\n%s", name, d)
		check.That(t, len(got.Sources) == 1 && got.Sources[0].Skipped != 0,
			"%s: it is not reported: %+v", name, got.Sources)
	}
}

// walked returns the result of a walk after an edit of the tenant log's file.
func walked(t *testing.T, change edit) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	path, root := fill(t, dir)
	whole := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	var lines []string
	for _, line := range bytes.SplitAfter(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
		lines = append(lines, strings.TrimSuffix(string(line), "\n")+"\n")
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "edited.ndjson"), []byte(change(lines)), 0o600))
	add(t, path, dir, "edited.ndjson")
	return run(t, path, root, Whole)
}

func codesOf(r *verdict.Result) []finding.Code {
	var codes []finding.Code
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	return codes
}

// tenantLog returns the result of a walk for the tenant's log.
func tenantLog(r *verdict.Result) walk.LogResult {
	i := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == "tenant/"+harness.Tenant })
	if i < 0 {
		return walk.LogResult{}
	}
	return r.Logs[i]
}
