package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// Options say how a plan is made. The zero value has one share and the defaults.
type Options struct {
	Shares int
	Ingest ingest.Options // how evidence is found and read
	Least  int64          // bytes of the smallest range of a file that is cut; 0: 1 MiB
}

const usualLeast = 1 << 20

// Progress is how far the work has come.
type Progress struct {
	Path     string
	Read, Of int64 // bytes of all sources
}

// Make makes a plan for the evidence under paths, which must all be there again when a worker
// reads them. It reads each file to its end, once. An error means that a file changed or could
// not be read to its end, or that ctx was done. Paths that an ingest would list as not read
// are in the plan.
//
// Progress, if not nil, is called by one goroutine at a time.
func Make(ctx context.Context, paths []string, o Options, progress func(Progress)) (*Plan, error) {
	o.Shares = max(o.Shares, 1)
	if o.Least == 0 {
		o.Least = usualLeast
	}
	m := maker{Options: o, progress: progress}
	p := &Plan{InputFormat: o.Ingest.Read.Format, Shares: o.Shares}
	p.BatchAttributes = slices.Compact(slices.Sorted(slices.Values(o.Ingest.Read.BatchAttributes)))
	p.Only = slices.Compact(slices.Sorted(slices.Values(o.Ingest.Read.Only)))
	err := ingest.List(ctx, paths, o.Ingest, m.addFound, func(u facts.Unread) error {
		p.Unread = append(p.Unread, u)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(m.files) > MaxSources {
		return nil, fmt.Errorf("expected at most %d files, found %d", MaxSources, len(m.files))
	}
	assignShares(m.files, o.Shares, o.Least)
	if err := m.readAll(ctx); err != nil {
		return nil, err
	}
	p.Sources = m.sources()
	return p, nil
}

// maker makes a plan.
type maker struct {
	Options
	progress func(Progress)
	files    []*file
	size     int64

	mu   sync.Mutex // for progress
	done int64
}

// file is a file that was found, or volumes of one.
type file struct {
	Source
	log      string   // of its first event; "" if there is none at its beginning
	weight   int64    // how much work it is
	cuttable bool     // as far as its first bytes tell
	targets  []target // who is to read it, and about how far
}

// target is how far a share is to read a file.
type target struct {
	share int
	to    int64
}

// logSize is how much of a file is read to find the log of its first event.
const logSize = 64 << 10

// The work of a file, in bytes: packed ones are more when they are unpacked, and
// opening a file is work, too.
const (
	packedWeight = 3
	fileWeight   = 4 << 10
)

// addFound adds a file that was found.
func (m *maker) addFound(s *ingest.Source) error {
	head := make([]byte, min(s.Size, read.HeadSize))
	n, err := s.File.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return pathError(s.Path, err)
	}
	head = head[:n]
	f := &file{Source: Source{Size: s.Size, Remark: s.Remark}}
	f.Format, _ = read.Describe(head, m.Ingest.Read)
	f.cuttable = s.Volumes == nil && read.Cuttable(head, m.Ingest.Read)
	f.log = firstLog(head[:min(n, logSize)], m.Ingest.Read)
	f.weight = fileWeight + s.Size
	if f.Format.Packs() {
		f.weight = fileWeight + packedWeight*s.Size
	}
	f.Names = []ingest.Name{{Given: s.Path, Absolute: s.Absolute}}
	if s.Volumes != nil {
		f.Names, f.Volumes = nil, len(s.Volumes)
	}
	for _, path := range s.Volumes {
		f.Names = append(f.Names, ingest.Name{Given: path})
	}
	m.files = append(m.files, f)
	m.size += s.Size
	return nil
}

// pathError is an error about a file.
func pathError(path string, err error) error {
	return fmt.Errorf("%s: %w", safetext.Quote(path), access.WithoutPath(err))
}

// readAll reads all files to their ends.
func (m *maker) readAll(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(m.files)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(m.files)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := tasks.Guard(func() error { return m.readFile(ctx, m.files[i]) }); err != nil {
					stop(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// errChanged reports a file that changed.
var errChanged = errors.New("changed while it was read: plan files that are not written to any more")

// readFile reads a file to its end.
func (m *maker) readFile(ctx context.Context, f *file) error {
	path := f.Names[0].Given
	from, err := ingest.Open(f.Paths()...)
	if err != nil {
		return pathError(path, err)
	}
	defer from.Close()
	if from.Size() != f.Size {
		return pathError(path, errChanged)
	}
	c := newCutter(f, m.Ingest.Read)
	if err := c.cutFile(ctx, io.NewSectionReader(from, 0, f.Size), func(n int) { m.showPath(path, n) }); err != nil {
		return pathError(path, err)
	}
	changed, err := from.Changed()
	if changed = changed || c.at.Offset != f.Size; err == nil && changed {
		err = errChanged
	}
	if err != nil {
		return pathError(path, err)
	}
	f.SHA256, f.Ranges = chain.Hash(c.whole.Sum(nil)), c.ranges
	return nil
}

func (m *maker) showPath(path string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done += int64(n); m.progress != nil {
		m.progress(Progress{path, m.done, m.size})
	}
}

// sources returns the sources of the files: one for each content, in the order of the
// files.
func (m *maker) sources() (sources []Source) {
	at := make(map[chain.Hash]int, len(m.files))
	for _, f := range m.files {
		i, again := at[f.SHA256]
		if again {
			sources[i].Names = append(sources[i].Names, f.Names...)
			continue
		}
		at[f.SHA256] = len(sources)
		sources = append(sources, f.Source)
	}
	return sources
}

// firstLog returns the log of the first event in the beginning of a file.
func firstLog(head []byte, o read.Options) string {
	o.Confinement = read.Undecoded // a head is not worth a child
	var first firstEvent
	// The end of the head is damage to it, and how it was read ends with its first event.
	_ = read.Read(context.Background(), bytes.NewReader(head), o, &first)
	return first.log
}

// firstEvent is a reader's handler that ends with the first event.
type firstEvent struct{ log string }

var errFound = errors.New("found")

func (*firstEvent) Format(string, read.Format, string) error { return nil }
func (*firstEvent) Skip(read.Skip) error                     { return nil }

func (f *firstEvent) Record(r *read.Record) error {
	var line event.Line
	if !event.Scan(r.Body, &line) {
		return nil
	}
	f.log = string(line.TenantID) + " " + string(line.LogID)
	return errFound
}
