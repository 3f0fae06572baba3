package ingest

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// job is a chunk on its way through a worker.
type job struct {
	raw     *rawChunk
	scanned chan scanned
}

// scanned is a chunk that is ready to be added.
type scanned struct {
	chunk *facts.Chunk
	err   error // of the program
}

// readSource reads a source to its end and adds its records to the case: one reader, several workers
// that scan, and this goroutine, which adds the chunks in the order in which they were read.
func (in *ingest) readSource(ctx context.Context, source *counted, p *facts.Progress, where string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work := make(chan job)
	order := make(chan job, in.options.Workers)
	read := make(chan error, 1)
	for range in.options.Workers {
		go func() {
			for j := range work {
				var s scanned
				s.err = tasks.Guard(func() error {
					s.chunk = scanChunk(j.raw)
					in.w.Prepare(s.chunk)
					return nil
				})
				j.scanned <- s
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(work)
		emit := func(raw *rawChunk) error {
			j := job{raw, make(chan scanned, 1)}
			for _, ch := range []chan job{work, order} { // an item in order is being worked on
				select {
				case ch <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		}
		// A fault of the program that is none of a reader is an error.
		read <- tasks.Guard(func() error { return in.readChunks(ctx, source, *p, emit) })
	}()
	err := in.addInOrder(order, p, where)
	stop()
	for range order { // lets the reader come to its end
	}
	return errors.Join(err, unlessStopped(<-read, err))
}

// addInOrder adds the chunks of one source.
func (in *ingest) addInOrder(order <-chan job, p *facts.Progress, where string) error {
	for j := range order {
		s := <-j.scanned
		if s.err != nil {
			return s.err
		}
		chunk := s.chunk
		at := j.raw.progress
		at.Events, at.Skipped = p.Events+int64(len(chunk.Events)), p.Skipped+chunk.Skipped()
		*p = at
		if err := in.w.Add(chunk, at); err != nil {
			return err
		}
		in.reportDone(where, p, chunk)
		j.raw.releaseMemory()
	}
	return nil
}

// readChunks has the source read, and cut into chunks.
func (in *ingest) readChunks(ctx context.Context, source *counted, p facts.Progress, emit func(*rawChunk) error) error {
	c := newCollector(source, emit)
	c.passOver, c.records, c.progress = p.Reports, in.options.ChunkRecords, p
	c.progress.Reports = 0
	options := in.options.Read
	options.Workers = in.options.Workers
	if err := read.Read(ctx, source.readerAgain(), options, c); err != nil {
		return err
	}
	defer func() { c.chunk.releaseMemory() }()
	return c.endChunk()
}

// unlessStopped drops the reader's error when it was stopped because of another one.
func unlessStopped(err, other error) error {
	if other != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
