package casefile

import "github.com/svc-edge/svc-verify/internal/sqlite"

// namesKept bounds what a dictionary keeps in memory: evidence can hold more
// names than memory does, the usual one has a handful.
const namesKept = 1 << 16

// names is a dictionary table of the case: texts to row numbers.
type names struct {
	find, add *sqlite.Stmt
	known     map[string]int64
	next      int64
}

// newNames opens a dictionary whose columns are a number and a text.
func newNames(c *sqlite.Conn, table, number, text string) (*names, error) {
	last, err := c.Number("SELECT coalesce(max(" + number + "), 0) FROM " + table)
	if err != nil {
		return nil, err
	}
	n := &names{known: map[string]int64{}, next: last + 1}
	if n.find, err = c.Prepare("SELECT " + number + " FROM " + table + " WHERE " + text + " = ?"); err != nil {
		return nil, err
	}
	if n.add, err = c.Prepare("INSERT INTO " + table + " VALUES (?, ?)"); err != nil {
		n.find.Close()
		return nil, err
	}
	return n, nil
}

// number returns the number of a text, and gives it one if it is new.
func (n *names) number(text []byte) (int64, error) {
	if number, ok := n.known[string(text)]; ok {
		return number, nil
	}
	if len(n.known) >= namesKept {
		clear(n.known)
	}
	name := string(text)
	n.find.BindText(0, name)
	found, err := n.find.Step()
	number := n.next
	if found {
		number = n.find.Int(0)
	}
	n.find.Reset()
	if err != nil {
		return 0, err
	}
	if !found {
		n.next++
		n.add.BindInt(0, number)
		n.add.BindText(1, name)
		if err := n.add.Do(); err != nil {
			return 0, err
		}
	}
	n.known[name] = number
	return number, nil
}

func (n *names) close() {
	if n != nil {
		n.find.Close()
		n.add.Close()
	}
}
