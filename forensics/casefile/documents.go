package casefile

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Documents yields the bundles and checkpoints of the case, ascending by
// digest, each with every place where it was found.
func (c *Case) Documents(ctx context.Context) iter.Seq2[facts.Document, error] {
	const query = "SELECT sha256, kind, bytes, document FROM documents ORDER BY sha256"
	return rows(ctx, c, ask(query), func(s *sqlite.Stmt) (facts.Document, error) {
		d := facts.Document{Kind: s.Text(1), Bytes: []byte(s.Text(2))}
		copy(d.SHA256[:], s.Blob(0))
		number := s.Int(3)
		var err error
		for place, fault := range rows(ctx, c, ask(placesOf("document_places")+" WHERE d.document = ?"+placeOrder, number),
			readPlace) {
			if err = fault; err != nil {
				break
			}
			d.Places = append(d.Places, place)
		}
		return d, err
	})
}

// placesOf is a query for places in a table that has the columns of one.
func placesOf(table string) string {
	return "SELECT c.source, c.path, d.offset, d.length, d.record FROM " + table +
		" d JOIN containers c USING (container) JOIN sources s USING (source)"
}

// placeOrder is an order that does not depend on how the case was filled.
const placeOrder = " ORDER BY coalesce(s.sha256, s.read_sha256), c.path, d.record"

func readPlace(s *sqlite.Stmt) (facts.Place, error) {
	return facts.Place{Source: s.Int(0), Container: s.Text(1), Offset: s.Int(2), Length: s.Int(3), Record: s.Int(4)}, nil
}

// query is a question to the case, with its arguments.
type query struct {
	sql  string
	args []any
}

func ask(sql string, args ...any) query { return query{sql, args} }

// rows runs a query on a connection of its own and yields what read makes of
// each row.
func rows[T any](ctx context.Context, c *Case, q query, read func(*sqlite.Stmt) (T, error)) iter.Seq2[T, error] {
	return stream(func(yield func(T, error) bool) error {
		return c.read(func(r *sqlite.Conn) error {
			return r.Each(q.sql, q.args, func(s *sqlite.Stmt) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				v, err := read(s)
				if err == nil && !yield(v, nil) {
					err = errStop
				}
				return err
			})
		})
	})
}
