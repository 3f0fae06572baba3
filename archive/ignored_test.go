package archive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// ignoring makes these the patterns of a check.
func ignoring(patterns ...string) func(*archive.Options) {
	return func(o *archive.Options) { o.Ignore = append(listing.Patterns{}, patterns...) }
}

// passedOver wants a check to have passed over these files, and to say so first.
func passedOver(t *testing.T, r *archive.Result, paths ...string) {
	t.Helper()
	first := ""
	if len(r.NotExamined) > 0 {
		first = r.NotExamined[0]
	}
	said := strings.HasPrefix(first, "Passed over, under the patterns ")
	check.That(t, slices.Equal(r.Ignored.Paths, paths) && r.Ignored.Objects == int64(len(paths)) &&
		said == (len(r.Ignored.Patterns) > 0), "passed over %q, and says %q", r.Ignored.Paths, first)
	for _, path := range paths[:min(len(paths), 3)] {
		check.That(t, strings.Contains(first, path), "%q does not name %s", first, path)
	}
}

// newest returns the record of the newest run, and its changes.
func (b *bench) newest() (r ledger.Run, changes []run.Change) {
	b.t.Helper()
	l := must.Get(ledger.Open(b.t.Context(), b.ledger, b.secret))(b.t)
	defer l.Close()
	number, _ := l.Newest()
	for c, err := range l.Changes(b.t.Context(), number) {
		must.Do(b.t, err)
		changes = append(changes, c)
	}
	return must.Get(l.Run(number))(b.t), changes
}

// TestIgnore: patterns hold until others are given, and the record of each run has them.
func TestIgnore(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{"a.json", "index", "b/x.log", "logs/y/z"} {
		b.write(path, []byte(path))
	}
	b.write("a.json", b.one)
	r := b.check(ignoring("*.log", "index", "logs/**"))
	passedOver(t, r, "b/x.log", "index", "logs/y/z")
	check.Equal(t, fmt.Sprint(classes(t, r)), "map[a.json:added]", "the objects are")
	b.write("index", []byte("changed"))
	r = b.check()
	passedOver(t, r, "b/x.log", "index", "logs/y/z")
	record, _ := b.newest()
	same := record.Ignored != nil && fmt.Sprint(*record.Ignored) == fmt.Sprint(r.Ignored)
	check.That(t, r.Verdict == outcome.Verified && same, "%s, and the record has %+v", r.Verdict, record.Ignored)
	r = b.check(ignoring("index"))
	passedOver(t, r, "index")
	check.Equal(t, r.Counts.Classes[archive.Added], 2, "objects that are added:")
	r = b.check(ignoring())
	passedOver(t, r)
	record, _ = b.newest()
	check.That(t, record.Ignored == nil && classes(t, r)["index"] == archive.Added, "%v", classes(t, r))
}

// TestIgnoreKnown: an object that the ledger has and a pattern covers leaves the ledger once, is named, and its last
// state stays in the record.
func TestIgnoreKnown(t *testing.T) {
	for what, change := range map[string]func(*bench){
		"intact":  func(*bench) {},
		"altered": func(b *bench) { b.write("index", []byte("2")); b.check() },
		"missing": func(b *bench) { b.remove("index"); b.check() },
	} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t)
			b.write("a.json", b.one)
			b.write("index", []byte("1"))
			b.write("index.html", []byte("another"))
			b.check()
			change(b)
			r := b.check(ignoring("index"))
			found := r.Objects[0]
			check.That(t, r.Verdict == outcome.Verified && found.Path == "index" && found.Class == archive.Ignored &&
				found.WasSize == 1, "%s, and %+v", r.Verdict, found)
			_, changes := b.newest()
			must.That(t, len(changes) == 1 && changes[0].Class == "ignored" && changes[0].After == nil &&
				changes[0].Before.Size == 1, "the changes are %+v", changes)
			r = b.check()
			check.That(t, fmt.Sprint(classes(t, r)) == "map[a.json:intact index.html:intact]", "%v", classes(t, r))
		})
	}
}

// TestIgnoreEvidence: no pattern hides evidence that the ledger has: neither that it is there, nor that it is altered,
// missing, or under another name that a pattern covers.
func TestIgnoreEvidence(t *testing.T) {
	b := newBench(t)
	b.write("a.json", b.one)
	b.write("note", []byte("note"))
	b.write("kept", []byte("kept"))
	b.check()
	b.write("b.json", b.other)
	r := b.check(ignoring("*.json", "note"))
	passedOver(t, r, "b.json", "note")
	check.Equal(t, fmt.Sprint(classes(t, r)), "map[a.json:intact kept:intact note:ignored]", "the objects are")
	check.That(t, strings.Contains(strings.Join(r.NotExamined, "\n"), "evidence that the ledger has") &&
		strings.Contains(r.NotExamined[1], "1 file, a.json"), "it says %q", r.NotExamined)
	b.write("a.json", []byte("altered"))
	r = b.check()
	check.That(t, r.Verdict == outcome.Rejected && classes(t, r)["a.json"] == archive.Altered, "altered: %s", r.Verdict)
	b.remove("a.json")
	b.write("c.json", b.one)
	r = b.check()
	check.That(t, classes(t, r)["a.json"] == archive.Missing, "renamed: %v", classes(t, r))
}

// TestIgnoreOfOthers: the patterns of a ledger that is another user's hide nothing, unless the run that has them is
// expected, or the ledger is adopted.
func TestIgnoreOfOthers(t *testing.T) {
	b := newBench(t)
	b.write("a.json", b.one)
	b.write("b.json", b.other)
	b.check(ignoring("b.json"))
	record, _ := b.newest()
	b.secret = ledger.Secret{2}
	r := b.check()
	check.That(t, len(r.Ignored.Patterns) == 0 && len(classes(t, r)) == 2 &&
		strings.Contains(r.NotExamined[0], `The patterns of the ledger do not count`) &&
		strings.Contains(r.NotExamined[0], `b.json`), "%+v, %q", r.Ignored, r.NotExamined)
	passedOver(t, b.check(func(o *archive.Options) { o.Expect = &record.Digest }), "b.json")
	passedOver(t, b.check(func(o *archive.Options) { o.Adopt = true }), "b.json")
	passedOver(t, b.check(), "b.json")
}
