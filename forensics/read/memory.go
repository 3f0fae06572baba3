package read

import (
	"errors"
	"fmt"
)

// Decoders reserve memory as large as their data demands before they made one byte. MostWindow
// bounds it for one of them. All together may take FreeMemory, one after the other, and
// MemoryRate bytes for each byte of the file: as clearing that much costs about as much as
// making the bytes that Limits.Expansion admits.
const (
	MostWindow = 128 << 20 // the window of "zstd --long", and twice the one of "xz -9"
	FreeMemory = 4 << 30
	MemoryRate = 4096
)

// errMemory means that a decoder would need more memory than that.
var errMemory = errors.New("it needs more memory than the limit")

// noteMemory notes that a decoder gets so much memory.
func (r *reader) noteMemory(octets int64) error {
	if octets > MostWindow {
		return fmt.Errorf("%w: %d bytes", errMemory, octets)
	}
	r.taken += octets
	if r.taken > FreeMemory && r.taken-FreeMemory > MemoryRate*r.root.offset {
		return fmt.Errorf("%w: too many small parts that each need much", errMemory)
	}
	return nil
}

// decodeContained calls a decoder that others wrote, and treats a panic as damage: its input may
// come from an attacker.
func decodeContained(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the decoder gave up")
		}
	}()
	return call()
}
