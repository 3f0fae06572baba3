package partview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Explains compares the bytes of two copies, which are read again from their sources where
// the content does not have them.
func (v *View) Explains(ctx context.Context, genuine, copied facts.Ref) (bool, error) {
	lines := [2][]byte{}
	for i, ref := range []facts.Ref{genuine, copied} {
		err := v.findCopy(ctx, ref, func(c *part.Copy) (err error) {
			if v.options.Line != nil && c.Body.Row > 0 {
				lines[i], err = v.options.Line(ctx, v.logs[ref.Log-1], c)
			} else {
				lines[i], err = v.again.readLine(ctx, v, c)
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return evidence.LossExplains(lines[0], lines[1]), nil
}

// mostAgain bounds the bytes of lines that are kept, as they may be needed next.
const mostAgain = 16 << 20

// again reads lines from their sources. One goroutine uses it at a time.
type again struct {
	mu     sync.Mutex
	paths  map[int64]string // of the unchanged sources; "" for others
	source int64            // that lines are of
	lines  map[lineName][]byte
	kept   int
}

// lineName is where a line is in its source.
type lineName struct {
	container              string
	record, offset, length int64
}

// readLine returns the canonical line of a copy.
func (a *again) readLine(ctx context.Context, v *View, c *part.Copy) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gone := &evidence.UnreachableError{}
	for i := range c.Arrivals {
		at := v.placeOf(c.Arrivals[i].Place)
		source := &v.all[at.Source-1]
		f, end, err := a.openSource(ctx, v, source)
		if err != nil {
			return nil, err
		}
		if len(source.Paths) > 0 && (gone.Source == "" || f != nil) {
			gone.Source = source.Paths[0]
		}
		if f == nil {
			continue
		}
		line, err := a.lineAt(ctx, v, io.NewSectionReader(f, 0, source.Size), at, c)
		end()
		if line != nil || ctx.Err() != nil {
			return line, errors.Join(err, ctx.Err())
		}
	}
	return nil, gone
}

// openSource opens a source, if it can be read again and is unchanged; else it returns nil.
func (a *again) openSource(ctx context.Context, v *View, s *facts.Source) (io.ReaderAt, func(), error) {
	if v.options.Source != nil {
		if f, end := v.options.Source(s.SHA256); f != nil {
			return f, end, nil
		}
	}
	path, err := a.sourcePath(ctx, v, s)
	if path == "" || err != nil {
		return nil, nil, err
	}
	f, _, err := evidence.OpenSource(path)
	if err != nil {
		return nil, nil, nil // it was there when its digest was computed
	}
	return f, func() { _ = f.Close() }, nil // which was only read
}

// sourcePath returns where a source can be read again; "" if it cannot.
func (a *again) sourcePath(ctx context.Context, v *View, s *facts.Source) (string, error) {
	if path, known := a.paths[s.Number]; known {
		return path, nil
	}
	found := ""
	for _, p := range v.paths {
		if p.Source != s.Number || p.Absolute == "" || !s.Complete {
			continue
		}
		if sum, err := digestFile(ctx, p.Absolute, s.Size); ctx.Err() != nil {
			return "", ctx.Err()
		} else if err == nil && sum == s.SHA256 {
			found = p.Absolute
			break
		}
	}
	if a.paths == nil {
		a.paths = map[int64]string{}
	}
	a.paths[s.Number] = found
	return found, nil
}

// digestFile hashes a file of a size.
func digestFile(ctx context.Context, path string, size int64) (sum chain.Hash, err error) {
	f, have, err := evidence.OpenSource(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	for left := size; left > 0 && err == nil && ctx.Err() == nil; {
		var n int64
		n, err = io.CopyN(h, f, min(left, 64<<20))
		left -= n
	}
	if have != size {
		err = errors.Join(err, errOther)
	}
	return chain.Hash(h.Sum(nil)), err
}

// errOther is why a line is not taken.
var errOther = errors.New("other bytes")

// lineAt returns the line of a copy at a place of a file; nil if it is not there.
func (a *again) lineAt(ctx context.Context, v *View, f *io.SectionReader, at facts.Place, c *part.Copy) ([]byte,
	error) {
	if line := plainLine(f, at, c); line != nil {
		return line, nil
	}
	want := lineName{at.Container, at.Record, at.Offset, at.Length}
	if a.source == at.Source && a.lines[want] != nil {
		return a.lines[want], nil
	}
	a.source, a.lines, a.kept = at.Source, map[lineName][]byte{}, 0
	err := v.options.Again(ctx, f, v.options.Read, func(p read.Place, l *event.Line) error {
		if p.Index < at.Record {
			return nil
		}
		line := evidence.LineOf(l)
		a.lines[lineName{p.Container, p.Index, p.Offset, p.Length}] = line
		if a.kept += len(line); a.kept > mostAgain && a.lines[want] != nil {
			return evidence.ErrStop
		}
		return nil
	})
	if errors.Is(err, evidence.ErrStop) {
		err = nil
	}
	if line := a.lines[want]; line != nil && isOf(line, c) {
		return line, nil
	}
	return nil, err
}

// plainLine returns the line of a copy that is in a file as it is; nil if it does
// not.
func plainLine(f io.ReaderAt, at facts.Place, c *part.Copy) []byte {
	const lineEnd = 2
	if at.Container != "" || at.Length <= 0 || at.Length > form.MaxEvent+lineEnd {
		return nil
	}
	raw := make([]byte, at.Length)
	if _, err := f.ReadAt(raw, at.Offset); err != nil {
		return nil
	}
	if raw = bytes.TrimSpace(raw); isOf(raw, c) {
		return raw
	}
	return nil
}

// isOf reports whether a canonical line belongs to a copy.
func isOf(line []byte, c *part.Copy) bool {
	var l event.Line
	if !event.Scan(line, &l) {
		return false
	}
	e := facts.Event{Header: event.Header{Event: chain.Event{Link: l.Link, Recorded: l.Recorded},
		KeyID: string(l.KeyID), Signature: l.Signature}}
	own := e.Digest()
	return slices.Equal(own[:part.DigestSize], c.Digest[:])
}
