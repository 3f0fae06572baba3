package ledger_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestTwoNames: a ledger under two names is one ledger. One that is also another file,
// by a hard link, or is named by a link is not written to.
func TestTwoNames(t *testing.T) {
	path := made(t, 3)
	linked, hard := filepath.Join(t.TempDir(), "linked"), filepath.Join(t.TempDir(), "hard.db")
	base, link := filepath.Base(path), filepath.Join(t.TempDir(), "link.db")
	must.Do(t, errors.Join(os.Symlink(filepath.Dir(path), linked), os.Symlink(path, link)))
	o := nth(1)
	write(t, path, func(w *ledger.Writer) {
		must.Do(t, w.Put(&o))
		must.Do(t, w.Commit())
		_, err := ledger.OpenWrite(t.Context(), filepath.Join(linked, base), ours)
		check.That(t, errors.Is(err, ledger.ErrBusy), "by a link to its folder: %v", err)
		must.Do(t, os.Link(path, hard))
		for _, name := range []string{path, hard, path + ".lock"} {
			info, err := os.Stat(name)
			check.That(t, err == nil && w.Owns(info), "%s is not the ledger's: %v", name, err)
		}
		info, err := os.Stat(filepath.Dir(path))
		check.That(t, err == nil && !w.Owns(info), "the folder is the ledger's")
	})
	check.Fails(t, check.Err(ledger.OpenWrite(t.Context(), path, ours)), "2 hard links", "with a hard link")
	must.Do(t, os.Remove(hard))
	check.Fails(t, check.Err(ledger.OpenWrite(t.Context(), link, ours)), "a symbolic link", "by a link")
	// A writer with another lock is noticed before anything is written.
	write(t, path, func(w *ledger.Writer) {
		edit(t, path, sql("UPDATE state SET code = zeroblob(32)"))
		var altered *ledger.AlteredError
		err := w.Put(&o)
		check.That(t, errors.As(err, &altered), "Put after something else wrote: %v", err)
		err = w.Commit()
		check.That(t, errors.As(err, &altered), "Commit after something else wrote: %v", err)
	})
}

// TestBroken: after a write that failed nothing is committed, and the ledger is as it was at
// the last commit.
func TestBroken(t *testing.T) {
	path := made(t, 3)
	write(t, path, func(w *ledger.Writer) {
		o := nth(1)
		o.Size = 7
		must.Do(t, w.Put(&o))
		must.Do(t, w.Commit())
		o.Size = 8
		must.Do(t, w.Put(&o))
		o.Judgement.Facts.Generations = make([]int64, 1<<18)
		check.That(t, w.Put(&o) != nil, "an entry of any size is taken")
		for what, err := range map[string]error{
			"Put": w.Put(&ledger.Object{Path: "a"}), "Commit": w.Commit(), "Remove": w.Remove("a"),
			"Note": w.Note(&run.Change{Path: "a", Class: "added"}), "Begin": w.Begin(1),
		} {
			check.That(t, err != nil, "%s works", what)
		}
	})
	l := read(t, path, ours)
	o, _, err := l.Object(nth(1).Path)
	check.That(t, l.Standing() == ledger.Own && o.Size == 7 && err == nil, "%v, %d, %v", l.Fault(), o.Size, err)
}

// TestNoteRefused: the ledger refuses a change that it could not read again, and loses
// nothing else.
func TestNoteRefused(t *testing.T) {
	path := made(t, 1)
	write(t, path, func(w *ledger.Writer) {
		for _, c := range []run.Change{{Path: "a"}, {Path: "../a", Class: "moved"}, {Path: "a", Class: run.Accepted},
			{Path: "a", Class: "added", After: &run.State{Verdict: "good"}}} {
			check.That(t, w.Note(&c) != nil, "%+v is taken", c)
		}
		must.Do(t, w.Note(&run.Change{Path: "a", Class: "moved"}))
		must.Do(t, w.Commit())
	})
	for c, err := range read(t, path, ours).Changes(t.Context(), 2) {
		check.That(t, err == nil && c.Class == "moved", "%+v, %v", c, err)
	}
}

// TestBounds: the longest and the strangest values come back, and texts that are too
// long are cut at a character.
func TestBounds(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	o := nth(1)
	o.Path, o.Size, o.Modified, o.ReadAt = strings.Repeat("\xff", 200)+"/ä\n", math.MaxInt64, math.MinInt64, math.MaxInt64
	o.Judgement.Reason, o.Judgement.Pointer, o.Judgement.Facts.TenantID = long, "/\x00", "\x00"+long
	o.Judgement.Facts.CheckpointSequence = math.MaxUint64
	path := made(t, 0)
	write(t, path, func(w *ledger.Writer) {
		must.Do(t, w.Put(&o))
		must.Do(t, w.Commit())
		for _, bad := range []string{"", "/a", "a/", "a//b", "..", "a/./b", "a\x00b", strings.Repeat("a", run.MaxPath+1)} {
			check.That(t, w.Put(&ledger.Object{Path: bad}) != nil, "the path %.20q is taken", bad)
		}
	})
	l := read(t, path, ours)
	got, found, err := l.Object(o.Path)
	check.That(t, err == nil && found && got.Size == o.Size && got.Modified == o.Modified && got.ReadAt == o.ReadAt &&
		got.Judgement.Pointer == "/\x00" && got.Judgement.Facts.CheckpointSequence == math.MaxUint64, "%+v, %v", got, err)
	for _, s := range []string{got.Judgement.Reason, got.Judgement.Facts.TenantID} {
		check.That(t, utf8.ValidString(s) && len(s) <= 4096 && len(s) >= 4000, "a text of %d octets was cut to %d",
			len(long), len(s))
	}
}

// TestHostile: content that another user can write into a ledger costs no more than the limits
// allow, and is an error.
func TestHostile(t *testing.T) {
	path := made(t, 3)
	for what, change := range map[string]string{
		"a value of many octets":  "UPDATE objects SET entry = zeroblob(2000000)",
		"an entry of many octets": "UPDATE objects SET entry = zeroblob(300000)",
		"a text of many octets":   "UPDATE objects SET entry = unhex(hex(zeroblob(43))||'8827'||hex(zeroblob(5011)))",
		"an entry of none":        "UPDATE objects SET entry = x''",
		"a path that climbs":      "UPDATE objects SET path = CAST('../' || CAST(path AS TEXT) AS BLOB) WHERE path > CAST('2026/001' AS BLOB)",
		"a path with NUL":         "UPDATE objects SET path = x'610062' WHERE path > CAST('2026/002' AS BLOB)",
		"a name of another kind":  "UPDATE names SET value = CAST('t' || name AS BLOB)",
		"no names":                "DELETE FROM names",
		"a record that is none":   "UPDATE runs SET record = x'7b7d'",
		"a change that is none":   "UPDATE changes SET line = zeroblob(70000)",
	} {
		forged := copyFile(t, path)
		edit(t, forged, func(c *sqlite.Conn) error { return c.Exec(change) })
		fault := func() error {
			l, err := ledger.Open(t.Context(), forged, others)
			if err != nil {
				return err
			}
			defer l.Close()
			for _, err := range l.Objects(t.Context()) {
				if err != nil {
					return err
				}
			}
			for _, err := range l.Changes(t.Context(), 1) {
				if err != nil {
					return err
				}
			}
			return nil
		}
		check.That(t, fault() != nil, "%s is taken", what)
	}
}

// TestIndexForged: the index of names does not decide the number of a name.
func TestIndexForged(t *testing.T) {
	path := made(t, 5)
	whole := must.Get(os.ReadFile(path))(t)
	// An entry of the index: the size of its header, the types of value and number, the
	// value, and the number. Two of them exchange their numbers.
	var ends []int
	for _, id := range []string{"node/1", "node/2"} {
		value := []byte("knode\x00" + id)
		entry := append([]byte{3, byte(12 + 2*len(value)), 1}, value...)
		at := bytes.Index(whole, entry)
		must.That(t, at >= 0, "the index is in another form")
		ends = append(ends, at+len(entry))
	}
	whole[ends[0]], whole[ends[1]] = whole[ends[1]], whole[ends[0]]
	must.Do(t, os.WriteFile(path, whole, 0o600))
	write(t, path, func(w *ledger.Writer) {
		o := nth(1)
		var altered *ledger.AlteredError
		err := w.Put(&o)
		check.That(t, errors.As(err, &altered), "the name of another key is taken: %v", err)
	})
}

// TestTouchGone: an object that the ledger lacks cannot have been read again, and nothing is committed after that.
func TestTouchGone(t *testing.T) {
	w := must.Get(ledger.OpenWrite(t.Context(), filepath.Join(t.TempDir(), "a.ledger"), ours))(t)
	err := w.Touch("a", 1, 2)
	check.That(t, errors.As(err, new(*ledger.AlteredError)) && w.Commit() != nil, "%v", err)
	must.Do(t, w.Close())
}
