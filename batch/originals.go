package batch

import (
	"crypto/sha256"
	"hash/maphash"
)

// originals knows the first entry of each content. A million different ones take
// some 30 MB: it keeps a hash of each digest, and asks for the digest where the
// hash is known.
type originals struct {
	hash   func(digest []byte) uint64
	first  map[uint64]uint32            // by the hash of the digest
	others map[[sha256.Size]byte]uint32 // those whose hash another digest has
}

func newOriginals() originals {
	seed := maphash.MakeSeed()
	return originals{hash: func(digest []byte) uint64 { return maphash.Bytes(seed, digest) },
		first: map[uint64]uint32{}, others: map[[sha256.Size]byte]uint32{}}
}

// originalOf returns the first entry with the digest, which is i itself if there was none
// before. digestOf returns the digest of an entry before i.
func (o *originals) originalOf(digest [sha256.Size]byte, i uint32,
	digestOf func(uint32) ([sha256.Size]byte, error)) (uint32, error) {
	key := o.hash(digest[:])
	first, known := o.first[key]
	if !known {
		o.first[key] = i
		return i, nil
	}
	if found, err := digestOf(first); err != nil || found == digest {
		return first, err
	}
	if other, known := o.others[digest]; known {
		return other, nil
	}
	o.others[digest] = i
	return i, nil
}
