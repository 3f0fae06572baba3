package casefile

import (
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// blockSize is how many bytes go into one block: enough to compress well, and
// little to decompress for one event.
const blockSize = 128 << 10

// maxBlock bounds what a block may decompress to: a block is closed once it
// has reached its size, so that it holds at most one more event.
const maxBlock = blockSize + 2<<20

// bodyPlace is where what is kept of a body begins, and the size of the body;
// block 0 means by reference.
type bodyPlace struct{ block, start, size int64 }

// blocks keeps the bodies of new events. What makes a body long does not
// compress: digests, salts. So it is not worth much time, and what the columns
// of the row say already is left out.
type blocks struct {
	add    *sqlite.Stmt
	next   int64  // number of the open block
	open   []byte // its content so far
	packed []byte // compressed, to be used again
}

func newBlocks(c *sqlite.Conn) (*blocks, error) {
	last, err := c.Number("SELECT coalesce(max(block), 0) FROM blocks")
	if err != nil {
		return nil, err
	}
	add, err := c.Prepare("INSERT INTO blocks VALUES (?, ?)")
	return &blocks{add: add, next: last + 1}, err
}

// keep takes the body of a new event, unless it stays in its source.
func (b *blocks) keep(a *Arrival) (bodyPlace, error) {
	place := bodyPlace{size: int64(len(a.Line.Body))}
	if a.ByReference {
		return place, nil
	}
	place.block, place.start = b.next, int64(len(b.open))
	b.open = appendKept(b.open, a.Line)
	if len(b.open) < blockSize {
		return place, nil
	}
	return place, b.end()
}

// end inserts the open block. It is called at the end of a chunk: no block spans
// two of them.
func (b *blocks) end() error {
	if len(b.open) == 0 {
		return nil
	}
	if n := s2.MaxEncodedLen(len(b.open)); len(b.packed) < n {
		b.packed = make([]byte, n)
	}
	b.add.Bind(b.next, s2.EncodeSnappy(b.packed, b.open))
	b.next++
	b.open = b.open[:0]
	return b.add.Do()
}

func (b *blocks) close() {
	if b != nil {
		sqlite.CloseAll(b.add)
	}
}

// readBlock reads and decompresses a block.
func readBlock(c *sqlite.Conn, number int64) ([]byte, error) {
	var raw []byte
	found := false
	err := c.Each("SELECT bytes FROM blocks WHERE block = ?", []any{number}, func(s *sqlite.Stmt) (err error) {
		found = true
		raw, err = unpack(s.Blob(0))
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("block %d of the case: %w", number, err)
	case !found:
		return nil, fmt.Errorf("block %d is missing in the case", number)
	}
	return raw, nil
}

// unpack decompresses a block.
func unpack(packed []byte) ([]byte, error) {
	size, err := s2.DecodedLen(packed)
	if err != nil {
		return nil, err
	}
	if size > maxBlock {
		return nil, fmt.Errorf("expected at most %d bytes, found %d", maxBlock, size)
	}
	return s2.Decode(nil, packed)
}
