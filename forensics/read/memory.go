package read

import (
	"errors"
	"fmt"
)

// Decoders get memory as large as their data says before they made one byte.
// MostWindow bounds it for one of them. All together may take FreeMemory, one after
// the other, and MemoryRate bytes for each byte of the file: as clearing that
// much takes about as long as making what Limits.Expansion admits.
const (
	MostWindow = 128 << 20 // the window of "zstd --long", and twice that of "xz -9"
	FreeMemory = 4 << 30
	MemoryRate = 4096
)

// errMemory says that a decoder would take more memory than that.
var errMemory = errors.New("it needs more memory than the limit")

// take notes that a decoder gets so much memory.
func (r *reader) take(octets int64) error {
	if octets > MostWindow {
		return fmt.Errorf("%w: %d bytes", errMemory, octets)
	}
	r.taken += octets
	if r.taken > FreeMemory && r.taken-FreeMemory > MemoryRate*r.root.offset {
		return fmt.Errorf("%w: too many small parts that each need much", errMemory)
	}
	return nil
}

// contained calls a decoder that others wrote, and takes a panic for damage: what
// it reads was made by anyone.
func contained(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the decoder gave up")
		}
	}()
	return call()
}
