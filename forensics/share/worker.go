package share

import (
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// worker receives the content that an ingest reads, and puts it into a store.
type worker struct {
	ingest.Target
	store   *store.Judged
	dir     string
	planned *plan.Piece        // that is read; nil without a plan
	streams []*spool.Temporary // of the standard input
	unnamed map[int64]*unnamed // sources that have no file of their own, by number
}

// unnamed is where the bytes of a source are that has no path of its own.
type unnamed struct {
	facts.Progress
	stream  *spool.Temporary // nil if they are in files
	volumes []string         // these
}

func newWorker(s *store.Judged, dir string) *worker {
	return &worker{Target: s, store: s, dir: dir, unnamed: map[int64]*unnamed{}}
}

func (w *worker) close() error {
	err := w.store.Close()
	for _, f := range w.streams {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Spool creates a temporary file, which stays until the worker is closed: a line of it
// may be needed again.
func (w *worker) Spool() (facts.Spool, error) {
	f, err := spool.Create(w.dir)
	if err != nil {
		return nil, err
	}
	w.streams = append(w.streams, f)
	return staying{f}, nil
}

// staying is a file that its worker closes.
type staying struct{ *spool.Temporary }

func (staying) Close() error { return nil }

// Start begins a source.
func (w *worker) Start(size int64, empty chain.Hash) (facts.Progress, error) {
	p, err := w.Target.Start(size, empty)
	if err == nil && w.planned != nil {
		w.store.Cut(p.Source, w.planned.Source.SHA256, w.planned.Size, w.planned.From)
	}
	return p, err
}

// Name notes a path under which a source was given.
func (w *worker) Name(source int64, path, absolute string) error {
	if s := w.unnamed[source]; absolute == "" && (s == nil || s.Source == 0) {
		if s == nil {
			s = &unnamed{}
			w.unnamed[source] = s
		}
		if len(w.streams) > 0 && path == "-" {
			s.stream = w.streams[len(w.streams)-1]
		} else if !slices.Contains(s.volumes, path) {
			s.volumes = append(s.volumes, path)
		}
	}
	return w.Target.Name(source, path, absolute)
}

// Finish notes that a source was read to its end.
func (w *worker) Finish(p facts.Progress) error {
	if s := w.unnamed[p.Source]; s != nil {
		s.Progress = p
	}
	return w.Target.Finish(p)
}

// Forget drops a source from which nothing was read.
func (w *worker) Forget(source int64) error {
	delete(w.unnamed, source)
	return w.Target.Forget(source)
}

// Withdraw does nothing: no ingest came before this one, so that there is no other reason.
func (w *worker) Withdraw(string, finding.Code) error { return nil }

// Commit does nothing: a share that was not read to its end is nothing.
func (w *worker) Commit() error { return nil }
