package read

import (
	"errors"
	"fmt"
)

// Decoders get memory as large as their data says before they made one octet.
// maxWindow bounds it for one of them. All together may take freeMemory, one after
// the other, and memoryRate bytes for each byte of the file: as clearing that
// much takes about as long as making what Limits.Expansion admits.
const (
	maxWindow  = 128 << 20 // the window of "zstd --long", and twice that of "xz -9"
	freeMemory = 4 << 30
	memoryRate = 4096
)

// Bound is a limit on what decompression and archives may take, with its usual size.
type Bound struct{ What, Most string }

// Bounds returns the limits of all codecs and archives.
func Bounds() []Bound {
	l := Limits{}.withDefaults()
	of := func(format string, n ...any) string { return fmt.Sprintf(format, n...) }
	return []Bound{
		{"bytes decompressed from one file", of("%d MiB, and %d for each byte of it",
			FreeExpansion>>20, l.Expansion)},
		{"bytes that each line, value or message in it counts for in addition", of("%d", PerUnit)},
		{"memory of one decoder", of("%d MiB", maxWindow>>20)},
		{"memory of all decoders, one after another", of("%d GiB, and %d bytes for each byte of the file",
			freeMemory>>30, memoryRate)},
		{"members of an archive, and blocks of a stream of xz", of("%d", l.Members)},
		{"codecs and archives within one another", of("%d", l.Nesting)},
		{"a line, message, value or row", of("%d MiB", l.Unit>>20)},
	}
}

// errMemory says that a decoder would take more memory than that.
var errMemory = errors.New("it needs more memory than the limit")

// take notes that a decoder gets so much memory.
func (r *reader) take(octets int64) error {
	if octets > maxWindow {
		return fmt.Errorf("%w: %d bytes", errMemory, octets)
	}
	r.taken += octets
	if r.taken > freeMemory && r.taken-freeMemory > memoryRate*r.root.offset {
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
