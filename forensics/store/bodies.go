package store

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

const (
	// fullBody is with how many bytes a row of bodies is full: enough to compress well,
	// and little to decompress for one event.
	fullBody = 128 << 10

	// mostBody bounds the decompressed size of a row of bodies: it is full once it has its
	// size, so that it holds at most one more event.
	mostBody = fullBody + 2<<20
)

// bodies writes rows of bodies.
type bodies struct {
	add    *sqlite.Stmt
	next   int64  // number of the open row
	open   []byte // its content so far
	packed []byte // compressed, to be used again
}

// keepBody adds the kept form of a body, and returns its place.
func (b *bodies) keepBody(octets []byte) (at block.Body, err error) {
	at = block.Body{Row: b.next, Start: int64(len(b.open))}
	if b.open = append(b.open, octets...); len(b.open) < fullBody {
		return at, nil
	}
	return at, b.endRow()
}

// endRow writes the open row.
func (b *bodies) endRow() error {
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

// unpackBodies decompresses a row of bodies.
func unpackBodies(packed []byte) ([]byte, error) {
	size, err := s2.DecodedLen(packed)
	if err != nil {
		return nil, err
	}
	if size > mostBody {
		return nil, fmt.Errorf("expected at most %d octets, found %d", mostBody, size)
	}
	return s2.Decode(nil, packed)
}

// keptBody is the kept form of a body.
type keptBody struct {
	salt        []byte
	transaction []byte
	rest        []byte // the data, and the rest
}

// errKept is the error for a place where no body is kept.
var errKept = errors.New("no body is kept where one should be")

// readKept reads the kept body at a place of a row.
func readKept(row []byte, start int64) (k keptBody, err error) {
	if start < 0 || start > int64(len(row))-event.SaltSize {
		return k, errKept
	}
	k.salt, row = row[start:start+event.SaltSize], row[start+event.SaltSize:]
	size, n := binary.Uvarint(row)
	if n <= 0 || size > uint64(len(row)-n) {
		return k, errKept
	}
	k.transaction, k.rest = row[n:n+int(size)], row[n+int(size):]
	return k, nil
}

// bodyStart is how every body begins; the data follows.
const bodyStart = `{"data":`

// body makes the body of a copy of an event of a log again, and returns the data in it.
func (k *keptBody) body(log facts.Log, c *part.Copy) (body, data []byte, err error) {
	end := k.appendEnd(nil, log, c)
	if data, err = k.data(c.Size, len(end)); err != nil {
		return nil, nil, err
	}
	body = append(append(make([]byte, 0, c.Size), bodyStart...), data...)
	return append(body, end...), data, nil
}

// data returns the data of a body, by its size and the size of its end, in bytes.
func (k *keptBody) data(size int64, end int) ([]byte, error) {
	size -= int64(len(bodyStart) + end)
	if size < 0 || size > int64(len(k.rest)) {
		return nil, errKept
	}
	return k.rest[:size], nil
}

// appendEnd appends the members that follow the data, in their order; none of their values
// needs an escape.
func (k *keptBody) appendEnd(b []byte, log facts.Log, c *part.Copy) []byte {
	member := func(name, text string) {
		b = append(append(append(append(append(b, `,"`...), name...), `":"`...), text...), '"')
	}
	member("log_id", log.LogID)
	member("occurred_at", form.FormatMillis(c.OccurredAt))
	member("protocol", event.Protocol)
	member("salt", base64.RawURLEncoding.EncodeToString(k.salt))
	b = strconv.AppendUint(append(b, `,"sequence":`...), c.Sequence, 10)
	member("tenant_id", log.TenantID)
	if len(k.transaction) > 0 {
		member("transaction_id", string(k.transaction))
	}
	member("type", c.Type)
	return append(b, '}')
}

// shortestEnd is the size of the shortest end, of sequence 0 and with empty texts.
var shortestEnd = sync.OnceValue(func() int {
	return len((&keptBody{salt: make([]byte, event.SaltSize)}).appendEnd(nil, facts.Log{}, &part.Copy{}))
})

// endSize returns the size of what [keptBody.appendEnd] appends, without writing it. All times have
// one width (SPEC 1.5).
func (k *keptBody) endSize(log facts.Log, c *part.Copy) int {
	size := shortestEnd() + len(log.LogID) + len(log.TenantID) + len(c.Type)
	for n := c.Sequence / 10; n > 0; n /= 10 {
		size++
	}
	if len(k.transaction) > 0 {
		size += len(`,"transaction_id":""`) + len(k.transaction)
	}
	return size
}

// mostRows bounds the bytes of rows of bodies that are held.
const mostRows = 16 << 20

// bodyRows reads rows of bodies, and holds those that were read last.
type bodyRows struct {
	read func(number int64) ([]byte, error)
	rows map[int64][]byte
	held int
}

// row returns a row of bodies. Where too many are held, all are dropped: those that are
// still in use come back soon.
func (r *bodyRows) row(number int64) (row []byte, err error) {
	if row, ok := r.rows[number]; ok {
		return row, nil
	}
	if row, err = r.read(number); err != nil {
		return nil, err
	}
	if r.held += len(row); r.rows == nil || r.held > mostRows {
		r.rows, r.held = map[int64][]byte{}, len(row)
	}
	r.rows[number] = row
	return row, nil
}

// kept returns the kept form of the body of a copy, and the bytes from there on.
func (r *bodyRows) kept(c *part.Copy) (k keptBody, octets []byte, err error) {
	row, err := r.row(c.Body.Row)
	if err != nil {
		return k, nil, err
	}
	if k, err = readKept(row, c.Body.Start); err != nil {
		return k, nil, err
	}
	return k, row[c.Body.Start:], nil
}
