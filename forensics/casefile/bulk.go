package casefile

import "strings"

// bulkRows is how many rows one INSERT takes. Measured: from 25 to 50 rows the
// cost of a row is at its lowest.
const bulkRows = 32

// bulk collects rows of one table and inserts them many at a time.
type bulk[T any] struct {
	many, one *stmt
	columns   int
	bind      func(s *stmt, base int, row *T)
	pending   []T
}

// newBulk prepares an INSERT for rows of the given number of columns. OR
// ROLLBACK: a statement of many rows that could fail by itself, and leave the
// transaction open, would first save every page that it changes.
func newBulk[T any](c *conn, table string, columns int, bind func(*stmt, int, *T)) (*bulk[T], error) {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + ")"
	insert := "INSERT OR ROLLBACK INTO " + table + " VALUES " + row
	one, err := c.prepare(insert)
	if err != nil {
		return nil, err
	}
	many, err := c.prepare(insert + strings.Repeat(","+row, bulkRows-1))
	if err != nil {
		one.close()
		return nil, err
	}
	return &bulk[T]{many: many, one: one, columns: columns, bind: bind, pending: make([]T, 0, bulkRows)}, nil
}

func (b *bulk[T]) add(row T) error {
	b.pending = append(b.pending, row)
	if len(b.pending) < bulkRows {
		return nil
	}
	for i := range b.pending {
		b.bind(b.many, i*b.columns, &b.pending[i])
	}
	b.pending = b.pending[:0]
	return b.many.do()
}

// flush inserts what is pending.
func (b *bulk[T]) flush() error {
	for i := range b.pending {
		b.bind(b.one, 0, &b.pending[i])
		if err := b.one.do(); err != nil {
			return err
		}
	}
	b.pending = b.pending[:0]
	return nil
}

func (b *bulk[T]) close() {
	if b != nil {
		b.many.close()
		b.one.close()
	}
}
