package casefile

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Filter selects events; the zero value selects all.
type Filter struct {
	TenantID, LogID string // "" for any
	Type            string
	TransactionID   string
	First, Last     uint64    // sequences, both included; Last 0 for no end
	From, To        time.Time // when it occurred, From included and To not; zero for no bound
}

// Bounds returns the range of sequences that the filter selects.
func (f Filter) Bounds() (first, last uint64) {
	if f.Last == 0 {
		return f.First, math.MaxInt64
	}
	return f.First, f.Last
}

// Wants reports whether the filter selects events of a log.
func (f Filter) Wants(log Log) bool {
	return (f.TenantID == "" || f.TenantID == log.TenantID) && (f.LogID == "" || f.LogID == log.LogID)
}

// During reports whether the filter selects a time, in milliseconds since 1970.
func (f Filter) During(at int64) bool {
	return (f.From.IsZero() || at >= f.From.UnixMilli()) && (f.To.IsZero() || at < f.To.UnixMilli())
}

// Selected is one copy of an event that a [Filter] selects, and its log.
type Selected struct {
	Log Log
	facts.Event
	Found facts.Place // the first of its deliveries; zero in a case
	Kept  KeptCopy
}

// KeptCopy is what a store keeps of a copy beside the event.
type KeptCopy struct {
	Size   int64    // octets of the body
	Body   []byte   // what the body is made of
	Digest [16]byte // the first octets of [facts.Event.Digest]
}

// Select yields all copies of every sequence that has a matching copy, ascending by
// tenant, log, sequence and digest. It includes copies that do not match, because
// an examiner of an event needs to see what else claims its sequence.
func (c *Case) Select(ctx context.Context, f Filter) iter.Seq2[Selected, error] {
	return func(yield func(Selected, error) bool) {
		logs, err := c.Logs(ctx)
		for _, log := range logs {
			if !f.Wants(log) {
				continue
			}
			for e, fault := range selectIn(ctx, c, log, f) {
				if !yield(Selected{Log: log, Event: e}, fault) || fault != nil {
					return
				}
			}
		}
		if err != nil {
			yield(Selected{}, err)
		}
	}
}

// selectIn is Select within one log.
func selectIn(ctx context.Context, c *Case, log Log, f Filter) iter.Seq2[facts.Event, error] {
	first, last := f.Bounds()
	if f.Type == "" && f.TransactionID == "" && f.From.IsZero() && f.To.IsZero() {
		return c.Events(ctx, log, first, last)
	}
	return stream(func(yield func(facts.Event, error) bool) error {
		return c.read(func(r *sqlite.Conn) error {
			m, err := openMerge(c, r)
			if err != nil {
				return err
			}
			defer m.close()
			for run, err := range stretches(selectedSequences(ctx, c, log, f)) {
				if err != nil {
					return err
				}
				m.at(log.Number, run)
				if err := m.run(ctx, byValue(yield)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// selectedSequences yields the sequences of a log of which any copy is asked for,
// ascending; one may come more than once.
func selectedSequences(ctx context.Context, c *Case, log Log, f Filter) iter.Seq2[uint64, error] {
	condition, args := f.condition()
	first, last := f.Bounds()
	packed := append([]any{int64(maxSequence)}, packedBounds(log, first, last)...)
	events := ask("SELECT event & ? FROM events WHERE "+inEvents+condition+" ORDER BY event", append(packed, args...)...)
	variants := ask("SELECT sequence FROM variants WHERE "+inVariants+condition+" ORDER BY sequence",
		append([]any{log.Number, clamp(first), clamp(last)}, args...)...)
	return ascending(rows(ctx, c, events, readSequence), rows(ctx, c, variants, readSequence))
}

// condition returns what a copy must fulfil, as SQL.
func (f Filter) condition() (sql string, args []any) {
	if f.Type != "" {
		sql, args = sql+" AND type = (SELECT word FROM words WHERE text = ?)", append(args, f.Type)
	}
	if f.TransactionID != "" {
		sql, args = sql+" AND transaction_id = ?", append(args, f.TransactionID)
	}
	if !f.From.IsZero() {
		sql, args = sql+" AND occurred_at >= ?", append(args, f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		sql, args = sql+" AND occurred_at < ?", append(args, f.To.UnixMilli())
	}
	return sql, args
}

func readSequence(s *sqlite.Stmt) (uint64, error) { return uint64(s.Int(0)), nil }

// clamp makes a sequence one that the engine can compare with.
func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// packedRange returns the first and the last row of events within sequences of a
// log; nothing lies between them where there can be none.
func packedRange(log Log, first, last uint64) (from, to int64) {
	if log.Number > maxLog || first > maxSequence {
		return 1, 0
	}
	base := log.Number << sequenceBits
	return base | int64(first), base | int64(min(last, maxSequence))
}

// packedBounds is packedRange as arguments of a query.
func packedBounds(log Log, first, last uint64) []any {
	from, to := packedRange(log, first, last)
	return []any{from, to}
}

// Find yields the copies of events that have a hash written in them. It reads every
// event of the case.
func (c *Case) Find(ctx context.Context, hash [32]byte) iter.Seq2[Selected, error] {
	return func(yield func(Selected, error) bool) {
		logs, err := c.Logs(ctx)
		for _, log := range logs {
			const of = " AND hash = ? ORDER BY 1"
			events := ask("SELECT event & ? FROM events WHERE event BETWEEN ? AND ?"+of,
				append(append([]any{int64(maxSequence)}, packedBounds(log, 0, maxSequence)...), hash[:])...)
			variants := ask("SELECT sequence FROM variants WHERE log = ?"+of, log.Number, hash[:])
			found := stretches(ascending(rows(ctx, c, events, readSequence), rows(ctx, c, variants, readSequence)))
			for run, fault := range found {
				if fault != nil {
					yield(Selected{}, fault)
					return
				}
				for e, fault := range c.Events(ctx, log, run.First, run.Last) {
					if !yield(Selected{Log: log, Event: e}, fault) || fault != nil {
						return
					}
				}
			}
		}
		if err != nil {
			yield(Selected{}, err)
		}
	}
}

// Around returns the neighbours of a range of a log: the last event below first and
// the first event above last. If a sequence has several copies, it returns the
// first. If there is no such event, its Ref is 0.
func (c *Case) Around(ctx context.Context, log Log, first, last uint64) (before, after facts.Event, err error) {
	below, err := answer(ctx, c, log, edge{"max", 0, first - min(first, 1)})
	if err != nil {
		return before, after, err
	}
	above, err := answer(ctx, c, log, edge{"min", last + 1, math.MaxInt64})
	if err != nil {
		return before, after, err
	}
	if before, err = firstCopy(ctx, c, log, below); err != nil {
		return before, after, err
	}
	after, err = firstCopy(ctx, c, log, above)
	return before, after, err
}

// edge is a question for the highest or the lowest sequence of a range.
type edge struct {
	of          string // max or min
	first, last uint64
}

// answer answers an edge; 0 if the range is empty.
func answer(ctx context.Context, c *Case, log Log, e edge) (uint64, error) {
	query := "SELECT coalesce(" + e.of + "(n), 0) FROM (" +
		"SELECT " + e.of + "(event) & ? AS n FROM events WHERE " + inEvents +
		" UNION ALL SELECT " + e.of + "(sequence) FROM variants WHERE " + inVariants + ")"
	args := append(append([]any{int64(maxSequence)}, packedBounds(log, e.first, e.last)...), log.Number, clamp(e.first),
		clamp(e.last))
	all, err := collect(rows(ctx, c, ask(query, args...), readSequence))
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0], nil
}

// firstCopy returns the first copy of a sequence; none of sequence 0.
func firstCopy(ctx context.Context, c *Case, log Log, sequence uint64) (facts.Event, error) {
	if sequence == 0 {
		return facts.Event{}, nil
	}
	for e, err := range c.Events(ctx, log, sequence, sequence) {
		return e, err
	}
	return facts.Event{}, nil
}
