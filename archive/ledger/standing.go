package ledger

import (
	"bytes"
	"context"
	"crypto/hmac"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// contextEvery is how many rows are read between two looks at the context.
const contextEvery = 1 << 10

// stand reads the whole ledger and decides how far it can be believed.
func (l *Ledger) stand(ctx context.Context) error {
	var stated []byte
	rows := 0
	err := l.conn.Each("SELECT key_id, runs, newest, began, code FROM state", nil, func(s *sqlite.Stmt) error {
		rows++
		l.state.keyID = bytes.Clone(s.Blob(0))
		l.state.runs, l.state.began = s.Int(1), s.Int(3)
		copy(l.state.newest[:], s.Blob(2))
		stated = bytes.Clone(s.Blob(4))
		return nil
	})
	if err != nil {
		return err
	}
	if rows == 0 {
		l.suspect(&AlteredError{Detail: "the row that says whose ledger this is is missing"})
	}
	if !bytes.Equal(l.state.keyID, l.keys.id[:]) && rows > 0 {
		l.standing = Foreign
	}
	for _, table := range []func(context.Context) error{l.addNames, l.addObjects, l.addRuns, l.addChanges} {
		if err := table(ctx); err != nil {
			return err
		}
	}
	if want := l.stateCode(); l.standing == Own && !hmac.Equal(stated, want[:]) {
		l.suspect(&AlteredError{Detail: "rows are missing, were added, or are of an earlier time"})
	}
	return nil
}

// suspect notes the first thing that does not fit, unless the ledger is foreign.
func (l *Ledger) suspect(fault *AlteredError) {
	if l.standing == Own {
		l.standing, l.fault = Changed, fault
	}
}

// stateCode returns the code of the state as it is now.
func (l *Ledger) stateCode() code {
	s := &l.state
	return l.keys.state.Code("state", s.keyID, number(s.runs), s.newest[:], number(s.began), s.sum.bytes())
}

// row adds a row to the sum, and compares its code.
func (l *Ledger) row(want code, stated []byte, fault AlteredError) {
	if l.standing == Foreign {
		return
	}
	if !hmac.Equal(want[:], stated) {
		fault.Detail = "it was not written by svc-verify under your key"
		l.suspect(&fault)
	}
	l.state.sum.add(l.keys, want)
}

// table reads all rows of a table.
func (l *Ledger) table(ctx context.Context, query string, args []any, row func(*sqlite.Stmt)) error {
	n := 0
	return l.conn.Each(query, args, func(s *sqlite.Stmt) error {
		row(s)
		if n++; n%contextEvery == 0 {
			return ctx.Err()
		}
		return nil
	})
}

func (l *Ledger) addObjects(ctx context.Context) error {
	// A path of another type, which only an editor of pages can write, is one that a
	// search would miss.
	const query = "SELECT path, entry, code FROM objects WHERE path > x'' AND typeof(path) = 'blob' ORDER BY path"
	var last []byte
	return l.table(ctx, query, nil, func(s *sqlite.Stmt) {
		path := s.Blob(0)
		if bytes.Compare(path, last) <= 0 { // so is a row that is not in its place
			l.suspect(&AlteredError{Path: string(path), Detail: "it is not in its place"})
		}
		last = append(last[:0], path...)
		l.state.objects++
		if want, stated := l.keys.object(path, s.Blob(1)), s.Blob(2); hmac.Equal(want[:], stated) {
			l.row(want, stated, AlteredError{})
		} else {
			l.row(want, stated, AlteredError{Path: string(path)})
		}
	})
}

func (l *Ledger) addNames(ctx context.Context) error {
	return l.table(ctx, "SELECT name, value, code FROM names NOT INDEXED", nil, func(s *sqlite.Stmt) {
		l.row(l.keys.name(s.Int(0), s.Blob(1)), s.Blob(2), AlteredError{})
	})
}

func (l *Ledger) addRuns(ctx context.Context) error {
	return l.table(ctx, "SELECT run, record, code FROM runs", nil, func(s *sqlite.Stmt) {
		l.row(l.keys.run(s.Int(0), s.Blob(1)), s.Blob(2), AlteredError{})
	})
}

// addChanges adds the changes of the run that has no record.
func (l *Ledger) addChanges(ctx context.Context) error {
	const query = "SELECT path, nth, line FROM changes WHERE run = ? AND typeof(path) = 'blob'"
	return l.table(ctx, query, []any{l.state.runs + 1}, func(s *sqlite.Stmt) {
		l.state.changes++
		l.state.nth = max(l.state.nth, s.Int(1))
		if l.standing != Foreign {
			l.state.sum.add(l.keys, l.keys.change(l.state.runs+1, s.Blob(0), s.Int(1), s.Blob(2)))
		}
	})
}
