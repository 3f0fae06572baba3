package ledger

import (
	"bytes"
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"iter"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// A chunk is read at a time: so many rows, or as many as have so many bytes.
const (
	chunk       = 512
	chunkOctets = 1 << 20
)

// Objects yields all objects, in ascending order of the bytes of their paths. It keeps few of
// them in memory, and each is valid until the next one. A writer may put and remove objects
// meanwhile: those that are ahead are yielded as they are then. It ends with the first error.
// The slices of an object are shared with others.
func (l *Ledger) Objects(ctx context.Context) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		objects, path := make([]Object, 0, chunk), ""
		for more := true; more; {
			var err error
			if objects, more, err = l.next(objects[:0], path); err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range objects {
				if !yield(&objects[i], nil) {
					return
				}
			}
			if more {
				path = objects[len(objects)-1].Path
			}
		}
	}
}

// next reads the next objects after a path; more is false if there are no others.
func (l *Ledger) next(objects []Object, after string) (_ []Object, more bool, err error) {
	octets := 0
	const query = "SELECT path, entry, code FROM objects WHERE path > ? ORDER BY path LIMIT ?"
	err = l.conn.Each(query, []any{[]byte(after), int64(chunk)}, func(s *sqlite.Stmt) error {
		if octets += len(s.Blob(1)); octets > chunkOctets && len(objects) > 0 {
			return errStop
		}
		objects = append(objects, Object{})
		return l.object(s, &objects[len(objects)-1])
	})
	if errors.Is(err, errStop) {
		return objects, true, nil
	}
	return objects, len(objects) == chunk, err
}

// object reads a row of objects: path, entry and code.
func (l *Ledger) object(s *sqlite.Stmt, o *Object) error {
	path, entry := s.Blob(0), s.Blob(1)
	o.Path = string(path)
	if l.standing == Own {
		if want := l.keys.object(path, entry); !hmac.Equal(want[:], s.Blob(2)) {
			return &AlteredError{o.Path, "it was not written by svc-verify under your key"}
		}
	}
	if err := l.reader.unpack(entry, o); err != nil {
		return &AlteredError{o.Path, err.Error()}
	}
	if !run.IsPath(o.Path) {
		return &AlteredError{o.Path, "it is no path of an object"}
	}
	if l.standing != Own {
		o.Context = object.Context{}
	}
	return nil
}

// Object returns the object with a path, and whether there is one.
func (l *Ledger) Object(path string) (o Object, found bool, err error) {
	const query = "SELECT path, entry, code FROM objects WHERE path = ?"
	err = l.conn.Each(query, []any{[]byte(path)}, func(s *sqlite.Stmt) error {
		found = true
		return l.object(s, &o)
	})
	return o, found && err == nil, err
}

// Run is a record as the ledger has it.
type Run struct {
	run.Record
	Digest   run.Digest
	Document []byte
}

// Runs yields all records, the first first. It ends with an error at one that does not
// continue the chain. A ledger that was changed has none that can be believed.
func (l *Ledger) Runs(ctx context.Context) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		if l.fault != nil {
			yield(Run{}, l.fault)
			return
		}
		before := run.Digest{}
		for n := int64(1); n <= l.state.runs; n++ {
			r, err := l.Run(n)
			if err == nil && r.Previous != before {
				err = altered("the record of run %d does not continue the record of run %d", n, n-1)
			}
			if err == nil && n == l.state.runs && r.Digest != l.state.newest {
				err = altered("the record of run %d is not the newest one", n)
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(r, err) || err != nil {
				return
			}
			before = r.Digest
		}
	}
}

// Run returns the record of a run. It is an error if there is none.
func (l *Ledger) Run(n int64) (r Run, err error) {
	err = l.conn.Each("SELECT record FROM runs WHERE run = ?", []any{n}, func(s *sqlite.Stmt) error {
		r.Document = bytes.Clone(s.Blob(0))
		return nil
	})
	switch {
	case err != nil:
		return r, err
	case r.Document == nil && n >= 1 && n <= l.state.runs:
		return r, altered("the record of run %d is missing", n)
	case r.Document == nil:
		return r, fmt.Errorf("there is no run %d: the newest is %d", n, l.state.runs)
	}
	record, fault := run.Parse(r.Document)
	if fault != nil {
		return r, altered("the record of run %d: %v", n, fault)
	}
	if record.Number != n {
		return r, altered("run %d has the record of run %d", n, record.Number)
	}
	r.Record, r.Digest = record, record.Digest()
	return r, nil
}

// Changes yields the changes of a run, in the order of the paths, and for each path in the
// order in which it changed. It ends with an error if the record of the run commits to other
// changes. The run after the newest is one that has no record yet.
func (l *Ledger) Changes(ctx context.Context, n int64) iter.Seq2[run.Change, error] {
	return func(yield func(run.Change, error) bool) {
		tree := run.NewTree()
		fault := l.lines(ctx, n, func(line line) error {
			tree.Change(line.line)
			c, fault := run.ParseChange(line.line)
			if fault != nil {
				return altered("a change of run %d: %v", n, fault)
			}
			if !yield(c, nil) {
				return errStop
			}
			return nil
		})
		if fault == nil && n <= l.state.runs {
			r, err := l.Run(n)
			if fault = err; err == nil && (r.Changed != tree.Size() || r.Record.Changes != tree.Root()) {
				fault = altered("the changes of run %d do not match its record: expected %d with the root %x, "+
					"found %d with %x", n, r.Changed, r.Record.Changes, tree.Size(), tree.Root())
			}
		}
		if fault != nil && !errors.Is(fault, errStop) {
			yield(run.Change{}, fault)
		}
	}
}

// Expectation compares a ledger with the digest of a record that was kept elsewhere.
type Expectation struct {
	Run    int64 // the run whose record has the digest; 0 if none has
	Newest bool  // it is the newest one: there is no run after it
	// Fits is set if the objects are those that the newest record commits to. They are not
	// after an interrupted run, whose objects no record has yet.
	Fits bool
}

// Expect looks for the record with a digest in the chain of records, and compares the
// objects with the newest one. The error is an AlteredError if the records are no
// chain.
func (l *Ledger) Expect(ctx context.Context, digest run.Digest) (e Expectation, err error) {
	var newest Run
	for r, err := range l.Runs(ctx) {
		if err != nil {
			return Expectation{}, err
		}
		if r.Digest == digest {
			e.Run = r.Number
		}
		newest = r
	}
	e.Newest = e.Run != 0 && e.Run == l.state.runs
	objects, octets, root, err := l.Root(ctx)
	if err != nil {
		return Expectation{}, err
	}
	e.Fits = newest.Number != 0 && objects == newest.Objects && octets == newest.Octets && root == newest.Root
	return e, nil
}

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
