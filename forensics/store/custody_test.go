package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// user is a user with a key and a memory.
type user struct {
	t     *testing.T
	key   byte
	known []userkey.Head
}

// options open a case for a command of the user, which appends the faults of the journal.
func (u *user) options(faults *[]custody.What) []Option {
	return []Option{as(u.t, u.key), Custody(&Custodian{Command: "test", Version: "1",
		Now:   func() time.Time { return time.UnixMilli(0) },
		Known: slices.Clone(u.known),
		Remember: func(at userkey.Head) {
			u.known = slices.DeleteFunc(u.known, func(k userkey.Head) bool { return k.Place == at.Place })
			if at.Number > 0 {
				u.known = append(u.known, at)
			}
		},
		Opened: func(j *custody.Journal) {
			for _, f := range j.Faults {
				*faults = append(*faults, f.What)
			}
		}})}
}

// read returns the faults of the journal, for a command that only asks.
func (u *user) read(path string) string {
	u.t.Helper()
	var faults []custody.What
	f := must.Get(OpenRead(path, u.options(&faults)...))(u.t)
	must.Do(u.t, f.Close())
	return fmt.Sprint(slices.Compact(faults))
}

// write opens the case, does something to it, and returns the faults of the journal.
func (u *user) write(path string, do func(*Writer) error) string {
	u.t.Helper()
	var faults []custody.What
	w := must.Get(OpenWrite(path, u.options(&faults)...))(u.t)
	must.Do(u.t, errors.Join(do(w), w.Close()))
	return fmt.Sprint(slices.Compact(faults))
}

func keepWalk(w *Writer) error {
	_, err := w.KeepWalk(Walk{TrustSHA256: chain.Hash{1}, Verdict: "verified", Result: []byte("{}")},
		[]Finding{{Code: "chain.gap", Severity: "high", JSON: []byte("{}")}})
	return err
}

func keepNote(w *Writer) error {
	return AddNote(w, custody.Note{Subject: custody.Subject{Kind: custody.OfTransaction, Name: "tx"}, Explained: true})
}

// journaled makes a case with two walks, and a note between them.
func (u *user) journaled() string {
	path := filepath.Join(u.t.TempDir(), "case.db")
	for i, do := range []func(*Writer) error{keepWalk, keepNote, keepWalk} {
		check.Equal(u.t, u.write(path, do), "[]", "command %d", i)
	}
	return path
}

func editCase(t *testing.T, path string, statements string) {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	must.Do(t, errors.Join(c.Exec(statements), c.Close()))
}

// journalOf returns the journal of a case, compared with its results.
func journalOf(t *testing.T, path string) (j *custody.Journal) {
	t.Helper()
	f := must.Get(OpenRead(path, Custody(&Custodian{Remember: func(userkey.Head) {},
		Opened: func(opened *custody.Journal) { j = opened }})))(t)
	must.Do(t, f.Close())
	return j
}

// TestJournal: every command that changes a case adds an entry in the transaction of the change.
func TestJournal(t *testing.T) {
	u := &user{t: t, key: 1}
	path := u.journaled()
	j := journalOf(t, path)
	var said []string
	for _, e := range j.Entries {
		switch {
		case e.Walk != nil:
			said = append(said, fmt.Sprintf("walk %d of %d", e.Walk.Number, e.Walk.Findings))
		case e.Note != nil:
			said = append(said, "note "+e.Note.Subject.Name)
		}
	}
	check.Equal(t, strings.Join(said, ", "), "walk 1 of 1, note tx, walk 2 of 1", "entries")
	check.Equal(t, j.Entries[0].Time, "1970-01-01T00:00:00.000Z", "time")
	check.Equal(t, len(u.known), 1, "cases that are remembered")
	check.Equal(t, j.Entries[0].Earlier, int64(0), "earlier walks")
	check.Equal(t, len(j.Faults), 0, "faults")
}

// TestJournalTampered: changes that another user makes in a journal are noticed by the next
// command of its user, which adds them to the journal; a user who does not know the case
// notices contradictions.
func TestJournalTampered(t *testing.T) {
	const forged = "UPDATE custody SET document = replace(document, 'test', 'tent') WHERE number = "
	for what, c := range map[string]struct{ change, own, other string }{
		"nothing":       {"SELECT 1", "[]", "[]"},
		"the last":      {"DELETE FROM custody WHERE number = 3", "[cut]", "[no-entry]"},
		"one within":    {"DELETE FROM custody WHERE number = 2", "[unchained]", "[unchained]"},
		"the first":     {"DELETE FROM custody WHERE number = 1", "[unchained]", "[unchained no-entry]"},
		"all":           {"DELETE FROM custody", "[cut]", "[]"},
		"the table":     {"DROP TABLE custody", "[cut]", "[]"},
		"edited within": {forged + "2", "[unchained]", "[unchained]"},
		"edited last":   {forged + "3", "[unchained cut]", "[unchained]"},
		"order": {"UPDATE custody SET number = 9 WHERE number = 2; UPDATE custody SET number = 2 WHERE number = 1; " +
			"UPDATE custody SET number = 1 WHERE number = 9", "[unchained]", "[unchained]"},
		"no JSON":   {"UPDATE custody SET document = '[' WHERE number = 2", "[malformed unchained]", ""},
		"verdict":   {"UPDATE walks SET verdict = 'rejected' WHERE walk = 1", "[]", "[other-walk]"},
		"a finding": {"DELETE FROM findings WHERE walk = 2", "[]", "[other-walk]"},
		"a walk":    {"DELETE FROM findings WHERE walk = 2; DELETE FROM walks WHERE walk = 2", "[]", "[other-walk]"},
		"one more": {"INSERT INTO walks SELECT 3, trust_sha256, verdict, result, state FROM walks LIMIT 1", "[]",
			"[no-entry]"},
	} {
		t.Run(what, func(t *testing.T) {
			u, other := &user{t: t, key: 1}, &user{t: t, key: 2}
			path := u.journaled()
			editCase(t, path, c.change)
			if c.other != "" {
				check.Equal(t, other.read(path), c.other, "another user")
			}
			check.Equal(t, u.read(path), c.own, "the user")
			check.Equal(t, u.read(path), c.own, "the user, again")
			check.Equal(t, u.write(path, func(w *Writer) error { return errors.Join(keepNote(w), keepNote(w)) }), c.own,
				"a command that writes")
			all := journalOf(t, path).Entries
			check.That(t, all[len(all)-1].Lost == nil, "the second entry lacks %v", all[len(all)-1].Lost)
			if strings.Contains(c.own, "cut") {
				check.That(t, strings.Contains(u.read(path), "cut-earlier"), "the journal does not say it: %s", u.read(path))
				check.That(t, strings.Contains(other.read(path), "cut-earlier"), "another user is not told")
			}
		})
	}
}

// TestJournalCopied: a case at another place is the same, an older copy is reported to lack
// entries, and a new case at the place of an old one is neither.
func TestJournalCopied(t *testing.T) {
	u := &user{t: t, key: 1}
	path := u.journaled()
	older := filepath.Join(t.TempDir(), "older.db")
	must.Do(t, os.WriteFile(older, must.Get(os.ReadFile(path))(t), 0o600))
	check.Equal(t, u.write(path, keepNote), "[]", "the case")
	check.Equal(t, u.read(older), "[cut]", "an older copy")
	check.Equal(t, u.write(older, keepNote), "[cut]", "an older copy that goes on")
	check.Equal(t, u.read(older), "[cut-earlier]", "a copy that went on")
	check.Equal(t, u.read(path), "[]", "the case beside its copy")
	must.Do(t, os.Remove(path))
	check.Equal(t, len(u.known), 2, "places")
	check.Equal(t, u.write(path, func(*Writer) error {
		check.Equal(t, len(u.known), 1, "places, once a new case is made")
		return nil
	}), "[]", "a new case")
	check.Equal(t, u.read(path), "[]", "the new case again")
}

// TestJournalOfEarlierCase: a case of an earlier version has no journal, and walks without entries.
func TestJournalOfEarlierCase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(OpenWrite(path, as(t, 1)))(t)
	must.Do(t, errors.Join(keepWalk(w), w.Close()))
	u, other := &user{t: t, key: 1}, &user{t: t, key: 2}
	check.Equal(t, u.read(path)+other.read(path), "[][]", "before there is an entry")
	check.Equal(t, u.write(path, keepNote)+u.write(path, keepWalk), "[][]", "the first entries")
	check.Equal(t, u.read(path)+other.read(path), "[][]", "with entries")
	editCase(t, path, "UPDATE walks SET verdict = 'rejected' WHERE walk = 1")
	check.Equal(t, other.read(path), "[]", "what is older than the journal")
}

// TestJournalHostile: whatever the rows of a journal have, a walk is kept, and evidence that was dropped
// is in no entry.
func TestJournalHostile(t *testing.T) {
	u := &user{t: t, key: 1}
	for what, row := range map[string]string{
		"a large number": "9223372036854775807, 'a', x'00'",
		"a last number":  "1099511627776, 'a', x'00'",
		"no number":      "-1, 'a', x'00'",
		"no digest":      "9, '{}', x''",
	} {
		path := u.journaled()
		editCase(t, path, "INSERT INTO custody VALUES ("+row+")")
		check.That(t, u.write(path, keepWalk) != "[]" && u.write(path, keepNote) != "[]", "%s: all fits", what)
		check.Equal(t, must.Get(walksOf(path))(t), int64(3), "%s: walks", what)
	}
	path := u.journaled()
	u.write(path, func(w *Writer) error {
		p := must.Get(w.Start(1, chain.Hash{}))(t)
		return w.Finish(p)
	})
	all := journalOf(t, path).Entries
	check.Equal(t, all[len(all)-1].Added.Count, int64(0), "sources")
}

func walksOf(path string) (int64, error) {
	c, err := sqlite.Open(path, sqlite.ReadOnly)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	return c.Number("SELECT count(*) FROM walks")
}

// TestJournalAtOnce: commands that write at the same time add to one chain.
func TestJournalAtOnce(t *testing.T) {
	u := &user{t: t, key: 1}
	path := u.journaled()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			own := &user{t: t, key: 1}
			for range 5 {
				var faults []custody.What
				w, err := OpenWrite(path, own.options(&faults)...)
				for errors.Is(err, ErrBusy) {
					w, err = OpenWrite(path, own.options(&faults)...)
				}
				if err == nil {
					err = errors.Join(keepNote(w), w.Close())
				}
				check.That(t, err == nil && len(faults) == 0, "%v, %v", err, faults)
			}
		})
	}
	all.Wait()
	j := journalOf(t, path)
	check.That(t, len(j.Faults) == 0 && len(j.Entries) == 23, "%d entries, %v",
		len(j.Entries), j.Faults)
	check.Equal(t, u.read(path), "[]", "the user")
}
