package store

import (
	"context"
	"iter"
)

// First is how an event first arrived: what there is to say of its way without
// looking at the event itself.
type First struct {
	Ref        Ref
	Sequence   uint64
	OccurredAt int64 // milliseconds since 1970, by the clock of the log's owner
	ObservedAt int64 // nanoseconds since 1970, by the clock of a collector; 0 if unknown
	Fidelity   Fidelity
	Container  int64 // as in [Case.ContainerSources]
	Record     int64
	Referred   bool // the event is not in the case but in the source's file
}

// Firsts yields the first arrival of every sequence of a log, ascending. Copies
// that differ from the one that came first are not among them.
func (c *Case) Firsts(ctx context.Context, log Log) iter.Seq2[First, error] {
	const query = `SELECT event, occurred_at, coalesce(observed_at, 0), fidelity, container, record, block IS NULL
		FROM events WHERE event BETWEEN ? AND ? ORDER BY event`
	return rows(ctx, c, askLog(query, log), func(s *stmt) (First, error) {
		n := s.columnInt(0)
		return First{Ref(n), uint64(n) & maxSequence, s.columnInt(1), s.columnInt(2), Fidelity(s.columnInt(3)), s.columnInt(4), s.columnInt(5), s.columnInt(6) == 1}, nil
	})
}

// askLog asks about the packed events of a log.
func askLog(sql string, log Log) query {
	return ask(sql, packedBounds(log, 0, maxSequence)...)
}

// ContainerSources returns the source of each container: of itself, or of a file
// in its archives. Containers have numbers that mean something within this case
// only.
func (c *Case) ContainerSources(ctx context.Context) (map[int64]int64, error) {
	sources := map[int64]int64{}
	read := func(s *stmt) ([2]int64, error) { return [2]int64{s.columnInt(0), s.columnInt(1)}, nil }
	for row, err := range rows(ctx, c, ask("SELECT container, source FROM containers"), read) {
		if err != nil {
			return nil, err
		}
		sources[row[0]] = row[1]
	}
	return sources, nil
}

// Again is a further arrival of an event, beside the first.
type Again struct {
	Ref                       Ref
	Sequence                  uint64
	Source, FirstSource       int64
	Record, FirstRecord       int64
	Batch, FirstBatch         int64 // equal for equal batch ids; 0 without any
	ObservedAt, FirstObserved int64 // nanoseconds since 1970; 0 if unknown
}

// Redeliveries yields every further arrival of the events of a log, ascending by
// sequence and place.
func (c *Case) Redeliveries(ctx context.Context, log Log) iter.Seq2[Again, error] {
	const query = `SELECT d.event, dc.source, ec.source, d.record, e.record, coalesce(d.batch, 0), coalesce(e.batch, 0),
		coalesce(d.observed_at, 0), coalesce(e.observed_at, 0)
		FROM deliveries d CROSS JOIN events e ON e.event = d.event
		JOIN containers dc ON dc.container = d.container JOIN containers ec ON ec.container = e.container
		WHERE d.event BETWEEN ? AND ? ORDER BY d.event`
	return rows(ctx, c, askLog(query, log), func(s *stmt) (Again, error) {
		n := s.columnInt(0)
		return Again{Ref(n), uint64(n) & maxSequence, s.columnInt(1), s.columnInt(2), s.columnInt(3), s.columnInt(4),
			s.columnInt(5), s.columnInt(6), s.columnInt(7), s.columnInt(8)}, nil
	})
}

// Repeated yields the transactions of which a log holds events of a type under
// more than one sequence, ascending.
func (c *Case) Repeated(ctx context.Context, log Log, eventType string) iter.Seq2[string, error] {
	const query = `WITH one (id, sequence) AS (
		  SELECT transaction_id, event & ? FROM events NOT INDEXED JOIN words ON word = type
		  WHERE event BETWEEN ? AND ? AND text = ? AND transaction_id IS NOT NULL
		  UNION SELECT transaction_id, sequence FROM variants JOIN words ON word = type
		  WHERE log = ? AND text = ? AND transaction_id IS NOT NULL)
		SELECT id FROM one GROUP BY id HAVING count(*) > 1 ORDER BY id`
	first, last := packedRange(log, 0, maxSequence)
	return rows(ctx, c, ask(query, int64(maxSequence), first, last, eventType, log.Number, eventType),
		func(s *stmt) (string, error) { return s.columnText(0), nil })
}

// GivenPath is a place where a source was given.
type GivenPath struct {
	Source   int64
	Path     string // as it was given
	Absolute string // "" for a stream
}

// GivenPaths returns where the sources were given, ascending by place and source.
func (c *Case) GivenPaths(ctx context.Context) ([]GivenPath, error) {
	const query = "SELECT p.source, path, absolute FROM paths p JOIN sources s USING (source) ORDER BY absolute, coalesce(s.sha256, s.read_sha256), path"
	return collect(rows(ctx, c, ask(query), func(s *stmt) (GivenPath, error) {
		return GivenPath{s.columnInt(0), s.columnText(1), s.columnText(2)}, nil
	}))
}
