package casefile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// KnownSource is a source of a case that was ingested to its end.
type KnownSource struct {
	Number int64
	How    string // it was read
	Ours   bool   // the key vouches for it, or this writer added it: nothing of it is missing
}

// Known returns the source that has some content.
func (w *Writer) Known(sha256 chain.Hash) (known KnownSource, ok bool, err error) {
	const query = "SELECT source, coalesce(how, '') FROM sources LEFT JOIN readings USING (source) WHERE sha256 = ?"
	err = w.conn.Each(query, []any{sha256[:]}, func(s *sqlite.Stmt) error {
		known, ok = KnownSource{Number: s.Int(0), How: s.Text(1)}, true
		return nil
	})
	known.Ours = w.is == Made || w.added[known.Number]
	return known, ok, err
}

// ReadAs saves how a started source is read.
func (in *intake) ReadAs(source int64, how string) error {
	return in.conn.Run("INSERT OR REPLACE INTO readings VALUES (?, ?, NULL)", source, how)
}

// Replace saves that a source has the same content as an earlier one and replaces
// it. The earlier source's rows stay until [Writer.Purge].
func (w *Writer) Replace(old, source int64) error {
	w.replaced = true
	return inOrder(w.change,
		func() error {
			return w.conn.Run("INSERT OR IGNORE INTO readings VALUES (?, '', NULL)", old)
		},
		func() error { return w.conn.Run("UPDATE readings SET replaced = ? WHERE source = ?", source, old) },
		func() error { return w.conn.Run("UPDATE sources SET sha256 = NULL WHERE source = ?", old) },
		func() error {
			return w.conn.Run("INSERT OR IGNORE INTO paths SELECT ?, path, absolute FROM paths WHERE source = ?", source, old)
		},
		func() error { return w.conn.Run("DELETE FROM paths WHERE source = ?", old) })
}

// The containers of readings that were replaced.
const gone = "(SELECT container FROM containers WHERE source IN (SELECT source FROM readings " +
	"WHERE replaced IS NOT NULL))"

// firstAgain is the first of the further deliveries of a copy. A line that stays
// in its source has to be found there.
var firstAgain = "SELECT d." + strings.ReplaceAll(placeColumns, ", ", ", d.") + ` FROM deliveries d
	JOIN containers c USING (container)
	WHERE d.event = %s AND (%s.block IS NOT NULL OR c.path = '' AND c.source =
	  (SELECT replaced FROM readings JOIN containers USING (source) WHERE containers.container = %s.container))
	ORDER BY d.container, d.record, d.offset LIMIT 1`

// purge are the steps that remove what the replaced readings gave. What else was
// delivered of their events takes their place.
var purge = []string{
	"DELETE FROM skips WHERE container IN " + gone,
	"DELETE FROM document_places WHERE container IN " + gone,
	"DELETE FROM documents WHERE document NOT IN (SELECT document FROM document_places)",
	"DELETE FROM deliveries WHERE container IN " + gone,

	promote("variants", "-variants.variant"),
	"DELETE FROM variants WHERE container IN " + gone + " AND NOT EXISTS (SELECT 1 FROM deliveries d " +
		"WHERE d.event = -variant)",
	promote("events", "events.event"),
	// The first of the copies that are left takes the place of a row that goes.
	`CREATE TEMP TABLE heirs AS SELECT event, min(variant) AS variant FROM events JOIN variants
	  ON log = event >> 40 AND sequence = event & 0xffffffffff
	  WHERE events.container IN ` + gone + " AND " + lost + " GROUP BY event",
	"DELETE FROM events WHERE container IN " + gone + " AND " + lost,
	`INSERT INTO events SELECT h.event, ` + copyColumns + ` FROM temp.heirs h JOIN variants USING (variant)`,
	`UPDATE deliveries SET event = (SELECT event FROM temp.heirs WHERE variant = -deliveries.event)
	  WHERE event IN (SELECT -variant FROM temp.heirs)`,
	"DELETE FROM variants WHERE variant IN (SELECT variant FROM temp.heirs)",
	"DROP TABLE temp.heirs",

	`DELETE FROM logs WHERE NOT EXISTS (SELECT 1 FROM events WHERE event BETWEEN log << 40 AND log << 40 | 0xffffffffff)
	  AND NOT EXISTS (SELECT 1 FROM variants WHERE variants.log = logs.log)`,
	`DELETE FROM blocks WHERE block NOT IN (SELECT block FROM events WHERE block IS NOT NULL
	  UNION SELECT block FROM variants WHERE block IS NOT NULL)`,
	"DELETE FROM runs",
	"DELETE FROM containers WHERE container IN " + gone + inUse,
	`DELETE FROM sources WHERE source IN (SELECT source FROM readings WHERE replaced IS NOT NULL)
	  AND source NOT IN (SELECT source FROM containers)`,
	"DELETE FROM readings WHERE replaced IS NOT NULL AND source NOT IN (SELECT source FROM sources)",
}

const (
	lost  = "NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = events.event)"
	inUse = ` AND container NOT IN (SELECT container FROM events WHERE block IS NULL
		UNION SELECT container FROM variants WHERE block IS NULL)`
)

// promote makes the first of the further deliveries of a copy its first one.
func promote(table, ref string) string {
	again := fmt.Sprintf(firstAgain, ref, table, table)
	return "UPDATE " + table + " SET (" + placeColumns + ") = (" + again + ") WHERE container IN " + gone +
		" AND EXISTS (" + again + ");" +
		"DELETE FROM deliveries WHERE EXISTS (SELECT 1 FROM " + table + " WHERE " + ref + " = deliveries.event AND " + table +
		".container = deliveries.container AND " + table + ".record = deliveries.record AND " + table +
		".offset = deliveries.offset)"
}

// Purge removes the rows of readings that were replaced.
func (w *Writer) Purge() error {
	if !w.replaced {
		return nil
	}
	if err := w.change(); err != nil {
		return err
	}
	for _, step := range purge {
		if err := w.conn.Exec(step); err != nil {
			return errors.Join(err, w.conn.Rollback())
		}
	}
	w.replaced = false
	// The dictionaries are no longer what the loader remembers.
	w.loader.close()
	w.loader = loader{}
	return errors.Join(w.Commit(), w.loader.open(w.conn))
}

// leftOver finds out whether a process ended before it purged.
func (w *Writer) leftOver() error {
	n, err := w.conn.Number("SELECT EXISTS (SELECT 1 FROM readings WHERE replaced IS NOT NULL)")
	w.replaced = n != 0
	return err
}
