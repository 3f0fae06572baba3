package part

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// TrailerSize is how much of a part its digest is not over.
const TrailerSize = trailerSize

// Sealed returns frames with the trailer of a part.
func Sealed(frames []byte) []byte {
	sum := sha256.Sum256(frames)
	return slices.Concat(frames, sum[:], make([]byte, sha256.Size), []byte(ending))
}

// Frame is a frame of a part.
type Frame struct {
	Kind    uint8
	Content []byte
}

// OfCopies is the kind of frames of copies.
const OfCopies = uint8(ofCopies)

// Split returns the frames of a part.
func Split(part []byte) (all []Frame) {
	b := part[len(magic) : len(part)-trailerSize]
	for len(b) > 0 {
		size, n := binary.Uvarint(b[1:])
		end := 1 + n + int(size)
		all = append(all, Frame{b[0], b[1+n : end]})
		b = b[end:]
	}
	return all
}

// Join returns the part that frames make.
func Join(frames ...Frame) []byte {
	b := []byte(magic)
	for _, f := range frames {
		b = append(binary.AppendUvarint(append(b, f.Kind), uint64(len(f.Content))), f.Content...)
	}
	return Sealed(b)
}
