package read

import (
	"encoding/binary"
	"math/bits"
)

// xxh32 is the checksum XXH32 with seed 0, which LZ4 uses. The zero value is that
// of nothing.
type xxh32 struct {
	lanes [4]uint32
	begun bool
	held  [16]byte
	n     int // octets in held
	size  uint64
}

const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

func (x *xxh32) write(b []byte) {
	x.size += uint64(len(b))
	if x.n > 0 {
		k := copy(x.held[x.n:], b)
		x.n, b = x.n+k, b[k:]
		if x.n < len(x.held) {
			return
		}
		x.stripe(x.held[:])
		x.n = 0
	}
	for ; len(b) >= 16; b = b[16:] {
		x.stripe(b)
	}
	x.n = copy(x.held[:], b)
}

// stripe takes 16 octets.
func (x *xxh32) stripe(b []byte) {
	if !x.begun {
		p1, p2 := prime1, prime2 // wraps around
		x.begun, x.lanes = true, [4]uint32{p1 + p2, p2, 0, -p1}
	}
	for i := range x.lanes {
		x.lanes[i] = bits.RotateLeft32(x.lanes[i]+binary.LittleEndian.Uint32(b[4*i:])*prime2, 13) * prime1
	}
}

func (x *xxh32) sum() uint32 {
	h := prime5
	if x.begun {
		h = bits.RotateLeft32(x.lanes[0], 1) + bits.RotateLeft32(x.lanes[1], 7) +
			bits.RotateLeft32(x.lanes[2], 12) + bits.RotateLeft32(x.lanes[3], 18)
	}
	h += uint32(x.size)
	b := x.held[:x.n]
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*prime3, 17) * prime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}
