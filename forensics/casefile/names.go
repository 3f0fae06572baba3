package casefile

// namesKept bounds what a dictionary keeps in memory: evidence can hold more
// names than memory does, the usual one has a handful.
const namesKept = 1 << 16

// names is a dictionary table of the case: texts to row numbers.
type names struct {
	find, add *stmt
	known     map[string]int64
	next      int64
}

// newNames opens a dictionary whose columns are a number and a text.
func newNames(c *conn, table, number, text string) (*names, error) {
	last, err := c.number("SELECT coalesce(max(" + number + "), 0) FROM " + table)
	if err != nil {
		return nil, err
	}
	n := &names{known: map[string]int64{}, next: last + 1}
	if n.find, err = c.prepare("SELECT " + number + " FROM " + table + " WHERE " + text + " = ?"); err != nil {
		return nil, err
	}
	if n.add, err = c.prepare("INSERT INTO " + table + " VALUES (?, ?)"); err != nil {
		n.find.close()
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
	n.find.text(0, name)
	found, err := n.find.step()
	number := n.next
	if found {
		number = n.find.columnInt(0)
	}
	n.find.reset()
	if err != nil {
		return 0, err
	}
	if !found {
		n.next++
		n.add.int(0, number)
		n.add.text(1, name)
		if err := n.add.do(); err != nil {
			return 0, err
		}
	}
	n.known[name] = number
	return number, nil
}

func (n *names) close() {
	if n != nil {
		n.find.close()
		n.add.close()
	}
}
