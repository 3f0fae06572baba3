package share

import (
	"context"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/trust"
)

// Options configure how a share is read. The zero value has the defaults.
type Options struct {
	ingest.Options
	Dir      string // where runs are written; "" is where temporary files usually are
	Memory   int    // bytes of the records of one run; 0: 32 MiB
	Progress func(ingest.Progress)

	plan chain.Hash // zero without a plan
}

// Share is the content of a share of the evidence. Close it after use.
type Share struct {
	part.Content
	Summary ingest.Summary
	worker  *worker
}

// Read reads the evidence under paths, as [ingest.Paths] does, and judges it under a trust
// file. Unreadable evidence is noted in the share and skipped. An error means that the work
// could not be done, or that ctx was done.
func Read(ctx context.Context, paths []string, root *trust.Root, o Options) (*Share, error) {
	return readShare(ctx, root, o, func(w *worker) (ingest.Summary, error) {
		return ingest.Paths(ctx, w, paths, o.Options, o.Progress)
	})
}

// readShare has a worker read, and returns its share.
func readShare(ctx context.Context, root *trust.Root, o Options, pour func(*worker) (ingest.Summary, error)) (_ *Share,
	err error) {
	s, err := store.NewJudged(root, store.JudgeOptions{Dir: o.Dir, Workers: o.Workers, Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	w := newWorker(s, o.Dir)
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	sum, err := pour(w)
	if err != nil {
		return nil, err
	}
	content, err := s.Content(ctx, part.Header{Rules: Rules, Read: ingest.How(o.Read),
		TrustSHA256: chain.Hash(root.SHA256()), Plan: o.plan})
	if err != nil {
		return nil, err
	}
	return &Share{Content: content, Summary: sum, worker: w}, nil
}

// Source opens a source that has no file of its own: the standard input, and volumes. It
// returns nil for others.
func (s *Share) Source(sum chain.Hash) (octets io.ReaderAt, end func()) {
	for _, source := range s.worker.unnamed {
		switch {
		case source.ReadSHA256 != sum:
		case source.stream != nil:
			return source.stream, func() {}
		case len(source.volumes) > 0:
			if f, err := ingest.Open(source.volumes...); err == nil && f.Size() == source.Read {
				return f, f.Close
			}
		}
	}
	return nil, nil
}

// Close frees the share's memory and removes its files.
func (s *Share) Close() error { return s.worker.close() }
