package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/event"
	"github.com/svc-edge/svc-verify/internal/limits"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Bodies reads the bytes of events. It keeps the block that it read last, so
// that events in the order in which they came cost little. It is used by one
// goroutine.
type Bodies struct {
	c       *Case
	decoder *zstd.Decoder
	number  int64 // of the block; 0: none yet
	block   []byte
	source  string // the file that is open for events by reference
	file    *os.File
}

// Bodies returns a reader of events' bytes, to be closed after use.
func (c *Case) Bodies() (*Bodies, error) {
	d, err := newDecoder()
	return &Bodies{c: c, decoder: d}, err
}

// Close lets go of the reader's memory and files.
func (b *Bodies) Close() error {
	b.decoder.Close()
	if b.file != nil {
		return b.file.Close()
	}
	return nil
}

// Line returns an event's canonical line, without line feed: the very bytes
// that its hash and its copy's digest are of. It fails if the case or, for an
// event kept by reference, its source no longer holds them.
func (b *Bodies) Line(ctx context.Context, e Event) ([]byte, error) {
	body, err := b.body(ctx, e)
	if err != nil {
		return nil, err
	}
	if got := chain.Hash(sha256.Sum256(body)); got != e.Link.Body {
		return nil, fmt.Errorf("event %d: its body in the case has the digest %s, not %s", e.Link.Sequence, got, e.Link.Body)
	}
	return line(body, &e), nil
}

// lineEnd is room for what ends a line.
const lineEnd = 2

// bodyRow is where a body is kept.
type bodyRow struct {
	bodyPlace
	offset, length int64
	absolute       string
}

func (b *Bodies) body(ctx context.Context, e Event) ([]byte, error) {
	row, err := b.c.bodyRow(ctx, e.Ref)
	if err != nil {
		return nil, err
	}
	if row.block == 0 {
		return b.referenced(row)
	}
	if row.block != b.number {
		err := b.c.read(func(r *conn) (err error) {
			b.block, err = r.block(b.decoder, row.block)
			return err
		})
		if err != nil {
			b.number = 0
			return nil, err
		}
		b.number = row.block
	}
	if row.start < 0 || row.size < 0 || row.start+row.size > int64(len(b.block)) {
		return nil, fmt.Errorf("block %d of the case: %d bytes, event at %d with %d", row.block, len(b.block), row.start, row.size)
	}
	return b.block[row.start : row.start+row.size], nil
}

// referenced reads a body from the source's file.
func (b *Bodies) referenced(row bodyRow) ([]byte, error) {
	if row.absolute == "" {
		return nil, errors.New("the event is kept by reference, and no path of its source is known")
	}
	if row.length < 0 || row.length > limits.Event+lineEnd {
		return nil, fmt.Errorf("an event by reference of %d bytes", row.length)
	}
	if b.file == nil || b.source != row.absolute {
		f, err := os.Open(row.absolute)
		if err != nil {
			return nil, fmt.Errorf("a source that the case refers to: %w", err)
		}
		if b.file != nil {
			b.file.Close()
		}
		b.file, b.source = f, row.absolute
	}
	raw := make([]byte, row.length)
	if _, err := b.file.ReadAt(raw, row.offset); err != nil {
		return nil, fmt.Errorf("a source that the case refers to: %w", err)
	}
	var l event.Line
	if !event.Scan(bytes.TrimSpace(raw), &l) {
		return nil, fmt.Errorf("%s has changed since it was ingested: no event at byte %d", safetext.Quote(row.absolute), row.offset)
	}
	return l.Body, nil
}

func (c *Case) bodyRow(ctx context.Context, ref Ref) (bodyRow, error) {
	table, number := "events d WHERE d.event", int64(ref)
	if ref < 0 {
		table, number = "variants d WHERE d.variant", -number
	}
	query := `SELECT coalesce(block, 0), start, size, offset, length, (SELECT coalesce(max(absolute), '')
		FROM paths JOIN containers c USING (source) WHERE c.container = d.container) FROM ` + table + " = ?"
	found, err := collect(rows(ctx, c, ask(query, number), func(s *stmt) (bodyRow, error) {
		return bodyRow{bodyPlace{s.columnInt(0), s.columnInt(1), s.columnInt(2)}, s.columnInt(3), s.columnInt(4), s.columnText(5)}, nil
	}))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the case has no event %d", ref)
	}
	if err != nil {
		return bodyRow{}, err
	}
	return found[0], nil
}

// line writes the canonical form of an event (SPEC 4.2): its members in order,
// none of whose values but the body needs an escape.
func line(body []byte, e *Event) []byte {
	const hashes, names = 3 * 2 * sha256.Size, 100
	b := make([]byte, 0, len(body)+hashes+names+len(e.KeyID)+base64.RawURLEncoding.EncodedLen(event.SignatureSize))
	b = append(append(b, `{"body":`...), body...)
	b = hex.AppendEncode(append(b, `,"hash":"`...), e.Recorded[:])
	b = append(append(b, `","key_id":"`...), e.KeyID...)
	b = hex.AppendEncode(append(b, `","previous_hash":"`...), e.Link.Previous[:])
	b = base64.RawURLEncoding.AppendEncode(append(b, `","signature":"`...), e.Signature[:])
	b = hex.AppendEncode(append(b, `","skip_hash":"`...), e.Link.Skip[:])
	return append(b, `"}`...)
}
