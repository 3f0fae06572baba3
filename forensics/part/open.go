package part

import (
	"bufio"
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// File is a part that was opened. [Merge] makes a [Content] of some.
type File struct {
	from   io.ReaderAt
	close  func() error
	size   int64
	seal   cipher.AEAD // only for its authentication
	digest chain.Hash
	mac    MAC

	rows  Rows // that the frames are in; nil if they are in a file
	keeps bool // blocks of copies have kept columns

	header   Header
	x        known
	unread   []facts.Unread
	frames   [ofBatches + 1][]frame // of rows that are of no log
	logs     []logFrames
	sequence uint32 // of the frame that was found last
}

// logFrames are the frames of a log.
type logFrames struct{ copies, statements []frame }

// frame is the place of a frame's content, and its digest when the part was verified. Later
// readings must be the same.
type frame struct {
	at     int64
	first  uint64 // the sequence of its first record, if it has records of a log
	last   uint64 // the sequence of its last copy, if it has those
	size   uint32
	number uint32
	tag    [16]byte
}

// Open opens a part of so many bytes. It reads all of it and verifies the digest, and the MAC
// if there is a key. Later readings are checked to be the same bytes.
func Open(ctx context.Context, from io.ReaderAt, size int64, key *Key) (*File, error) {
	f := &File{from: from, close: func() error { return nil }, size: size}
	return f, f.openFile(ctx, key)
}

func (f *File) openFile(ctx context.Context, key *Key) (err error) {
	var secret [16]byte
	rand.Read(secret[:]) // never fails
	block, err := aes.NewCipher(secret[:])
	if err != nil {
		return err
	}
	if f.seal, err = cipher.NewGCM(block); err != nil {
		return err
	}
	s := scan{f: f, hash: sha256.New(), end: f.size - int64(trailerSize)}
	s.in = bufio.NewReaderSize(io.NewSectionReader(f.from, 0, f.size), int(max(64, min(f.size, 256<<10))))
	start, err := s.in.Peek(len(magic))
	if string(start) != magic {
		if err != nil && err != io.EOF {
			return err
		}
		return &OtherVersion{Found: bytes.Clone(start)}
	}
	if s.end < int64(len(magic)) {
		return &Damaged{Place: fmt.Sprintf("octet %d", f.size), Expected: "a digest and a MAC", Found: "the end of the file"}
	}
	if err := s.readFrames(ctx); err != nil {
		return err
	}
	if err := s.trailer(key); err != nil {
		return err
	}
	if s.fault != nil {
		return s.fault
	}
	return f.loadKept()
}

// addFrame remembers a frame.
func (f *File) addFrame(k kind, one frame, b []byte) error {
	switch k {
	case ofLog:
		r := block.Decoder{B: b, At: one.at}
		log := readLog(&r)
		if r.Fault != nil || len(r.B) > 0 {
			return fmt.Errorf("something else")
		}
		if n := len(f.x.logs); n > 0 && f.x.logs[n-1].Compare(log) >= 0 {
			return errOrder
		}
		f.x.logs = append(f.x.logs, log)
		f.logs = append(f.logs, logFrames{})
	case ofCopies:
		l := &f.logs[len(f.logs)-1]
		one.first, one.last = block.SequencesOf(b)
		if n := len(l.copies); one.last < one.first || n > 0 && one.first < l.copies[n-1].last {
			return errOrder
		}
		l.copies = append(l.copies, one)
	case ofStatements:
		l := &f.logs[len(f.logs)-1]
		one.first, _ = block.SequencesOf(b)
		if n := len(l.statements); n > 0 && one.first < l.statements[n-1].first {
			return errOrder
		}
		l.statements = append(l.statements, one)
	default:
		f.frames[k] = append(f.frames[k], one)
	}
	return nil
}

// tag appends a tag that shows that a frame did not change since the part was opened.
func (f *File) tag(b []byte, one *frame, content []byte) []byte {
	var nonce [12]byte
	binary.BigEndian.PutUint32(nonce[8:], one.number)
	return f.seal.Seal(b, nonce[:], nil, content)
}

// readFrame reads a frame again. The buffer is used if it is large enough.
func (f *File) readFrame(one *frame, buffer []byte) ([]byte, error) {
	if f.rows != nil {
		return f.rows.Frame(one.at, buffer)
	}
	if cap(buffer) < int(one.size) {
		buffer = make([]byte, one.size)
	}
	b := buffer[:one.size]
	if n, err := f.from.ReadAt(b, one.at); n < len(b) {
		if err == nil || err == io.EOF {
			return nil, &Damaged{Place: fmt.Sprintf("octet %d", one.at+int64(n)), Expected: "more octets, as before",
				Found: "the end of the file"}
		}
		return nil, err
	}
	var tag [16]byte
	if f.tag(tag[:0], one, b); tag != one.tag {
		return nil, &Damaged{Place: fmt.Sprintf("octet %d", one.at), Expected: "the octets that were read before",
			Found: "others"}
	}
	return b, nil
}

// loadKept reads the records that stay in memory: the header, the shares and the unread paths.
func (f *File) loadKept() error {
	b, err := f.readFrame(&f.frames[ofHeader][0], nil)
	if err != nil {
		return err
	}
	r := block.Decoder{B: b, At: f.frames[ofHeader][0].at}
	f.header = readHeader(&r)
	r.Check(len(r.B) == 0, "the end of the header")
	if r.Fault != nil {
		return r.Fault
	}
	shares := rowsOf(context.Background(), f, &shareTable, f.frames[ofShares])
	for s, err := range eachRecord(func() stream[Share] { return shares }) {
		if err != nil {
			return err
		}
		if n := len(f.x.shares); n > 0 && touch(&f.x.shares[n-1], s) {
			return &Damaged{Place: "the shares", Expected: "ranges that do not touch", Found: "neighbours"}
		}
		f.x.shares = append(f.x.shares, *s)
	}
	unread := rowsOf(context.Background(), f, &unreadTable, f.frames[ofUnread])
	for u, err := range eachRecord(func() stream[facts.Unread] { return unread }) {
		if err != nil {
			return err
		}
		f.unread = append(f.unread, *u)
	}
	return nil
}

// touch reports whether a share begins before the one below it ends, or there.
func touch(below, s *Share) bool { return below.Source == s.Source && below.Range.To >= s.Range.From }

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Digest returns the SHA-256 of the part, trailer aside.
func (f *File) Digest() chain.Hash { return f.digest }

// Proven reports whether the MAC of the part was found to hold.
func (f *File) Proven() bool { return f.mac == MACHolds }

// Header returns the rules under which the part was made.
func (f *File) Header() Header { return f.header }

// Shares returns the shares of the part.
func (f *File) Shares() []Share { return f.x.shares }
