package read_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// described are descriptions, and values of their forms. E is an event as a string, A and Z
// are its halves, and B is the attribute of a batch.
var described = map[string]struct{ stores, dump string }{
	"members of a member": {"form f\nhas entry\nin entry\nbatches record tags\nbatches resource host\n" +
		"time seconds stamp\nobserved milliseconds seen\ntext msg",
		`{"entry":{"msg":E,"stamp":"1700000000.5","seen":1700000001000,"tags":{B:"1"},"host":{B:"2"}}}`},
	"lists of lists": {"form f\nhas pages\nrecords pages[].rows[]\nshared scope about\nbatches record 2.tags\n" +
		"time nanoseconds 0\nvalue 1",
		`{"pages":[{"about":{B:"1"},"rows":[["1700000000000000001",{"b":1,"a":2},{"tags":{B:"2"}}]]}]}`},
	"text before a value": {"form f\nhas m\ntext m.t\nvalue m", `{"m":{"t":"a"}}` + "\n" + `{"m":{"u":1}}`},
	"the record is the event": {"form f\nhas d\nin d\ntime any t\nvalue .",
		`{"d":{"t":1700000000,"body":{"a":"\ufffd"},"hash":"h","signature":"s"}}`},
	"dotted names":              {"form f\nhas n\ntext a.b", `{"n":1,"a.b":"x"}`},
	"several ways to recognise": {"form f\nhas a\nhas b\ntext m", `{"a":1,"m":"x"}` + "\n" + `{"b":1,"m":"y"}`},
	"text that came through":    {"form f\nhas m\ntext m\nbytes kept", `{"m":"a\ufffd"}`},
	"messages with headers":     {"form f\nhas m h\nmessage m\nheaders h", `{"m":E,"h":[B,"1"]}`},
	"records of a runtime": {"form f\nhas d\nin d\nruntime yes\ntext log",
		`{"d":{"log":E,"stream":"s","logtag":"F","time":"2026-01-01T00:00:00+00:00"}}`},
	"parts that say that": {"form f\nhas l\nline l\nkey k\nmore p yes",
		`{"l":A,"k":1,"p":"yes"}{"l":A,"k":2,"p":"yes"}{"l":Z,"k":1}{"l":Z,"k":2}`},
	"lines in one of two members": {"form f\nhas k\nline l\nline m\nkey k\nends newline\ntime any t",
		`{"l":A,"k":1,"t":1700000000}{"l":A,"k":2}{"m":ZN,"k":1}{"m":ZN,"k":2}`},
	"parts with numbers": {"form f\nhas l\nline l\nnumber i\nordinal o\nlast z",
		`{"l":Z,"i":1,"o":2,"z":true}{"l":A,"i":1,"o":1}`},
	"a text that is null": {"form f\nhas l\nline l\nnull it was too long", `{"l":null}`},
}

// spelled writes the signs of a dump.
func spelled(dump string) string {
	event := string(dumps.Bodies(1)[0])
	return strings.NewReplacer("ZN", dumps.Quote(event[300:]+"\n"), "E", dumps.Quote(event),
		"A", dumps.Quote(event[:300]), "Z", dumps.Quote(event[300:]), "B", `"x-svc-edge-audit-batch"`).Replace(dump)
}

// reportedOf is the list of reports of a dump.
func reportedOf(t *testing.T, stores *read.Stores, dump string) string {
	t.Helper()
	a := sound(t, []byte(dump), read.Options{Stores: stores})
	var all []string
	for _, r := range a.Records {
		all = append(all, fmt.Sprintf("%s %s %d %d %v: %s", r.Format, r.Fidelity,
			r.ExportTime, r.ObservedTime, r.Batches, r.Body))
	}
	for _, s := range a.Skips {
		all = append(all, fmt.Sprintf("%s: %s", s.Code, s.Detail))
	}
	return strings.Join(all, "\n")
}

// TestEachLineOfADescription: without any of its lines a description gives something else.
func TestEachLineOfADescription(t *testing.T) {
	keys := map[string]bool{}
	for name, c := range described {
		t.Run(name, func(t *testing.T) {
			dump := spelled(c.dump)
			whole := reportedOf(t, must.Get(read.ParseStores(c.stores))(t), dump)
			lines := strings.Split(c.stores, "\n")
			check.That(t, strings.HasPrefix(whole, "f ") || strings.HasPrefix(whole, string(finding.BodyTruncated)),
				"it is not read as described:\n%s", whole)
			for i, line := range lines {
				key, _, _ := strings.Cut(line, " ")
				keys[key] = true
				less, err := read.ParseStores(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n"))
				check.That(t, err != nil || reportedOf(t, less, dump) != whole,
					"%q changes nothing:\n%s", line, whole)
			}
		})
	}
	_, err := read.ParseStores("x")
	all, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprint(err), "line 1: expected one of "), ", found")
	for key := range strings.SplitSeq(all, ", ") {
		isAboutProduct := slices.Contains([]string{"product", "loses", "export", "record", "query", "plan"}, key)
		check.That(t, keys[key] != isAboutProduct, "%s: a case %v", key, keys[key])
	}
}

// TestDescriptionsBesideOthers: a description goes before the ones of this package, and behind
// the forms of evidence itself; a forbidden member makes a value one of another form.
func TestDescriptionsBesideOthers(t *testing.T) {
	event := string(dumps.Bodies(1)[0])
	stores := must.Get(read.ParseStores("form f\nhas line\ntext line\n\nform g\nhas body !n\ntext body.x\n"))(t)
	for dump, want := range map[string]string{
		`{"labels":{},"line":"a"}`: "f exact 0 0 []: a",
		event:                      "journal exact 0 0 []: " + event,
		`{"body":{"x":"a"}}`:       "g exact 0 0 []: a",
	} {
		got := reportedOf(t, stores, dump+"\n")
		check.That(t, got == want, "%s: %s", dump, got)
	}
	if got := reportedOf(t, stores, `{"body":{"x":"a"},"n":1}`+"\n"); strings.HasPrefix(got, "g ") {
		t.Error(got)
	}
	// A value that does not fit is searched.
	got := reportedOf(t, stores, `{"line":[`+dumps.Quote(event)+`]}`)
	check.That(t, strings.HasPrefix(got, "f unquoted 0 0 []: "+event), "%v", got)
}

// wrongStores are texts that are refused, with the beginning of the error.
func wrongStores(t must.T) map[string]string {
	t.Helper()
	all := map[string]string{
		"form " + strings.Repeat("f", 33):          "line 1: expected a name of small letters",
		"form f\nhas a" + manyMembers(25):          "line 27: expected text PATH, found",
		"#" + strings.Repeat(" ", read.MostStores): "line 1: expected at most 16384 bytes, found 16385",
	}
	for _, row := range must.Rows(t, "testdata", "stores-refused.txt") {
		all[row[0]] = row[1]
	}
	return all
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\ntext m%d", i)
	}
	return b.String()
}

func TestWrongStores(t *testing.T) {
	for text, want := range wrongStores(t) {
		_, err := read.ParseStores(text)
		check.That(t, strings.HasPrefix(fmt.Sprint(err), want), "%.60q: %v, want %s", text, err, want)
	}
	check.Do(t, check.Err(read.ParseStores("form f\nhas a"+manyMembers(24))))
}

// FuzzStores wants that a text of descriptions is refused with its line, or read; and that a
// description of bodies leads to no genuine event that a reader without it does not find, and
// hides not all of them.
func FuzzStores(f *testing.F) {
	for text := range wrongStores(f) {
		f.Add(text, "{}")
	}
	for _, c := range described {
		f.Add(c.stores, spelled(c.dump))
	}
	at := regexp.MustCompile(`^line (\d+): expected .+, found .+`)
	f.Fuzz(func(t *testing.T, text, dump string) {
		stores, err := read.ParseStores(text)
		if err != nil {
			must.That(t, at.MatchString(err.Error()), "%v", err)
			return
		}
		with := genuineIn(&sound(t, []byte(dump), read.Options{Stores: stores}).Found)
		if regexp.MustCompile(`(?m)^(line|message|records|runtime) `).MatchString(text) {
			return // these join, decode or choose
		}
		without := genuineIn(valueAt(t, []byte(dump), read.Options{}))
		for event := range with {
			check.That(t, without[event], "only the description leads to %q", event)
		}
		check.That(t, len(with) != 0 || len(without) == 0, "the description hides %d events", len(without))
	})
}

// genuineIn returns the events whose hashes hold.
func genuineIn(found *Found) map[string]bool {
	all := map[string]bool{}
	for _, r := range found.Records {
		if unwrap.Holds(r.Body) {
			all[string(r.Body)] = true
		}
	}
	return all
}
