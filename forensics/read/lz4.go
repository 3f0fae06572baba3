package read

import (
	"bytes"
	"errors"
)

// What begins a frame of LZ4, and one of its first format.
var (
	lz4Magic  = []byte("\x04\x22\x4d\x18")
	lz4Legacy = []byte("\x02\x21\x4c\x18")
)

const (
	lz4Window      = 64 << 10 // how far back a block can refer
	lz4LegacyBlock = 8 << 20
)

var errLZ4 = errors.New("a header or block is wrong")

// lz4Codec reads frames of LZ4 (LZ4 Frame Format 1.6.4). The libraries that there
// are read beyond the end of a frame.
type lz4Codec struct{ buf []byte }

func (*lz4Codec) close() {}

func (*lz4Codec) starts(b []byte) bool { return lz4Start(b) || skippable(b) }

func (c *lz4Codec) find(b []byte) int {
	for at := range b {
		if lz4Start(b[at:]) {
			return at
		}
	}
	return -1
}

func lz4Start(b []byte) bool { return bytes.HasPrefix(b, lz4Magic) || bytes.HasPrefix(b, lz4Legacy) }
