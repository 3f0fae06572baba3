package sqlite

import (
	"cmp"
	"slices"
)

// Object is one entry of a schema.
type Object struct{ Kind, Name, Table, SQL string }

// Objects returns the entries of the schema, ascending by name and kind.
func (c *Conn) Objects() ([]Object, error) {
	var all []Object
	err := c.Each("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema", nil, func(s *Stmt) error {
		all = append(all, Object{s.Text(0), s.Text(1), s.Text(2), s.Text(3)})
		return nil
	})
	slices.SortFunc(all, func(a, b Object) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind)) })
	return all, err
}
