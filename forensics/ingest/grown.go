package ingest

import (
	"crypto/sha256"
	"hash/maphash"
	"iter"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
)

// earlier are the sources that a case had before, by a hash of the path under
// which each was given. Of one path the latest counts.
type earlier struct {
	seed   maphash.Seed
	source map[uint64]int64
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

// markAt has the digest of the first n octets kept.
func (c *counted) markAt(n int64) { c.mark = n }

// add counts and hashes octets.
func (c *counted) add(b []byte) {
	if left := c.mark - c.n; left > 0 && left <= int64(len(b)) {
		c.hash.Write(b[:left])
		c.marked = chain.Hash(c.hash.Sum(make([]byte, 0, sha256.Size)))
		c.n, b = c.n+left, b[left:]
	}
	c.n += int64(len(b))
	c.hash.Write(b)
}
