package ledger

import (
	"bytes"
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// errStop ends a loop without an error of its own.
var errStop = errors.New("stop")

// line is a row of changes.
type line struct {
	path []byte
	nth  int64
	line []byte
}

// lines calls f with each change of a run, in their order. No statement is
// open meanwhile, so that f may ask for anything else.
func (l *Ledger) lines(ctx context.Context, n int64, f func(line) error) error {
	last, lines := line{}, make([]line, 0, chunk)
	for {
		lines = lines[:0]
		const query = "SELECT path, nth, line FROM changes WHERE run = ? AND (path, nth) > (?, ?) ORDER BY path, nth LIMIT ?"
		err := l.conn.Each(query, []any{n, last.path, last.nth, int64(chunk)}, func(s *sqlite.Stmt) error {
			if len(s.Blob(2)) > run.MaxChange {
				return altered("a change of run %d is too long", n)
			}
			lines = append(lines, line{append([]byte{}, s.Blob(0)...), s.Int(1), append([]byte{}, s.Blob(2)...)})
			return nil
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, line := range lines {
			if order := bytes.Compare(last.path, line.path); order > 0 || order == 0 && last.nth >= line.nth {
				return altered("the changes of run %d are not in order", n)
			}
			last = line
			if err := f(line); err != nil {
				return err
			}
		}
		if len(lines) < chunk {
			return nil
		}
	}
}
