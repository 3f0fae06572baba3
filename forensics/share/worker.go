package share

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/trust"
)

// worker takes what an ingest reads.
type worker struct {
	options Options
	root    *trust.Root
	header  part.Header
	sources []*source // by number, from 1
	known   map[chain.Hash]int64
	sizes   map[int64]bool
	unread  map[facts.Unread]bool
	judges  *judges
	run     *run      // in memory
	runs    []*onDisk // before it
	skips   *skips
	streams []*spool.Temporary // what came on the standard input
	ctx     context.Context
	planned *plan.Piece // that is read; nil without a plan
}

var _ ingest.Target = (*worker)(nil)

// source is a source as far as it was read.
type source struct {
	casefile.Progress
	planned    *plan.Piece      // that it is; nil without a plan
	stream     *spool.Temporary // its octets; nil if they are in files
	volumes    []string         // its files, if it has no path of its own
	whole      bool             // it was read to its end
	forgotten  bool             // nothing was read of it
	records    int64            // numbers up to that of the last skip: what is said of a source leaves numbers out
	paths      []part.Path
	containers []part.Container
	numbers    map[string]uint32 // of the containers; nil once the source was read
}

func newWorker(ctx context.Context, root *trust.Root, o Options) *worker {
	if o.Memory <= 0 {
		o.Memory = usualMemory
	}
	w := &worker{ctx: ctx, options: o, root: root, known: map[chain.Hash]int64{}, sizes: map[int64]bool{},
		unread: map[facts.Unread]bool{}, judges: newJudges(root, o.Workers)}
	w.header = part.Header{Rules: Rules, Read: ingest.How(o.Read), TrustSHA256: chain.Hash(root.SHA256()), Plan: o.plan}
	w.run, w.skips = newRun(w.judges), newSkips(o.Dir)
	return w
}

func (w *worker) close() error {
	w.judges.close()
	err := errors.Join(w.removeRuns(), w.skips.close())
	for _, f := range w.streams {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Owns reports that no file is the worker's own: its files have no name, or a name
// that is not below the evidence. What the caller writes is the caller's to leave out.
func (w *worker) Owns(fs.FileInfo) bool { return false }

// Spool creates a temporary file, which stays until the worker is closed: a line of it
// may be needed again.
func (w *worker) Spool() (casefile.Spool, error) {
	f, err := spool.Create(w.options.Dir)
	if err != nil {
		return nil, err
	}
	w.streams = append(w.streams, f)
	return staying{f}, nil
}

// staying is a file that its worker closes.
type staying struct{ *spool.Temporary }

func (staying) Close() error { return nil }

// KnownSize reports whether a source of this size was read to its end.
func (w *worker) KnownSize(size int64) (bool, error) { return w.sizes[size], nil }

// Known returns the source that has some content.
func (w *worker) Known(sum chain.Hash) (casefile.KnownSource, bool, error) {
	n, ok := w.known[sum]
	if !ok {
		return casefile.KnownSource{}, false, nil
	}
	return casefile.KnownSource{Number: n, How: w.sources[n-1].How, Ours: true}, true, nil
}

// OtherName returns the first path under which a source was given; "" if it was given
// under this one.
func (w *worker) OtherName(source int64, path string) (string, error) {
	first := ""
	for _, p := range w.sources[source-1].paths {
		if p.Given == path {
			return "", nil
		}
		if first == "" || p.Given < first {
			first = p.Given
		}
	}
	return first, nil
}

// Unfinished returns the sources that were not read to their end.
func (w *worker) Unfinished() ([]casefile.Progress, error) {
	var all []casefile.Progress
	for _, s := range w.sources {
		if !s.whole && !s.forgotten {
			all = append(all, s.Progress)
		}
	}
	slices.SortFunc(all, func(a, b casefile.Progress) int {
		return cmp.Or(cmp.Compare(a.Read, b.Read), slices.Compare(a.ReadSHA256[:], b.ReadSHA256[:]))
	})
	return all, nil
}

// Start begins a source.
func (w *worker) Start(size int64, empty chain.Hash) (casefile.Progress, error) {
	p := casefile.Progress{Source: int64(len(w.sources)) + 1, Size: size, ReadSHA256: empty}
	w.sources = append(w.sources, &source{Progress: p, planned: w.planned, numbers: map[string]uint32{}})
	return p, nil
}

// Forget drops a source of which nothing was read.
func (w *worker) Forget(source int64) error {
	w.sources[source-1].forgotten = true
	return nil
}

// ReadAs notes how a source is read.
func (w *worker) ReadAs(source int64, how string) error {
	w.sources[source-1].How = how
	return nil
}

// Name notes a path under which a source was given.
func (w *worker) Name(source int64, path, absolute string) error {
	s := w.sources[source-1]
	switch {
	case absolute != "":
	case len(w.streams) > 0 && path == "-":
		s.stream = w.streams[len(w.streams)-1]
	case !s.whole:
		s.volumes = append(s.volumes, path)
	}
	if !slices.ContainsFunc(s.paths, func(p part.Path) bool { return p.Given == path }) {
		s.paths = append(s.paths, part.Path{Given: path, Absolute: absolute})
	}
	return nil
}

// KnownRun reports that every event is to be read: nothing that was read is looked up.
func (w *worker) KnownRun(chain.Hash) bool { return false }

// Add takes a chunk of a source.
func (w *worker) Add(c *casefile.Chunk, p casefile.Progress) error {
	s := w.sources[c.Source-1]
	p.How = s.How
	s.Progress = p
	at := place{source: uint32(c.Source - 1), containers: make([]uint32, len(c.Containers))}
	for i := range c.Containers {
		at.containers[i] = s.container(&c.Containers[i])
	}
	for i := range c.Skips {
		s.records = max(s.records, c.Skips[i].Record+1)
	}
	for i := range c.Events {
		if a := &c.Events[i]; a.Batch == "" {
			s.containers[at.containers[a.Container]].Unbatched++
		}
	}
	if err := w.run.add(c, &at); err != nil {
		return err
	}
	if err := w.skips.add(c.Source, c.Skips, &at); err != nil || w.run.octets() < w.options.Memory {
		return err
	}
	return w.spill(w.ctx)
}

// container returns the number of a container, in the order of their appearance. One
// of several formats lists them in the order in which they were found.
func (s *source) container(c *casefile.Container) uint32 {
	n, ok := s.numbers[c.Path]
	if !ok {
		n = uint32(len(s.containers))
		s.numbers[c.Path] = n
		s.containers = append(s.containers, part.Container{Path: c.Path})
	}
	if c.Format != "" {
		box := &s.containers[n]
		box.Format, box.Why = list(box.Format, c.Format), list(box.Why, c.Why)
	}
	return n
}

func list(all, next string) string {
	if all == "" {
		return next
	}
	return all + ", " + next
}

// Finish notes that a source was read to its end.
func (w *worker) Finish(p casefile.Progress) error {
	s := w.sources[p.Source-1]
	p.How = s.How
	s.Progress, s.whole, s.numbers = p, true, nil
	w.known[p.ReadSHA256] = p.Source
	w.sizes[p.Read] = true
	return nil
}

// Refuse notes a path that is not read.
func (w *worker) Refuse(u facts.Unread) error {
	w.unread[u] = true
	return nil
}

// Withdraw does nothing: no ingest came before this one, so that there is no other reason.
func (w *worker) Withdraw(string, finding.Code) error { return nil }

// Commit does nothing: a share that was not read to its end is nothing.
func (w *worker) Commit() error { return nil }
