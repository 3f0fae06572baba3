package ingest

import (
	"crypto/sha256"
	"hash/maphash"
	"iter"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// earlier are the sources that a case had before, by a hash of the path under
// which each was given. Of one path the latest counts.
type earlier struct {
	seed   maphash.Seed
	source map[uint64]int64
}

// findKnownPaths finds out which paths the target knows from before.
func (in *ingest) findKnownPaths() error {
	in.earlier = earlier{maphash.MakeSeed(), make(map[uint64]int64)}
	if in.before == nil {
		return nil
	}
	return in.before.EachPath(func(source int64, absolute string) {
		in.earlier.source[maphash.String(in.earlier.seed, absolute)] = source
	})
}

// findBeginning finds the source that a file was when less was in it. It is believed
// only if the file begins with its content.
func (in *ingest) findBeginning(g *Source) error {
	if g.Absolute == "" || len(in.earlier.source) == 0 {
		return nil
	}
	for path := range formerPaths(g.Absolute) {
		source, ok := in.earlier.source[maphash.String(in.earlier.seed, path)]
		if !ok {
			continue
		}
		b, ok, err := in.before.Beginning(source, path)
		if err != nil {
			return err
		}
		if ok && b.Size < g.Size && b.Size > 0 {
			g.began, g.beganAs = b, path
			return nil
		}
	}
	return nil
}

// formerPaths returns the paths under which a log can have been before it was
// rotated: app.log.1, app.log-20260302 and 0.log.20260302-090000 were app.log and
// 0.log.
func formerPaths(absolute string) iter.Seq[string] {
	return func(yield func(string) bool) {
		dir, base := filepath.Split(absolute)
		for n := len(base); n > 0; n = strings.LastIndexAny(base[:n], ".-") {
			if !yield(dir + base[:n]) {
				return
			}
		}
	}
}

// noteGrowth notes that a file is one that the case had when less was in it.
func (in *ingest) noteGrowth(g *Source, content *counted, p facts.Progress) error {
	if g.began.Source == 0 || content.marked != g.began.SHA256 {
		return nil
	}
	return in.before.Grew(g.began.Source, p.Source, g.beganAs)
}

// addBytes counts and hashes bytes.
func (c *counted) addBytes(b []byte) {
	if left := c.mark - c.n; left > 0 && left <= int64(len(b)) {
		c.hash.Write(b[:left])
		c.marked = chain.Hash(c.hash.Sum(make([]byte, 0, sha256.Size)))
		c.n, b = c.n+left, b[left:]
	}
	c.n += int64(len(b))
	c.hash.Write(b)
}
