package store

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// eventsIndex is what a case has for questions about events. All of it is made at once, and
// then kept up by whoever writes to the case; a case can be without it. It is derived from
// the blocks: no verdict is made of it.
var eventsIndex = []guard.Late{
	{Name: "events", SQL: `CREATE TABLE IF NOT EXISTS events (
  -- Where events arrived: a row for each time, for questions. It is derived from blocks and
  -- bodies, which have all else that is known of an event.
  log            INTEGER NOT NULL REFERENCES logs,
  sequence       INTEGER NOT NULL,
  source         INTEGER NOT NULL REFERENCES sources,
  record         INTEGER NOT NULL,  -- its number among the records and skips of the source
  container      INTEGER NOT NULL,
  offset         INTEGER NOT NULL,
  length         INTEGER NOT NULL,
  copy           INTEGER NOT NULL,  -- of copies that differ in any octet, each has another number
  occurred_at    INTEGER NOT NULL,  -- milliseconds since 1970 by the clock of the log's owner
  type           TEXT NOT NULL,
  transaction_id TEXT,
  PRIMARY KEY (log, sequence, source, record)
) STRICT, WITHOUT ROWID`},
	{Name: "events_by_transaction", SQL: "CREATE INDEX IF NOT EXISTS events_by_transaction ON events (transaction_id) " +
		"WHERE transaction_id IS NOT NULL"},
	{Name: "events_by_time", SQL: "CREATE INDEX IF NOT EXISTS events_by_time ON events (occurred_at)"},
	{Name: "timeline", SQL: `CREATE VIEW IF NOT EXISTS timeline AS
  -- The events as people want to read them: a row for each copy.
  SELECT l.tenant_id, l.log_id, e.sequence,
         strftime('%Y-%m-%dT%H:%M:%fZ', e.occurred_at / 1000.0, 'unixepoch') AS occurred_at,
         e.type, e.transaction_id, count(*) AS deliveries
    FROM events e JOIN logs l USING (log)
   GROUP BY e.log, e.sequence, e.copy, e.occurred_at, e.type, e.transaction_id`},
}

// isIndexed reports whether a case has the index of events.
func isIndexed(c *sqlite.Conn) (bool, error) {
	n, err := c.Number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'events'")
	return n > 0, err
}

// arrivedEvent is a row of the index.
type arrivedEvent struct {
	log, source int64
	sequence    uint64
	at          part.Place
	copy        [block.DigestSize]byte
	occurredAt  int64
	kind        string
	transaction []byte
}

// copyNumber is the number of a copy in the index.
func copyNumber(digest [block.DigestSize]byte) int64 {
	const bits = 48 // which take six octets in a row
	return int64(binary.BigEndian.Uint64(digest[:]) >> (64 - bits))
}

// prepareEvents takes up the index, if there is one.
func (w *output) prepareEvents() error {
	indexed, err := isIndexed(w.conn)
	if err != nil || !indexed {
		return err
	}
	w.event, err = w.conn.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	return err
}

// indexEvent adds a row to the index.
func (w *output) indexEvent(e *arrivedEvent) error {
	for i, n := range [...]int64{e.log, int64(e.sequence), e.source, e.at.Record, int64(e.at.Container), e.at.Offset,
		e.at.Length, copyNumber(e.copy), e.occurredAt} {
		w.event.BindInt(i, n)
	}
	const kind, transaction = 9, 10
	w.event.BindText(kind, e.kind)
	if len(e.transaction) > 0 {
		w.event.BindTextBytes(transaction, e.transaction)
	} else {
		w.event.BindNull(transaction)
	}
	return w.event.Do()
}

// IndexEvents makes the index of events, unless the case has it.
func (w *Writer) IndexEvents(ctx context.Context) error {
	if w.event != nil {
		return nil
	}
	if err := errors.Join(w.Commit(), w.change()); err != nil {
		return err
	}
	if err := w.fillEvents(ctx); err != nil {
		w.event = nil
		return errors.Join(err, w.conn.Rollback())
	}
	return w.conn.Exec("COMMIT")
}

func (w *output) fillEvents(ctx context.Context) error {
	if err := w.conn.Exec(eventsIndex[0].SQL); err != nil {
		return err
	}
	if err := w.prepareEvents(); err != nil {
		return err
	}
	content, err := w.earlier.union(w.earlier.all(), connRows{w.conn}, w.provisional(), nil)
	if err != nil {
		return err
	}
	rows := bodyRows{read: connRows{w.conn}.bodies}
	for _, log := range content.Logs() {
		for c, err := range content.Copies(ctx, log, 0) {
			if err != nil {
				return err
			}
			kept, _, err := rows.kept(c)
			if err != nil {
				return err
			}
			e := arrivedEvent{log: w.logs[log], sequence: c.Sequence, copy: c.Digest, occurredAt: c.OccurredAt, kind: c.Type,
				transaction: kept.transaction}
			for i := range c.Arrivals {
				e.at = c.Arrivals[i].Place
				e.source = int64(e.at.Share) + 1
				if err := w.indexEvent(&e); err != nil {
					return err
				}
			}
		}
	}
	for _, one := range eventsIndex[1:] {
		if err := w.conn.Exec(one.SQL); err != nil {
			return err
		}
	}
	return nil
}

// indexRun adds the arrivals of a run to the index, if there is one.
func (w *output) indexRun(s *sorted) error {
	if w.event == nil {
		return nil
	}
	for _, l := range s.order {
		for _, n := range l.entries {
			e := s.entry(n)
			kept, err := readKept(s.octets[e.kept.start:e.kept.end], 0)
			if err != nil {
				return err
			}
			row := arrivedEvent{log: w.logs[l.Log], source: int64(e.source) + 1, sequence: e.sequence, copy: e.digest,
				at:         part.Place{Container: int(e.container), Offset: e.offset, Length: e.length, Record: e.record},
				occurredAt: e.occurredAt, kind: s.names.texts[e.kind], transaction: kept.transaction}
			if err := w.indexEvent(&row); err != nil {
				return err
			}
		}
	}
	return nil
}
