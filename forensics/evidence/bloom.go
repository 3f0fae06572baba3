package evidence

import "math/bits"

// Filter is a Bloom filter over hashes. The nil Filter has none.
//
// With eight bits for each hash, less than one in twenty of the others is taken for
// remembered; with sixteen, less than one in a hundred.
type Filter []uint64

// filterProbes is how many bits a hash sets. Each is found by other bits of the hash.
const filterProbes = 4

// NewFilter returns a filter of so many bits, a power of two that is at least 64.
func NewFilter(size uint64) Filter { return make(Filter, size/64) }

// Add adds a hash. All of its bits have to be even.
func (f Filter) Add(h uint64) {
	for range filterProbes {
		f[f.word(h)] |= 1 << (h % 64)
		h = bits.RotateLeft64(h, 64/filterProbes)
	}
}

// Has reports whether a hash was taken in, or seems to have been.
func (f Filter) Has(h uint64) bool {
	if len(f) == 0 {
		return false
	}
	for range filterProbes {
		if f[f.word(h)]>>(h%64)&1 == 0 {
			return false
		}
		h = bits.RotateLeft64(h, 64/filterProbes)
	}
	return true
}

// word returns the index of the word with the bit of a hash.
func (f Filter) word(h uint64) uint64 { return h / 64 % uint64(len(f)) }
