package casefile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Bodies reads the bytes of events. It caches the blocks that it read last, so
// reading events in the order of their arrival is cheap, even for several logs in
// turn. It must be used by one goroutine at a time.
type Bodies struct {
	c      *Case
	blocks map[int64][]byte
	kept   int                   // bytes of blocks
	row    bodyRow               // that was read last
	ref    facts.Ref             // of its event; 0: none yet
	boxes  map[int64]facts.Place // containers, as the place of their first octet
	source sourceFile            // for events by reference
}

// Bodies returns a reader of event bytes. The caller closes it.
func (c *Case) Bodies() (*Bodies, error) { return &Bodies{c: c}, nil }

// Close frees the memory and closes the files of the reader.
func (b *Bodies) Close() error { return b.source.close() }

// Line returns the canonical line of an event, without line feed. It returns an
// error if the case no longer has the bytes that the row was made of, or, for an
// event kept by reference, a [ReferenceError] if its source no longer has them.
func (b *Bodies) Line(ctx context.Context, e facts.Event) ([]byte, error) {
	body, err := b.body(ctx, e)
	if err != nil {
		return nil, err
	}
	return line(body, &e), checkBody(body, &e)
}

// Data calls f with the data of each event: canonical JSON, valid during the call.
// It reads each block once, so the calls come in the order of the blocks, not in
// that of the events.
func (b *Bodies) Data(ctx context.Context, log Log, events []Typed, f func(i int, data []byte) error) error {
	order := make([]int, len(events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(events[x].body.block, events[y].body.block) })
	for n, i := range order {
		if n%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		data, err := b.data(ctx, log, &events[i])
		if err == nil {
			err = f(i, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Bodies) data(ctx context.Context, log Log, e *Typed) ([]byte, error) {
	if e.body.block == 0 {
		doc, err := b.Line(ctx, e.Event)
		if err != nil {
			return nil, err
		}
		var l event.Line
		if !event.Scan(doc, &l) {
			return nil, fmt.Errorf("event %d of %s is kept in another form", e.Link.Sequence, safetext.Quote(log.LogID))
		}
		return l.Data, nil
	}
	row := bodyRow{bodyPlace: e.body, tenant: log.TenantID, log: log.LogID, typ: e.Type, transaction: e.TransactionID,
		sequence: int64(e.Link.Sequence), occurredAt: e.OccurredAt}
	block, err := b.block(row.block)
	if err != nil {
		return nil, err
	}
	body, data, err := row.parts(block)
	if err != nil {
		return nil, err
	}
	return data, checkBody(body, &e.Event)
}

// checkBody returns an error if a body does not have the digest that its row says.
func checkBody(body []byte, e *facts.Event) error {
	if got := chain.Hash(sha256.Sum256(body)); got != e.Link.Body {
		return fmt.Errorf("event %d: its body in the case has the digest %s, not %s", e.Link.Sequence, got, e.Link.Body)
	}
	return nil
}

func (b *Bodies) body(ctx context.Context, e facts.Event) ([]byte, error) {
	row, err := readBodyOf(ctx, b.c, e.Ref)
	if err != nil {
		return nil, err
	}
	b.row, b.ref = row, e.Ref
	if row.block == 0 {
		l, err := b.source.line(&row)
		if err == nil && !isOf(&l, &e) {
			err = fmt.Errorf("%s has changed since it was ingested: another event at byte %d", safetext.Quote(row.absolute),
				row.offset)
		}
		if err != nil {
			err = &ReferenceError{err}
		}
		return l.Body, err
	}
	block, err := b.block(row.block)
	if err != nil {
		return nil, err
	}
	return row.body(block)
}

// mostBlocks bounds the bytes of the blocks that are kept.
const mostBlocks = 16 << 20

// block returns a block. Where too many are kept, all are dropped: those that
// are still in use come back soon.
func (b *Bodies) block(number int64) (block []byte, err error) {
	if block, ok := b.blocks[number]; ok {
		return block, nil
	}
	err = b.c.read(func(r *sqlite.Conn) (err error) {
		block, err = readBlock(r, number)
		return err
	})
	if err != nil {
		return nil, err
	}
	if b.kept += len(block); b.blocks == nil || b.kept > mostBlocks {
		b.blocks, b.kept = map[int64][]byte{}, len(block)
	}
	b.blocks[number] = block
	return block, nil
}

// Place returns where a copy was first found: the first of [Arrivals.Deliveries].
// It is fast for the event whose line was read last, if that came only once.
func (b *Bodies) Place(ctx context.Context, e facts.Event) (facts.Place, error) {
	if e.Ref != b.ref || e.Deliveries > 1 {
		all, err := b.c.Arrivals().Deliveries(ctx, e.Ref)
		if err != nil || len(all) == 0 {
			return facts.Place{}, err
		}
		return all[0].Place, nil
	}
	box, known := b.boxes[b.row.container]
	if !known {
		const query = "SELECT source, path FROM containers WHERE container = ?"
		for found, err := range rows(ctx, b.c, ask(query, b.row.container), readBox) {
			if err != nil {
				return facts.Place{}, err
			}
			box = found
		}
		if b.boxes == nil || len(b.boxes) >= namesKept {
			b.boxes = map[int64]facts.Place{}
		}
		b.boxes[b.row.container] = box
	}
	box.Offset, box.Length, box.Record = b.row.offset, b.row.length, b.row.record
	return box, nil
}

func readBox(s *sqlite.Stmt) (facts.Place, error) {
	return facts.Place{Source: s.Int(0), Container: s.Text(1)}, nil
}

// bodyOf asks for a row as bodyRow is made of it.
func bodyOf(table, sequence, log, number string) string {
	return "SELECT d." + number + ", " + copyColumns + ", " + sequence + `, l.tenant_id, l.log_id, w.text,
		(SELECT coalesce(max(absolute), '') FROM paths JOIN containers c USING (source) WHERE c.container = d.container)
		FROM ` + table + " d JOIN logs l ON l.log = " + log + " JOIN words w ON w.word = type WHERE d." + number + " = ?"
}

var (
	packedBody  = bodyOf("events", "d.event & 0xffffffffff", "d.event >> 40", "event")
	variantBody = bodyOf("variants", "d.sequence", "d.log", "variant")
)

func readBodyOf(ctx context.Context, c *Case, ref facts.Ref) (bodyRow, error) {
	query := ask(packedBody, int64(ref))
	if ref < 0 {
		query = ask(variantBody, -int64(ref))
	}
	found, err := collect(rows(ctx, c, query, readBodyRow))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the case has no event %d", ref)
	}
	if err != nil {
		return bodyRow{}, err
	}
	return found[0], nil
}

func readBodyRow(s *sqlite.Stmt) (r bodyRow, err error) {
	r.ofRow(s)
	const behind = columnCount
	r.sequence, r.tenant, r.log, r.typ, r.absolute = s.Int(behind), s.Text(behind+1), s.Text(behind+2), s.Text(behind+3),
		s.Text(behind+4)
	return r, nil
}

// LineOf writes the canonical form of an event that was scanned, without line feed.
func LineOf(l *event.Line) []byte {
	e := facts.Event{Header: event.Header{Event: chain.Event{Link: l.Link, Recorded: l.Recorded}, KeyID: string(l.KeyID),
		Signature: l.Signature}}
	return line(l.Body, &e)
}

// line writes the canonical form of an event (SPEC 4.2): its members in order,
// none of whose values but the body needs an escape.
func line(body []byte, e *facts.Event) []byte {
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
