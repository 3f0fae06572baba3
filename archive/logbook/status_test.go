package logbook_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestStatus adds up the objects by time of reading, and the failures.
func TestStatus(t *testing.T) {
	b, _ := history(t)
	l, about := b.read(secret, nil)
	at := time.UnixMilli(day(6))
	for _, c := range []struct {
		age         time.Duration
		read, stale int64
	}{{72 * time.Hour, 1, 1}, {96 * time.Hour, 2, 0}, {time.Hour, 0, 2}, {100 * 24 * time.Hour, 2, 0}} {
		s, err := logbook.ReadStatus(t.Context(), l, about, at, c.age)
		check.That(t, err == nil && s.Read.Objects == c.read && s.Stale.Objects == c.stale && s.Objects.Objects == 3,
			"%s: %+v, %v", c.age, s, err)
	}
	s, err := logbook.ReadStatus(t.Context(), l, about, at, 100*24*time.Hour)
	check.That(t, err == nil && s.Verdict == outcome.Rejected && len(s.Wrong) == 1 && s.Wrong[0].Path == "c" &&
		s.Wrong[0].Wrong == "missing", "%+v, %v", s, err)
	check.That(t, s.Accepted == 1 && s.Rejected == 1 && s.Verified == 1 && s.Oldest.Path == "a" &&
		s.NewestRun.Number == 5, "%+v", s)
	narrow(t, shownText(t, text.Status(s)))
}

// TestStatusVerdict: the verdict is the one that a check would reach from the recorded
// results.
func TestStatusVerdict(t *testing.T) {
	wrong := func(what string) func(*ledger.Object) { return func(o *ledger.Object) { o.Wrong = what } }
	for name, c := range map[string]struct {
		change func(*ledger.Object)
		want   outcome.Class
	}{
		"as it was":  {func(*ledger.Object) {}, outcome.Verified},
		"missing":    {wrong(ledger.Missing), outcome.Rejected},
		"unreadable": {wrong(ledger.Unreadable), outcome.Unreadable},
		"altered":    {wrong(ledger.Altered), outcome.Rejected},
		"rejected":   {func(o *ledger.Object) { o.Judgement.Verdict = outcome.Rejected }, outcome.Rejected},
		"accepted": {func(o *ledger.Object) { o.Judgement.Verdict, o.Accepted = outcome.Rejected, true },
			outcome.Verified},
		"inconclusive": {func(o *ledger.Object) { o.Judgement.Verdict = outcome.Inconclusive }, outcome.Inconclusive},
		"tolerated": {func(o *ledger.Object) { o.Judgement.Verdict, o.Accepted = outcome.Inconclusive, true },
			outcome.Verified},
		"lost": {func(o *ledger.Object) { o.Judgement.Verdict, o.Lost = outcome.Inconclusive, true },
			outcome.Rejected},
		"stale":          {func(o *ledger.Object) { o.ReadAt = day(1) - 1 }, outcome.Inconclusive},
		"just not stale": {func(o *ledger.Object) { o.ReadAt = day(1) }, outcome.Verified},
		"another trust":  {func(o *ledger.Object) { o.Context.Trust[0]++ }, outcome.Inconclusive},
		"no evidence": {func(o *ledger.Object) {
			o.Judgement, o.Context = object.Judgement{Kind: object.Other}, object.Context{}
		}, outcome.Verified},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t)
			o := is("a", "a", 1, outcome.Verified)
			o.ReadAt = day(2)
			c.change(&o)
			b.put("added", "", o)
			b.put("added", "", is("b", "b", 2, outcome.Verified))
			b.end(nil)
			l, about := b.read(secret, nil)
			s, err := logbook.ReadStatus(t.Context(), l, about, time.UnixMilli(day(11)), 10*24*time.Hour)
			check.That(t, err == nil && s.Verdict == c.want, "%+v, %v", s, err)
		})
	}
}

// TestAcceptedStatus: an accepted object counts under the trust file of the run that found it,
// until it is verified again; if that run has no record, nothing is known.
func TestAcceptedStatus(t *testing.T) {
	for _, c := range []struct {
		found int64 // the run that found it
		want  outcome.Class
	}{{2, outcome.Verified}, {3, outcome.Inconclusive}} {
		b := newBook(t)
		b.put("added", "", is("a", "a", 1, outcome.Verified))
		b.end(nil)
		o := is("a", "a", 1, outcome.Verified)
		o.Wrong = ledger.Altered
		o.Found = ledger.Found{Size: 5, SHA256: sha256.Sum256([]byte("other")), ReadIn: c.found, ReadAt: day(2),
			Judgement: object.Judgement{Kind: object.Bundle, Verdict: outcome.Rejected, Code: "json.syntax",
				Reason: "it is no JSON"}}
		b.put("altered", "", o)
		b.end(nil)
		must.Get(b.w.Accept("a", sha256.Sum256([]byte("other")), run.Acceptance{At: day(3), By: "A", Reason: "B"}))(t)
		l, about := b.read(secret, nil)
		s, err := logbook.ReadStatus(t.Context(), l, about, time.UnixMilli(day(3)), 100*24*time.Hour)
		check.That(t, err == nil && s.Verdict == c.want && s.Accepted == 1, "found in run %d: %+v, %v", c.found, s, err)
	}
}

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
		got := told(d)
		check.That(t, got == c.want, "from %s to %s:\n%s\nwant\n%s", c.from, c.to, got, c.want)
		narrow(t, shownText(t, text.Diff(d)))
	}
	d, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "1", Until: "5"})
	check.That(t, err == nil && d.Objects[1].Before.Wrong == "" && d.Objects[1].After.Wrong == "missing", "%+v, %v", d,
		err)
	if d, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "5", Until: "1"}); err == nil {
		t.Errorf("what is since run 5, and until run 1: %+v", d)
	}
	for _, name := range []string{"0", "6", "01", strings.Repeat("ab", 32)} {
		_, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "1", Until: name})
		check.Fails(t, err, "there is no run "+name, "run %q", name)
	}
}

// told returns a diff as a short text.
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
		must.Do(t, errors.Join(b.w.Put(&o), b.w.Note(&c)))
	}
	b.end(nil)
	l, about := b.read(secret, nil)
	d, err := logbook.ReadDiff(t.Context(), l, about, logbook.Span{Since: "1", Until: "2"})
	got := told(d)
	check.That(t, err == nil && got == `"a" moved in 2 from "b"; "b" moved in 2 from "a"`, "%s, %v", got, err)
}
