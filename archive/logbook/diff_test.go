package logbook_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestDiff names each object that became different, and the first run in which.
func TestDiff(t *testing.T) {
	b, digests := history(t)
	l, about := b.read(secret, nil)
	for _, c := range []struct{ from, to, want string }{
		{"1",
			"5", `"a" altered in 2, later accepted in 3; "c" missing in 4; "d" moved in 3 from "b", later altered in 4, ` +
				`intact in 5`},
		{"", "", `"a" altered in 2, later accepted in 3; "c" missing in 4; "d" moved in 3 from "b", later altered in 4, ` +
			`intact in 5`},
		{"4", "", `"d" intact in 5`},
		{"2", "3", `"a" accepted in 3; "d" moved in 3 from "b"`},
		{"3", "5", `"c" missing in 4; "d" altered in 4, later intact in 5, returned`},
		{"4", hex.EncodeToString(digests[4][:]), `"d" intact in 5`},
		{"3", "3", ""},
	} {
		d := must.Get(logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: c.from, Until: c.to}))(t)
		if got := told(d); got != c.want {
			t.Errorf("from %s to %s:\n%s\nwant\n%s", c.from, c.to, got, c.want)
		}
		narrow(t, shownText(t, text.Diff(d)))
	}
	d, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "1", Until: "5"})
	check.That(t, err == nil && d.Objects[1].Before.Wrong == "" && d.Objects[1].After.Wrong == "missing", "%+v, %v", d,
		err)
	if d, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "5", Until: "1"}); err == nil {
		t.Errorf("what is since run 5, and until run 1: %+v", d)
	}
	var unknown *logbook.UnknownRunError
	for _, name := range []string{"0", "6", "01", strings.Repeat("ab", 32)} {
		_, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "1", Until: name})
		check.That(t, errors.As(err, &unknown) && unknown.Name == name, "run %q: %v", name, err)
	}
}

// told says shortly what a diff has.
func told(d *logbook.Diff) string {
	var all []string
	for _, x := range d.Objects {
		s := `"` + x.Path + `" ` + x.Class + " in " + string(rune('0'+x.First.Number))
		if x.From != "" {
			s += ` from "` + x.From + `"`
		}
		for i, step := range x.Later {
			s += map[bool]string{true: ", later ", false: ", "}[i == 0] + step.Class + " in " + string(rune('0'+step.Run))
		}
		if x.Returned {
			s += ", returned"
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

// TestSwapped: two objects that change places moved both.
func TestSwapped(t *testing.T) {
	b := newBook(t)
	b.put("added", "", is("a", "1", 1, outcome.Verified))
	b.put("added", "", is("b", "2", 1, outcome.Verified))
	b.end(nil)
	one, two := is("b", "1", 2, outcome.Verified), is("a", "2", 2, outcome.Verified)
	for _, o := range []ledger.Object{one, two} {
		from := map[string]string{"a": "b", "b": "a"}[o.Path]
		c := run.Change{Path: o.Path, From: from, Class: "moved", Before: o.State(), After: o.State()}
		b.check(errors.Join(b.w.Put(&o), b.w.Note(&c)))
	}
	b.end(nil)
	l, about := b.read(secret, nil)
	d, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "1", Until: "2"})
	if got := told(d); err != nil || got != `"a" moved in 2 from "b"; "b" moved in 2 from "a"` {
		t.Errorf("%s, %v", got, err)
	}
}
