package sqlite

import "strings"

// bulkRows is how many rows one INSERT takes. Measured: from 25 to 50 rows the
// cost of a row is at its lowest.
const bulkRows = 32

// Parameters lists the parameters of one row of an INSERT, in parentheses.
func Parameters(columns int) string {
	return "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + ")"
}

// Bulk collects rows of one table and inserts them many at a time.
type Bulk[T any] struct {
	many, one *Stmt
	columns   int
	bind      func(s *Stmt, base int, row *T)
	pending   []T
}

// NewBulk prepares an INSERT for rows of the given number of columns. OR
// ROLLBACK: a statement of many rows that could fail by itself, and leave the
// transaction open, would first save every page that it changes.
func NewBulk[T any](c *Conn, table string, columns int, bind func(*Stmt, int, *T)) (*Bulk[T], error) {
	row := Parameters(columns)
	insert := "INSERT OR ROLLBACK INTO " + table + " VALUES " + row
	one, err := c.Prepare(insert)
	if err != nil {
		return nil, err
	}
	many, err := c.Prepare(insert + strings.Repeat(","+row, bulkRows-1))
	if err != nil {
		one.Close()
		return nil, err
	}
	return &Bulk[T]{many: many, one: one, columns: columns, bind: bind, pending: make([]T, 0, bulkRows)}, nil
}

// Pending returns the rows that were added and not yet inserted.
func (b *Bulk[T]) Pending() []T { return b.pending }

// Add adds a row. It inserts the pending rows once there are enough of them.
func (b *Bulk[T]) Add(row T) error {
	b.pending = append(b.pending, row)
	if len(b.pending) < bulkRows {
		return nil
	}
	for i := range b.pending {
		b.bind(b.many, i*b.columns, &b.pending[i])
	}
	b.pending = b.pending[:0]
	return b.many.Do()
}

// Flush inserts the pending rows.
func (b *Bulk[T]) Flush() error {
	for i := range b.pending {
		b.bind(b.one, 0, &b.pending[i])
		if err := b.one.Do(); err != nil {
			return err
		}
	}
	b.pending = b.pending[:0]
	return nil
}

// Close closes the statements. It does nothing for a nil Bulk.
func (b *Bulk[T]) Close() {
	if b != nil {
		b.many.Close()
		b.one.Close()
	}
}
