package sqlitefile

import "strings"

// Table is an ordinary table.
type Table struct {
	Name    string
	Columns []string // in the order of the values of a row; more values than columns have no names

	root    uint32
	alias   int // the column that is the number of the row; -1 for none
	rowless bool
}

// Damage is told of damage: the page, its octets or those of the row, nil if they are
// not there, and what is wrong. An error ends the reading.
type Damage func(page uint32, octets []byte, what string) error

// The columns of the schema, and bounds on one.
const (
	schemaColumns = 5
	mostSQL       = 1 << 20
	mostTables    = 1 << 16
)

// Tables reads the schema, which is the tree of the first page. Tables whose
// declaration is not understood are returned without columns.
func (f *File) Tables(told Damage) (all []Table, err error) {
	var values []Value
	w := &walk{File: f, table: true, damage: told}
	w.row = func(_ int64, payload []byte) error {
		var sound bool
		values, sound = f.record(payload, values[:0])
		if !sound || len(values) < schemaColumns {
			return damage{"a damaged row of the schema"}
		}
		if string(values[0].Bytes) != "table" || values[3].Kind != Int || values[3].Int <= 0 || values[3].Int >= 1<<32 {
			return nil
		}
		if len(all) == mostTables || len(values[4].Bytes) > mostSQL {
			return damage{"a schema larger than the limit"}
		}
		if t, ok := newTable(values); ok {
			all = append(all, t)
		}
		return nil
	}
	return all, w.below(1, 0)
}

// newTable makes a table of a row of the schema. ok is false for what is no ordinary
// one.
func newTable(values []Value) (Table, bool) {
	t := Table{Name: string(values[1].Bytes), root: uint32(values[3].Int), alias: -1}
	sql := string(values[4].Bytes)
	if strings.HasPrefix(t.Name, "sqlite_") {
		return t, false // the engine's own
	}
	if d, ok := parse(sql); ok {
		t.Columns, t.alias, t.rowless = d.stored(), d.alias(), d.rowless
		if t.alias >= 0 { // among those that are stored
			name := d.columns[t.alias].name
			for i, c := range t.Columns {
				if c == name {
					t.alias = i
				}
			}
		}
	}
	return t, true
}

// Rows calls do with the values of each row, which are valid until it returns. A row
// has fewer values than columns if columns were added after it. A damaged row, or
// page, is told.
func (f *File) Rows(t Table, do func([]Value) error, told Damage) error {
	var values []Value
	w := &walk{File: f, table: !t.rowless, damage: told}
	w.row = func(number int64, payload []byte) error {
		var sound bool
		values, sound = f.record(payload, values[:0])
		if t.alias >= 0 && t.alias < len(values) && values[t.alias].Kind == Null {
			values[t.alias] = Value{Kind: Int, Int: number}
		}
		if !sound {
			return damage{"a damaged row"}
		}
		return do(values)
	}
	return w.below(t.root, 0)
}

// Root returns the number of the page at which the rows of the table begin.
func (t Table) Root() uint32 { return t.root }
