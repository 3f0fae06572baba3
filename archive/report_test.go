package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/outcome/form"
)

// TestHostileNames: names of files act on no terminal and in no document, and each is
// distinguished from all others.
func TestHostileNames(t *testing.T) {
	b := newBench(t)
	names := []string{"a\nb", "a\x1b[2Jb", "left\u202eright", "%0A", "a\xffb", "<b>", "a|b", "::error::x", "a\x00b"}
	paths := map[string]bool{}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte("kept"), 0o644); err != nil {
			continue // the system has no such names
		}
		paths[name] = true
	}
	b.check()
	for name := range paths {
		must.Do(t, os.WriteFile(filepath.Join(b.dir, name), []byte("altered "+fmt.Sprintf("%q", name)), 0o644))
	}
	r := b.check()
	if got := len(classes(t, r)); got != len(paths) || r.Counts.Classes[archive.Altered] != int64(got) {
		t.Errorf("%d of %d objects are altered: %+v", r.Counts.Classes[archive.Altered], len(paths), r.Counts)
	}
	var lines bytes.Buffer
	must.Do(t, r.WriteLines(&lines))
	documents := map[string]string{"text": shownText(t, text.Check(r, "trust.json", "ledger")), "jsonl": lines.String()}
	report := r.Report()
	report.Document = func() *answer.Doc { return text.Check(r, "trust.json", "ledger") }
	for _, f := range form.Forms() {
		var doc bytes.Buffer
		must.Do(t, f.Write(&doc, report, form.Options{Tool: "1"}))
		documents[f.Name] = doc.String()
	}
	for name, doc := range documents {
		at := strings.IndexFunc(doc,
			func(c rune) bool { return c != '\n' && (unicode.Is(unicode.C, c) || c == unicode.ReplacementChar) })
		check.That(t, at < 0, "%s is unsafe: %q", name, doc[max(0, at-20):min(len(doc), at+20)])
		check.That(t, strings.Contains(doc, "object.altered"), "%s does not say what is wrong:\n%s", name, doc)
	}
}

// TestCaps: a result lists the first objects of a class and reports how many more there are,
// the lines have all, and the page refers to them.
func TestCaps(t *testing.T) {
	b := newBench(t)
	const all = 250
	for i := range all {
		b.write(fmt.Sprintf("%03d", i), []byte("x"))
	}
	b.check()
	for i := range all {
		b.write(fmt.Sprintf("%03d", i), []byte("y"))
	}
	b.write("999", []byte("not worth telling"))
	r := b.check()
	check.That(t, len(r.Objects) == 100 && r.MoreObjects == all-100 && r.Objects[99].Path == "099" &&
		r.Alike(&r.Objects[0]) == all, "%d objects and %d more", len(r.Objects), r.MoreObjects)
	page := shownText(t, text.Check(r, "t", "l"))
	check.That(t, strings.Contains(page, "rejected  altered: 250 objects\n") &&
		strings.Count(page, "object.altered: ") == 1 && strings.Count(page, "\n        sha256 ") == 100 &&
		strings.Contains(page, "and 150 more of these objects: --report jsonl=FILE"), "%v", page)
	var lines strings.Builder
	if err := r.WriteLines(&lines); err != nil || strings.Count(lines.String(), "\n") != all+1 {
		t.Errorf("%d lines, %v", strings.Count(lines.String(), "\n"), err)
	}
}

// TestItemsOfReports: an item is as bad as the object, whatever the class, and the
// worst item is as bad as the run.
func TestItemsOfReports(t *testing.T) {
	b := newBench(t)
	b.write("bundle", b.one)
	b.write("gone", []byte("1"))
	b.write("other", []byte("2"))
	b.write("more", []byte("3"))
	for _, step := range []func(){
		func() {},
		func() { b.write("other", []byte("altered")) },
		func() { b.write("other", []byte("2")); b.remove("gone") },
		func() { b.write("back", []byte("1")) },
		func() { b.write("bundle", b.other) },
		func() { b.write("bundle", bytes.Replace(b.one, []byte("allow"), []byte("allox"), 1)) },
	} {
		step()
		r := b.check()
		worst := outcome.Verified
		for item, err := range r.Report().Items() {
			must.Do(t, err)
			worst = outcome.Worst(worst, item.Verdict())
		}
		check.That(t, worst == r.Verdict, "the run is %s, its worst item %s: %+v", r.Verdict, worst, r.Counts)
	}
}

// shownText is a document as a terminal shows it.
func shownText(t *testing.T, d *answer.Doc) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, answer.WriteText(&b, d, false))
	return b.String()
}
