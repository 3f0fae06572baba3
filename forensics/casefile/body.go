package casefile

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/form"
)

// bodyRow is the row of an event as far as its body is made of it.
type bodyRow struct {
	bodyPlace
	container      int64 // where the copy was first found
	offset, length int64
	record         int64
	absolute       string
	tenant, log    string
	typ            string
	transaction    string
	sequence       int64
	occurredAt     int64
}

// bodyStart is how every body begins; the data follows.
const bodyStart = `{"data":`

// appendKept appends what is kept of a body: the salt's octets, then the data.
// All else in it has one form (SPEC 4.2), and its values stand in columns.
func appendKept(b []byte, l *event.Line) []byte {
	return append(append(b, l.Salt[:]...), l.Data...)
}

// body makes the body again of the row and of what is kept in its block.
func (r *bodyRow) body(block []byte) ([]byte, error) {
	body, _, err := r.parts(block)
	return body, err
}

// parts returns the body, and the data in it.
func (r *bodyRow) parts(block []byte) (body, data []byte, err error) {
	if r.start < 0 || r.start > int64(len(block)-event.SaltSize) {
		return nil, nil, fmt.Errorf("block %d of the case: %d bytes, event at %d", r.block, len(block), r.start)
	}
	kept := block[r.start:]
	end := r.end(kept[:event.SaltSize])
	kept = kept[event.SaltSize:]
	size := r.size - int64(len(bodyStart)+len(end))
	if size < 0 || size > int64(len(kept)) {
		return nil, nil, fmt.Errorf("block %d of the case: %d bytes after byte %d, data of %d", r.block, len(kept), r.start,
			size)
	}
	body = make([]byte, 0, r.size)
	body = append(append(body, bodyStart...), kept[:size]...)
	return append(body, end...), kept[:size], nil
}

// end is what follows the data: members in their order, none of whose values
// needs an escape.
func (r *bodyRow) end(salt []byte) []byte {
	var b []byte
	member := func(name, text string) {
		b = append(append(append(append(append(b, `,"`...), name...), `":"`...), text...), '"')
	}
	member("log_id", r.log)
	member("occurred_at", form.FormatMillis(r.occurredAt))
	member("protocol", event.Protocol)
	member("salt", base64.RawURLEncoding.EncodeToString(salt))
	b = strconv.AppendInt(append(b, `,"sequence":`...), r.sequence, 10)
	member("tenant_id", r.tenant)
	if r.transaction != "" {
		member("transaction_id", r.transaction)
	}
	member("type", r.typ)
	return append(b, '}')
}
