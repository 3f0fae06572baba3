package casefile

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// askLog asks about the packed events of a log.
func askLog(sql string, log Log) query {
	return ask(sql, packedBounds(log, 0, maxSequence)...)
}

// SourceContainer is a source, or a file in an archive of it.
type SourceContainer struct {
	Container, Source int64
	Path              string // of the file in the archive, "" for the source
	Format            string
}

// Containers returns all containers, by number.
func (v Arrivals) Containers(ctx context.Context) ([]SourceContainer, error) {
	read := func(s *sqlite.Stmt) (SourceContainer, error) {
		return SourceContainer{s.Int(0), s.Int(1), s.Text(2), s.Text(3)}, nil
	}
	return collect(rows(ctx, v.c, ask("SELECT container, source, path, format FROM containers ORDER BY container"), read))
}

// Repeated yields, ascending, the transactions that have events of a type under
// more than one sequence of a log.
func (c *Case) Repeated(ctx context.Context, log Log, eventType string) iter.Seq2[string, error] {
	const query = `WITH one (id, sequence) AS (
		  SELECT transaction_id, event & ? FROM events NOT INDEXED JOIN words ON word = type
		  WHERE event BETWEEN ? AND ? AND text = ? AND transaction_id IS NOT NULL
		  UNION SELECT transaction_id, sequence FROM variants JOIN words ON word = type
		  WHERE log = ? AND text = ? AND transaction_id IS NOT NULL)
		SELECT id FROM one GROUP BY id HAVING count(*) > 1 ORDER BY id`
	first, last := packedRange(log, 0, maxSequence)
	return rows(ctx, c, ask(query, int64(maxSequence), first, last, eventType, log.Number, eventType),
		func(s *sqlite.Stmt) (string, error) { return s.Text(0), nil })
}

// Late yields, ascending, the transactions of a log that have an event of one of
// the types after an event of lastType, which should be their last.
func (c *Case) Late(ctx context.Context, log Log, lastType string, types []string) iter.Seq2[string, error] {
	const query = `WITH one (id, sequence, done) AS (
		  SELECT transaction_id, event & ?1, text = ?4 FROM events NOT INDEXED JOIN words ON word = type
		  WHERE event BETWEEN ?2 AND ?3 AND (text = ?4 OR text IN (SELECT value FROM json_each(?5)))
			AND transaction_id IS NOT NULL
		  UNION ALL SELECT transaction_id, sequence, text = ?4 FROM variants JOIN words ON word = type
		  WHERE log = ?6 AND (text = ?4 OR text IN (SELECT value FROM json_each(?5))) AND transaction_id IS NOT NULL)
		SELECT id FROM one GROUP BY id
		HAVING min(CASE WHEN done THEN sequence END) < max(CASE WHEN NOT done THEN sequence END) ORDER BY id`
	among, err := json.Marshal(types)
	if err != nil {
		panic(err) // strings
	}
	first, last := packedRange(log, 0, maxSequence)
	return rows(ctx, c, ask(query, int64(maxSequence), first, last, lastType, string(among), log.Number),
		func(s *sqlite.Stmt) (string, error) { return s.Text(0), nil })
}

// GivenPath is a place where a source was given.
type GivenPath struct {
	Source   int64
	Path     string // as it was given
	Absolute string // "" for a stream
}

// Paths returns where the sources were given, ascending by place and source.
func (v Arrivals) Paths(ctx context.Context) ([]GivenPath, error) {
	const query = "SELECT p.source, path, absolute FROM paths p JOIN sources s USING (source) " +
		"ORDER BY absolute, coalesce(s.sha256, s.read_sha256), path"
	return collect(rows(ctx, v.c, ask(query), func(s *sqlite.Stmt) (GivenPath, error) {
		return GivenPath{s.Int(0), s.Text(1), s.Text(2)}, nil
	}))
}
