package store

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// eventsIndex is the index of a case for questions about events. All of it is made at once,
// and every writer keeps it up from then on; a case can be without it. It is derived from the
// blocks: no verdict is made of it.
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
	{Name: "gaps", SQL: `CREATE VIEW IF NOT EXISTS gaps AS
  -- The sequences that no event has, below the last event of each log.
  SELECT tenant_id, log_id, before + 1 AS first_missing, sequence - 1 AS last_missing
    FROM (SELECT l.tenant_id, l.log_id, e.sequence,
                 lag(e.sequence, 1, 0) OVER (PARTITION BY e.log ORDER BY e.sequence) AS before
            FROM events e JOIN logs l USING (log))
   WHERE sequence > before + 1`},
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
	const bits = 48 // which take six bytes in a row
	return int64(binary.BigEndian.Uint64(digest[:]) >> (64 - bits))
}

// eventIndex writes the index of events of a case, if it has one.
type eventIndex struct {
	insert *sqlite.Stmt // nil if there is none
}

// openIndex opens the index of a case.
func (x *eventIndex) openIndex(c *sqlite.Conn) error {
	indexed, err := isIndexed(c)
	if err != nil || !indexed {
		return err
	}
	x.insert, err = c.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	return err
}

// insertEvent adds a row.
func (x *eventIndex) insertEvent(e *arrivedEvent) error {
	for i, n := range [...]int64{e.log, int64(e.sequence), e.source, e.at.Record, int64(e.at.Container), e.at.Offset,
		e.at.Length, copyNumber(e.copy), e.occurredAt} {
		x.insert.BindInt(i, n)
	}
	const kind, transaction = 9, 10
	x.insert.BindText(kind, e.kind)
	if len(e.transaction) > 0 {
		x.insert.BindTextBytes(transaction, e.transaction)
	} else {
		x.insert.BindNull(transaction)
	}
	return x.insert.Do()
}

// insertRun adds the arrivals of a run, whose logs have these numbers.
func (x *eventIndex) insertRun(s *sorted, logs map[facts.Log]int64) error {
	if x.insert == nil {
		return nil
	}
	for _, l := range s.order {
		for _, n := range l.entries {
			e := s.entry(n)
			kept, err := readKept(s.octets[e.kept.start:e.kept.end], 0)
			if err != nil {
				return err
			}
			row := arrivedEvent{log: logs[l.Log], source: int64(e.source) + 1, sequence: e.sequence, copy: e.digest,
				at:         part.Place{Container: int(e.container), Offset: e.offset, Length: e.length, Record: e.record},
				occurredAt: e.occurredAt, kind: s.names.texts[e.kind], transaction: kept.transaction}
			if err := x.insertEvent(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

// IndexEvents makes the index of events of a case, unless it has one. SQL can ask it, and so
// do questions about a transaction.
func IndexEvents(ctx context.Context, w *Writer) error {
	if w.events.insert != nil {
		return nil
	}
	if err := errors.Join(w.Commit(), w.beginChange()); err != nil {
		return err
	}
	if err := fillEvents(ctx, w.output); err != nil {
		sqlite.CloseAll(w.events.insert)
		w.events.insert = nil
		return errors.Join(err, w.conn.Rollback())
	}
	return w.conn.Exec("COMMIT")
}

// fillEvents makes the index from all blocks.
func fillEvents(ctx context.Context, w *output) error {
	if err := w.conn.Exec(eventsIndex[0].SQL); err != nil {
		return err
	}
	if err := w.events.openIndex(w.conn); err != nil {
		return err
	}
	content, err := w.earlier.union(w.earlier.allRuns(), connRows{w.conn}, w.provisional(), nil)
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
				if err := w.events.insertEvent(&e); err != nil {
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
