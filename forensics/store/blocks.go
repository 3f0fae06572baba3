package store

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

// blockSize is how many bytes of bodies go into one block: enough to compress
// well, and little to decompress for one event.
const blockSize = 128 << 10

// maxBlock bounds what a block may decompress to: a block is closed once it
// has reached its size, so that it holds at most one more event.
const maxBlock = blockSize + 2<<20

// bodyPlace is where a body is kept; block 0 means by reference.
type bodyPlace struct{ block, start, size int64 }

// blocks keeps the bodies of new events. They are compressed beside the
// insertion of the rows.
type blocks struct {
	add     *stmt
	encoder *zstd.Encoder
	next    int64  // number of the open block
	open    []byte // its content so far
	results []chan []byte
	first   int64 // number of the block of results[0]
}

func newBlocks(c *conn) (*blocks, error) {
	last, err := c.number("SELECT coalesce(max(block), 0) FROM blocks")
	if err != nil {
		return nil, err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	add, err := c.prepare("INSERT INTO blocks VALUES (?, ?)")
	return &blocks{add: add, encoder: encoder, next: last + 1}, err
}

// begin starts the blocks of a chunk: no block spans two of them.
func (b *blocks) begin() { b.first, b.results = b.next, b.results[:0] }

// keep takes the body of a new event, unless it stays in its source.
func (b *blocks) keep(a *Arrival) bodyPlace {
	body := a.Line.Body
	if a.ByReference {
		return bodyPlace{size: int64(len(body))}
	}
	place := bodyPlace{b.next, int64(len(b.open)), int64(len(body))}
	b.open = append(b.open, body...)
	if len(b.open) >= blockSize {
		b.seal()
	}
	return place
}

// seal compresses the open block in the background.
func (b *blocks) seal() {
	if len(b.open) == 0 {
		return
	}
	raw, result := b.open, make(chan []byte, 1)
	go func() { result <- b.encoder.EncodeAll(raw, make([]byte, 0, len(raw)/2)) }()
	b.results = append(b.results, result)
	b.open = make([]byte, 0, blockSize+4<<10)
	b.next++
}

// end inserts the blocks of the chunk.
func (b *blocks) end() error {
	b.seal()
	var err error
	for i, result := range b.results {
		b.add.bind(b.first+int64(i), <-result)
		err = errors.Join(err, b.add.do())
	}
	return err
}

func (b *blocks) close() {
	if b != nil {
		closeAll(b.add)
		b.encoder.Close()
	}
}

// decoder decompresses blocks; it is safe for concurrent use.
var newDecoder = func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBlock), zstd.WithDecoderLowmem(true))
}

// block reads and decompresses a block.
func (c *conn) block(d *zstd.Decoder, number int64) ([]byte, error) {
	var raw []byte
	found := false
	err := c.each("SELECT bytes FROM blocks WHERE block = ?", []any{number}, func(s *stmt) (err error) {
		found = true
		raw, err = d.DecodeAll(s.columnBlob(0), nil)
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
