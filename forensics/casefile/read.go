package casefile

import (
	"context"
	"errors"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// errStop ends a query whose reader needs no more.
var errStop = errors.New("enough")

// stream yields what f yields, and then its error, if it is not errStop.
func stream[T any](f func(yield func(T, error) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := f(yield); err != nil && err != errStop {
			var none T
			yield(none, err)
		}
	}
}

// Logs returns all logs that have events, ascending by tenant and log id.
func (c *Case) Logs(ctx context.Context) ([]Log, error) {
	return collect(rows(ctx, c, ask("SELECT log, tenant_id, log_id FROM logs ORDER BY tenant_id, log_id"),
		func(s *sqlite.Stmt) (Log, error) { return readLog(s), nil }))
}

func readLog(s *sqlite.Stmt) Log {
	return Log{s.Int(0), facts.Log{TenantID: s.Text(1), LogID: s.Text(2)}}
}

// Last returns the highest sequence of a log, 0 if there is none. It ignores
// sequences of 2^40 and above, which a row of events has no room for.
func (c *Case) Last(ctx context.Context, log Log) (last uint64, err error) {
	err = c.read(func(r *sqlite.Conn) error {
		n, err := r.Number("SELECT coalesce(max(event) & ?, 0) FROM events WHERE event BETWEEN ? AND ?",
			append([]any{int64(maxSequence)}, packedBounds(log, 0, maxSequence)...)...)
		last = uint64(n)
		return err
	})
	return last, err
}

// Sources returns the sources in an order that depends on their content only.
func (c *Case) Sources(ctx context.Context) ([]facts.Source, error) {
	const query = `SELECT s.source, s.read, s.read_sha256, s.sha256 IS NOT NULL, coalesce(c.format, ''),
		s.events, s.documents, s.skipped
		FROM sources s LEFT JOIN containers c ON c.source = s.source AND c.path = ''
		ORDER BY coalesce(s.sha256, s.read_sha256), s.source`
	all, err := collect(rows(ctx, c, ask(query), func(s *sqlite.Stmt) (facts.Source, error) {
		source := facts.Source{Number: s.Int(0), Size: s.Int(1), Complete: s.Int(3) == 1, Format: s.Text(4),
			Events: s.Int(5), Skipped: s.Int(7)}
		source.Records = source.Events + s.Int(6) + source.Skipped
		copy(source.SHA256[:], s.Blob(2))
		return source, nil
	}))
	if err != nil {
		return nil, err
	}
	paths := map[int64][]string{}
	type path struct {
		source int64
		text   string
	}
	read := func(s *sqlite.Stmt) (path, error) { return path{s.Int(0), s.Text(1)}, nil }
	for p, err := range rows(ctx, c, ask("SELECT source, path FROM paths ORDER BY source, path"), read) {
		if err != nil {
			return nil, err
		}
		paths[p.source] = append(paths[p.source], p.text)
	}
	for i := range all {
		all[i].Paths = paths[all[i].Number]
	}
	return all, nil
}

// Unread returns the paths that could not be read, ascending.
func (c *Case) Unread(ctx context.Context) ([]facts.Unread, error) {
	return collect(rows(ctx, c, ask("SELECT path, code, detail FROM unread ORDER BY path, code, detail"),
		func(s *sqlite.Stmt) (facts.Unread, error) {
			return facts.Unread{Path: s.Text(0), Code: finding.Current(s.Text(1)), Detail: s.Text(2)}, nil
		}))
}

// Skips yields the spans that could not be read, in the order of their places.
func (c *Case) Skips(ctx context.Context) iter.Seq2[facts.Skip, error] {
	return rows(ctx, c, ask(skipQuery+" JOIN sources s ON s.source = d.source"+placeOrder), readSkip)
}

// HiddenBetween yields the unreadable spans between two records of a source that
// can hide an event, in the order of their records. A row that stands for many
// spans covers all records up to its last span. Rows that begin before the first of
// the two records come first, latest first.
func (c *Case) HiddenBetween(ctx context.Context, source, before, after int64) iter.Seq2[facts.Skip, error] {
	const hidden = " WHERE d.source = ? AND d.hides = 1 AND "
	return func(yield func(facts.Skip, error) bool) {
		for _, q := range []query{
			ask(skipQuery+hidden+"d.spans > 1 AND d.record <= ? AND d.through > ? ORDER BY d.record DESC", source, before,
				before),
			ask(skipQuery+hidden+"d.record > ? AND d.record < ? ORDER BY d.record", source, before, after),
		} {
			for skip, err := range rows(ctx, c, q, readSkip) {
				if !yield(skip, err) || err != nil {
					return
				}
			}
		}
	}
}

const skipQuery = `SELECT d.source, c.path, d.offset, d.length, d.record, d.code, d.detail, d.excerpt,
	d.spans, d.through
	FROM skips d JOIN containers c USING (container)`

func readSkip(s *sqlite.Stmt) (facts.Skip, error) {
	place, err := readPlace(s)
	return facts.Skip{Place: place, Code: finding.Current(s.Text(5)), Detail: s.Text(6), Excerpt: []byte(s.Text(7)),
		Spans: s.Int(8), Through: s.Int(9)}, err
}

// Deliveries returns every arrival of a copy, in the order of their places.
func (v Arrivals) Deliveries(ctx context.Context, ref facts.Ref) ([]facts.Delivery, error) {
	table, column, number := "events", "event", int64(ref)
	if ref < 0 {
		table, column, number = "variants", "variant", -number
	}
	const columns = " SELECT container, offset, length, record, batch, observed_at FROM "
	query := "WITH d AS (" + columns + table + " WHERE " + column + " = ? UNION ALL" + columns +
		"deliveries WHERE event = ?)" +
		` SELECT c.source, c.path, d.offset, d.length, d.record, coalesce(b.ids, ''), coalesce(d.observed_at, 0)
		FROM d JOIN containers c USING (container) JOIN sources s USING (source) LEFT JOIN batches b USING (batch)` +
		placeOrder
	return collect(rows(ctx, v.c, ask(query, number, int64(ref)), func(s *sqlite.Stmt) (facts.Delivery, error) {
		place, err := readPlace(s)
		if err != nil {
			return facts.Delivery{}, err
		}
		batches, err := facts.ParseBatches(s.Text(5))
		return facts.Delivery{Place: place, Batches: batches, ObservedAt: s.Int(6)}, err
	}))
}

// word returns an entry of the dictionary of types and key ids.
func (c *Case) word(r *sqlite.Conn, number int64) (string, error) {
	c.mu.Lock()
	text, ok := c.words[number]
	c.mu.Unlock()
	if ok {
		return text, nil
	}
	err := r.Each("SELECT text FROM words WHERE word = ?", []any{number}, func(s *sqlite.Stmt) error {
		text = s.Text(0)
		return nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.words) >= namesKept {
		clear(c.words)
	}
	c.words[number] = text
	return text, err
}

func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func hashOf(b []byte) (h chain.Hash) {
	copy(h[:], b)
	return h
}
