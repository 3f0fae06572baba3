package store

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// custodyTable is the journal of a case. It is made with the first entry: a case that an
// earlier version made has none.
var custodyTable = []guard.Late{{Name: "custody", SQL: `CREATE TABLE IF NOT EXISTS custody (
  -- The journal of the case (docs/spec.md, 21). Rows are only added.
  number   INTEGER PRIMARY KEY, -- from 1
  document TEXT NOT NULL,       -- the entry, in canonical form
  sha256   BLOB NOT NULL        -- of the document
) STRICT`}}

// Custodian is the command that a journal names, and the memory that its user has of journals. One command
// uses it for all that it opens. Without one, or with nil, no entries are made.
type Custodian struct {
	Command, Version string
	Now              func() time.Time
	Known            []userkey.Head         // remembered before the case was opened
	Remember         func(userkey.Head)     // keeps a head; with the number 0, forgets its place
	Opened           func(*custody.Journal) // gets the journal, to which this command adds
	Thorough         bool                   // compares entries with results also if the key vouches for the case

	journal  *custody.Journal
	place    string
	recorded bool           // there is an entry since the case was opened
	added    map[int64]bool // sources that were completed, and are in no entry yet
}

// Custody sets the keeper of the journal.
func Custody(k *Custodian) Option { return func(s *standing) { s.keeper = k } }

// openJournal reads the journal of the case at a path, and looks for faults.
func (k *Custodian) openJournal(c *sqlite.Conn, path string, vouched, reopened bool) (err error) {
	if k == nil {
		return nil
	}
	k.place, k.recorded = placeOf(path), false
	if k.added == nil {
		k.added = map[int64]bool{}
	}
	if k.journal, err = readJournal(c); err != nil || reopened {
		return err
	}
	if !vouched || k.Thorough {
		if err := compareJournal(c, k.journal); err != nil {
			return err
		}
	}
	at := k.journal.At(k.place)
	if !k.journal.Lacks(k.place, k.Known) && at.Number > 0 && !slices.Contains(k.Known, at) {
		k.Remember(at)
	}
	k.Opened(k.journal)
	return nil
}

// placeOf is a digest of the path of a case, without links.
func placeOf(path string) string { return chain.Hash(sha256.Sum256([]byte(path))).String() }

// forgetPlace forgets the case that was at a path, where a new one is made.
func (k *Custodian) forgetPlace(path string) {
	if k == nil {
		return
	}
	isHere := func(at userkey.Head) bool { return at.Place == placeOf(path) }
	if slices.ContainsFunc(k.Known, isHere) {
		k.Known = slices.DeleteFunc(k.Known, isHere)
		k.Remember(userkey.Head{Place: placeOf(path)})
	}
}

func readJournal(c *sqlite.Conn) (*custody.Journal, error) {
	j := custody.NewJournal()
	if n, err := c.Number("SELECT count(*) FROM sqlite_schema WHERE name = 'custody'"); n == 0 || err != nil {
		return j, err
	}
	return j, c.Each("SELECT number, document, sha256 FROM custody ORDER BY number", nil, func(s *sqlite.Stmt) error {
		j.AddRow(s.Int(0), s.Blob(1), s.Blob(2))
		return nil
	})
}

// compareJournal compares the journal with the results and sources of the case.
func compareJournal(c *sqlite.Conn, j *custody.Journal) error {
	has := custody.Presence{Walks: map[int64]string{}, Sources: map[string]bool{}}
	err := c.Each(walkColumns, nil, func(s *sqlite.Stmt) error {
		walk, all := readWalk(s), sha256.New()
		err := c.Each(findingsOfWalk, []any{walk.Number}, func(s *sqlite.Stmt) error {
			addFinding(all, readFinding(s))
			return nil
		})
		has.Walks[walk.Number] = resultDigest(all.Sum(walk.digest()))
		return err
	})
	if err == nil {
		err = c.Each("SELECT read_sha256 FROM sources", nil, func(s *sqlite.Stmt) error {
			has.Sources[form.EncodeHex(s.Blob(0))] = true
			return nil
		})
	}
	j.Compare(has)
	return err
}

func resultDigest(parts []byte) string { return chain.Hash(sha256.Sum256(parts)).String() }

// addEntry adds an entry in the transaction that is open.
func (k *Custodian) addEntry(c *sqlite.Conn, e custody.Entry) error {
	if k == nil {
		return nil
	}
	err := c.Exec(custodyTable[0].SQL)
	before := k.journal.At(k.place)
	if e.Number, e.Previous = before.Number+1, before.SHA256; err == nil && e.Number == 1 {
		e.Earlier, err = c.Number("SELECT coalesce(max(walk), 0) FROM walks WHERE walk < ?", int64(mostWalks))
		if e.Walk != nil {
			e.Earlier = e.Walk.Number - 1
		}
	}
	if err != nil {
		return err
	}
	e.Protocol, e.Time, e.Lost = custody.Protocol, form.FormatTime(k.Now()), k.journal.Lost()
	e.Command, e.Version = k.Command, k.Version
	doc, sum, err := e.Document()
	if err != nil {
		return err
	}
	k.recorded = true
	k.journal.AddRow(e.Number, doc, sum[:])
	return c.Run("INSERT OR REPLACE INTO custody VALUES (?, ?, ?)", e.Number, string(doc), sum[:])
}

// committed remembers the head of the journal.
func (k *Custodian) committed() {
	if k != nil {
		k.Remember(k.journal.At(k.place))
	}
}

// commitEntry adds an entry, and commits it.
func commitEntry(w *Writer, e custody.Entry) error {
	err := w.begin()
	if err == nil {
		err = w.keeper.addEntry(w.conn, e)
	}
	if err == nil {
		err = w.conn.Exec("COMMIT")
	}
	if err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	w.keeper.committed()
	return nil
}

// AddNote adds a note to the journal of a case.
func AddNote(w *Writer, n custody.Note) error { return commitEntry(w, custody.Entry{Note: &n}) }

// Record adds an entry of the evidence that a command added, if there is none yet. A writer does it
// when it is closed.
func Record(w *Writer) error {
	k := w.keeper
	if k == nil || len(k.added) == 0 && (k.recorded || !w.changed) {
		return nil
	}
	var digests []chain.Hash
	for source := range k.added { // some may have been dropped
		err := w.conn.Each("SELECT read_sha256 FROM sources WHERE source = ?", []any{source},
			func(s *sqlite.Stmt) error {
				digests = append(digests, chain.Hash(s.Blob(0)))
				return nil
			})
		if err != nil {
			return err
		}
	}
	clear(k.added)
	return commitEntry(w, custody.Entry{Added: custody.SourcesOf(digests)})
}
