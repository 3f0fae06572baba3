package part

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"github.com/svc-edge/svc-verify/chain"
)

// scan reads a part from its beginning to its end.
type scan struct {
	f      *File
	in     *bufio.Reader
	hash   hash.Hash
	at     int64
	end    int64 // where the trailer begins
	buffer []byte
	last   kind
	fault  *Damaged // of the frames; a digest that is wrong is worse
}

// readOctets reads bytes, which are valid until the next ones. There must be so many.
func (s *scan) readOctets(n int) ([]byte, error) {
	if cap(s.buffer) < n {
		s.buffer = make([]byte, n)
	}
	b := s.buffer[:n]
	if _, err := io.ReadFull(s.in, b); err != nil {
		return nil, err
	}
	s.hash.Write(b)
	s.at += int64(n)
	return b, nil
}

// readFrames reads the frames.
func (s *scan) readFrames(ctx context.Context) error {
	if _, err := s.readOctets(len(magic)); err != nil {
		return err
	}
	for s.at < s.end && s.fault == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.frame(); err != nil {
			return err
		}
	}
	switch {
	case s.fault != nil:
	case s.last == 0:
		s.setFault("the header", "nothing")
	case s.last == ofLog:
		s.setFault("the copies of the last log", "nothing")
	}
	for s.at < s.end { // behind a fault
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := s.readOctets(int(min(s.end-s.at, 64<<10))); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) setFault(expected, found string) {
	s.fault = &Damaged{Place: fmt.Sprintf("octet %d", s.at), Expected: expected, Found: found}
}

// frame reads a frame.
func (s *scan) frame() error {
	head, err := s.in.Peek(int(min(1+binary.MaxVarintLen64, s.end-s.at)))
	if err != nil {
		return err
	}
	size, n := binary.Uvarint(head[1:])
	k, begins := kind(head[0]), s.at
	switch {
	case n <= 0 || n > 1 && head[n] == 0:
		s.setFault("the length of a frame", "something else")
	case !s.follows(k):
		s.setFault("the frame that comes behind "+s.last.String(), fmt.Sprintf("one of the kind %d", k))
	case size > maxFrame || int64(size) > s.end-s.at-int64(1+n):
		s.setFault(fmt.Sprintf("a frame of at most %d octets", min(maxFrame, s.end-s.at-int64(1+n))), fmt.Sprint(size))
	}
	if s.fault != nil {
		return nil
	}
	if _, err = s.readOctets(1 + n); err != nil {
		return err
	}
	at := s.at
	b, err := s.readOctets(int(size))
	if err != nil {
		return err
	}
	s.last = k
	f := frame{at: at, size: uint32(size), number: s.f.sequence}
	s.f.sequence++
	s.f.tag(f.tag[:0], &f, b)
	if err := s.f.addFrame(k, f, b); err != nil && s.fault == nil {
		s.at = begins
		s.setFault("the frame of "+k.String(), err.Error())
		s.at = at + int64(size)
	}
	return nil
}

// follows reports whether a frame may come next.
func (s *scan) follows(k kind) bool {
	switch {
	case s.last == 0:
		return k == ofHeader
	case k == ofHeader || k > ofBatches:
		return false
	case k == ofLog:
		return s.last != ofLog && s.last != ofBatches
	case s.last == ofLog:
		return k == ofCopies
	case k == ofCopies || k == ofStatements:
		return s.last == ofCopies || s.last == ofStatements && k == ofStatements
	}
	return k >= s.last
}

// trailer reads the bytes after the frames.
func (s *scan) trailer(key *Key) error {
	var sum, digest, mac chain.Hash
	s.hash.Sum(sum[:0])
	b := make([]byte, trailerSize)
	if _, err := io.ReadFull(s.in, b); err != nil {
		return err
	}
	copy(mac[:], b[copy(digest[:], b):])
	place := fmt.Sprintf("octet %d", s.end)
	if end := b[2*sha256.Size:]; string(end) != ending {
		return &Damaged{Place: place, Expected: "the end of a part", Found: "something else"}
	}
	if digest != sum {
		return &Damaged{Place: place, Expected: "the SHA-256 of what comes before, " + sum.String(), Found: digest.String()}
	}
	s.f.digest, s.f.mac = sum, NoMAC
	if mac != (chain.Hash{}) {
		s.f.mac = MACUnchecked
	}
	if key == nil {
		return nil
	}
	if want := key.code(sum); !hmac.Equal(want[:], mac[:]) {
		return &Unproven{Missing: mac == chain.Hash{}}
	}
	s.f.mac = MACHolds
	return nil
}
