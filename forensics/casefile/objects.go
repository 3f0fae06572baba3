package casefile

import (
	"cmp"
	"slices"
)

// object is one entry of a schema.
type object struct{ kind, name, table, sql string }

// objects returns the schema of a connection, ascending.
func (c *conn) objects() ([]object, error) {
	var all []object
	err := c.each("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema", nil, func(s *stmt) error {
		all = append(all, object{s.columnText(0), s.columnText(1), s.columnText(2), s.columnText(3)})
		return nil
	})
	slices.SortFunc(all, func(a, b object) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind)) })
	return all, err
}
