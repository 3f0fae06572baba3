package durable

import (
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Entry is a document with its id.
type Entry struct {
	ID       string
	Document seal.Object
}

// Get returns a document, or nil if there is none.
func (s *Store) Get(kind, id string) (seal.Object, error) {
	var body []byte
	err := s.db.QueryRow("SELECT body FROM document WHERE kind = ? AND id = ?", kind, id).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseDocument(kind, id, body)
}

// List returns up to limit documents of a kind whose ids come after an id, by
// id, bytewise.
func (s *Store) List(kind, after string, limit int) ([]Entry, error) {
	rows, err := s.db.Query("SELECT id, body FROM document WHERE kind = ? AND id > ? ORDER BY id LIMIT ?",
		kind, after, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var entries []Entry
	for rows.Next() {
		var e Entry
		var body []byte
		if err := rows.Scan(&e.ID, &body); err != nil {
			return nil, err
		}
		if e.Document, err = parseDocument(kind, e.ID, body); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// Each calls f with every document of a kind after an id, by id, until f fails.
func (s *Store) Each(kind, after string, f func(Entry) error) error {
	for {
		entries, err := s.List(kind, after, page)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if err := f(e); err != nil {
				return fmt.Errorf("the stored %s %q: %w", kind, e.ID, err)
			}
			after = e.ID
		}
	}
}

func parseDocument(kind, id string, body []byte) (seal.Object, error) {
	document, err := seal.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("the stored %s %q: %w", kind, id, err)
	}
	return document, nil
}

// Sequence is the sequence of the log's newest event, 0 if there is none.
func (s *Store) Sequence() (uint64, error) {
	var last uint64
	err := s.db.QueryRow("SELECT coalesce(max(sequence), 0) FROM event").Scan(&last)
	return last, err
}

// Lines returns up to limit events after a sequence, ascending, in canonical
// form and without line feed.
func (s *Store) Lines(after uint64, limit int) ([][]byte, error) {
	//nolint:gosec // sequences stay below 2^53
	rows, err := s.db.Query("SELECT line FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?", int64(after), limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var lines [][]byte
	for rows.Next() {
		var line []byte
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// Events yields all events, ascending, up to the first that cannot be read.
func (s *Store) Events() iter.Seq2[seal.Object, error] {
	return func(yield func(seal.Object, error) bool) {
		for after := uint64(0); ; {
			lines, err := s.Lines(after, page)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(lines) == 0 {
				return
			}
			for _, line := range lines {
				event, err := seal.Parse(line)
				if !yield(event, err) || err != nil {
					return
				}
			}
			after += uint64(len(lines))
		}
	}
}
