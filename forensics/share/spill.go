package share

import (
	"bufio"
	"context"
	"errors"
	"io"
	"unsafe"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/spool"
)

const (
	// usualMemory is how many octets the records of one run take.
	usualMemory = 32 << 20

	// mostRuns is how many runs are read side by side: each takes memory for a block of
	// its records. So many are first made one.
	mostRuns = 32

	entrySize = int(unsafe.Sizeof(entry{})) + 4 // with its place in its log
)

// onDisk is a run in a temporary file.
type onDisk struct {
	*part.File
	file *spool.Temporary
}

func (d *onDisk) close() error { return errors.Join(d.File.Close(), d.file.Close()) }

// write writes records to a temporary file.
func (w *worker) write(ctx context.Context, c part.Content) (_ *onDisk, err error) {
	f, err := spool.Create(w.options.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	out := bufio.NewWriterSize(f, 1<<18)
	if _, err := part.Write(ctx, out, c, nil); err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	opened, err := part.Open(ctx, f, size, nil)
	if err != nil {
		return nil, err
	}
	return &onDisk{opened, f}, nil
}

// spill writes the run that is in memory to a file, and starts the next one.
func (w *worker) spill(ctx context.Context) error {
	s, err := w.run.sort()
	if err != nil {
		return err
	}
	s.header, s.shares = w.header, w.provisional()
	d, err := w.write(ctx, s)
	if err != nil {
		return err
	}
	w.runs = append(w.runs, d)
	w.run = w.run.next()
	if len(w.runs) < mostRuns {
		return nil
	}
	return w.compact(ctx)
}

// compact makes one run of those on disk.
func (w *worker) compact(ctx context.Context) error {
	all, err := part.Union(w.header, w.provisional(), nil, w.written(nil)...)
	if err != nil {
		return err
	}
	d, err := w.write(ctx, all)
	if err != nil {
		return err
	}
	err = w.removeRuns()
	w.runs = append(w.runs, d)
	return err
}

func (w *worker) removeRuns() error {
	var all []error
	for _, d := range w.runs {
		all = append(all, d.close())
	}
	w.runs = w.runs[:0]
	return errors.Join(all...)
}

// written returns the runs on disk. Among all shares, a source has the place that is
// given for its number; nil means that it has that number.
func (w *worker) written(places []int) []part.Run {
	var all []part.Run
	for _, d := range w.runs {
		r := part.Run{Content: d.File}
		for i := range d.Shares() {
			if places != nil {
				i = places[i]
			}
			r.Index = append(r.Index, i)
		}
		all = append(all, r)
	}
	return all
}
