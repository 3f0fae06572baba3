package store

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// wholes are the sources that were read to their end, and some that no longer count.
type wholes struct {
	sizes map[int64]bool
	of    map[chain.Hash]int64 // the number of the last one with a content
}

func (w *wholes) addSource(s *source) {
	if w.of == nil {
		w.sizes, w.of = map[int64]bool{}, map[chain.Hash]int64{}
	}
	if w.of[s.listed] == s.Source {
		delete(w.of, s.listed)
	}
	s.listed = s.ReadSHA256
	w.sizes[s.Read], w.of[s.ReadSHA256] = true, s.Source
}

// KnownSize reports whether a source of this size may have been read to its end.
func (w *output) KnownSize(size int64) (bool, error) { return w.wholes.sizes[size], nil }

// Known returns the source that has some content.
func (w *Writer) Known(sha256 chain.Hash) (known facts.KnownSource, ok bool, err error) {
	if n, some := w.wholes.of[sha256]; some {
		if s := w.sources[n-1]; s.whole && s.ReadSHA256 == sha256 {
			ours := w.is == Made || w.added[s.Source]
			return facts.KnownSource{Number: s.Source, How: s.How, Ours: ours}, true, nil
		}
	}
	return known, false, nil
}
