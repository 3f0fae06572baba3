package archive

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// PartsOfAll is the precision of a sample's size: 5 % are 50,000 of so many parts.
const PartsOfAll = 1_000_000

// queue is the order in which objects are read.
type queue []queued

// queued is one object that could be read.
type queued struct {
	readAt int64  // when it was read last, in milliseconds since 1970
	tag    uint64 // decides whether it is in the sample
	index  uint32 // among all objects, in path order
	first  bool   // new, or failed
}

// sort brings the queue into its order: new and failed objects in path order, and
// then the others, that whose last reading is oldest first.
func (q queue) sort() {
	slices.SortFunc(q, func(a, b queued) int {
		switch {
		case a.first != b.first:
			if a.first {
				return -1
			}
			return 1
		case a.first:
			return cmp.Compare(a.index, b.index)
		}
		return cmp.Or(cmp.Compare(a.readAt, b.readAt), cmp.Compare(a.index, b.index))
	})
}

// sample leaves so many parts of the objects that are neither new nor failed, one at
// least if there is any, and returns how many these are and how many there were. They
// are those whose tag is smallest.
func (q *queue) sample(parts int64) (drawn, of int) {
	var tags []queued
	for _, one := range *q {
		if !one.first {
			tags = append(tags, one)
		}
	}
	of = len(tags)
	drawn = int((int64(of)*parts + PartsOfAll - 1) / PartsOfAll)
	slices.SortFunc(tags, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.tag, b.tag), cmp.Compare(a.index, b.index))
	})
	*q = append(slices.DeleteFunc(*q, func(one queued) bool { return !one.first }), tags[:drawn]...)
	return drawn, of
}

// sampler draws the tags of a sample. Who does not know the seed cannot tell which
// objects are in it.
type sampler struct{ mac hash.Hash }

func newSampler(seed string) *sampler { return &sampler{hmac.New(sha256.New, []byte(seed))} }

// tag is the beginning of the HMAC of a path under the seed.
func (s *sampler) tag(path string) uint64 {
	s.mac.Reset()
	s.mac.Write([]byte(path))
	return binary.BigEndian.Uint64(s.mac.Sum(nil))
}
