package record

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Data is what a seal is over.
type Data struct {
	Archive *listing.Root
	// Leaves is the list of the sealed leaves, of which the paths count: an archive may
	// have got more objects since. Without it, all objects are the data.
	Leaves io.Reader
	// Progress is called after each object. It can be nil.
	Progress func(objects, octets int64)
}

// Trees reads every octet of the data once, and returns its tree under each hash. An
// error says which object could not be read.
func (d Data) Trees(ctx context.Context, hashes []timestamp.Hash) (trees []Tree, err error) {
	builders := make([]*merkle.Tree, len(hashes))
	sums := make([]hash.Hash, len(hashes))
	writers := make([]io.Writer, len(hashes))
	for i, h := range hashes {
		builders[i], sums[i] = merkle.New(h.New()), h.New()
		writers[i] = sums[i]
	}
	reader := d.Archive.Reader()
	defer func() { err = errors.Join(err, reader.Close()) }()
	var objects, octets int64
	for path, err := range d.paths(ctx) {
		if err != nil {
			return nil, err
		}
		size, err := readObject(reader, path, sums, io.MultiWriter(writers...))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", safetext.Quote(object.PathText(path)), err)
		}
		for i := range hashes {
			leaf := seal.Leaf{Path: path, Size: size, Digest: seal.Digest(sums[i].Sum(nil))}
			builders[i].Add(leaf.Append(nil))
		}
		objects, octets = objects+1, octets+size
		if d.Progress != nil {
			d.Progress(objects, octets)
		}
	}
	for i, h := range hashes {
		trees = append(trees, Tree{h, builders[i].Root(), objects, octets})
	}
	return trees, nil
}

// readObject hashes an object.
func readObject(reader *listing.Reader, path string, sums []hash.Hash, to io.Writer) (int64, error) {
	for _, s := range sums {
		s.Reset()
	}
	f, err := reader.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(to, f)
}

// paths yields the paths of the data in ascending order.
func (d Data) paths(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if d.Leaves == nil {
			for e, err := range d.Archive.All(ctx) {
				if err == nil && e.Err != nil {
					err = fmt.Errorf("reading %s: %w", safetext.Quote(object.PathText(e.Path)), e.Err)
				}
				if !yield(e.Path, err) || err != nil {
					return
				}
			}
			return
		}
		for leaves := seal.ReadLeaves(d.Leaves); ; {
			l, err := leaves.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				err = fmt.Errorf("the list of leaves: %w", err)
			}
			if !yield(l.Path, err) || err != nil {
				return
			}
		}
	}
}

// Of returns what a seal says. The caller verified its signatures.
func Of(s *seal.Seal) Sealed {
	st := s.Statement
	return Sealed{File: s.File, SealedAt: st.SealedAt,
		Tree: Tree{timestamp.Hash(st.Hash), append([]byte(nil), st.Root[:]...), st.Objects, st.Octets}}
}
