package sqlitefile

import (
	"slices"
	"strings"
)

// column is a column of a table as its declaration says.
type column struct {
	name    string
	integer bool // its type is INTEGER, and nothing else
	key     bool // it is declared as the primary key
	virtual bool // it is generated, and not stored
}

// declaration is what a CREATE TABLE says of the columns.
type declaration struct {
	columns []column
	key     []string // the columns of a primary key that is declared by itself
	rowless bool     // WITHOUT ROWID
}

// Bounds on what is read of a declaration; the engine has at most as many columns.
const (
	mostColumns = 32767
	mostKeys    = 64
)

// parse reads a CREATE TABLE as SQLite stores it. ok is false if it is none.
func parse(sql string) (d declaration, ok bool) {
	words := tokens(sql)
	open := slices.Index(words, "(")
	if len(words) < 3 || open < 0 || !strings.EqualFold(words[0], "CREATE") || !strings.EqualFold(words[1], "TABLE") {
		return d, false
	}
	words = words[open+1:]
	for len(words) > 0 && len(d.columns) < mostColumns {
		part, rest, last := upToComma(words)
		d.add(part)
		if words = rest; last {
			break
		}
	}
	for i := range words {
		if i > 0 && strings.EqualFold(words[i-1], "WITHOUT") && strings.EqualFold(words[i], "ROWID") {
			d.rowless = true
		}
	}
	return d, len(d.columns) > 0
}

// upToComma returns what is before the next comma or closing bracket of this level.
func upToComma(words []string) (part, rest []string, last bool) {
	depth := 0
	for i, word := range words {
		switch {
		case word == "(":
			depth++
		case word == ")" && depth == 0:
			return words[:i], words[i+1:], true
		case word == ")":
			depth--
		case word == "," && depth == 0:
			return words[:i], words[i+1:], false
		}
	}
	return words, nil, true
}

// add reads a definition of a column, or a constraint of the table.
func (d *declaration) add(part []string) {
	if len(part) == 0 {
		return
	}
	upper := make([]string, len(part))
	for i, word := range part {
		upper[i] = strings.ToUpper(word)
	}
	switch upper[0] {
	case "CONSTRAINT", "UNIQUE", "CHECK", "FOREIGN", "PRIMARY":
		d.constraint(part, upper)
		return
	}
	c := column{name: unquoted(part[0])}
	c.integer = len(upper) > 1 && upper[1] == "INTEGER" && (len(upper) < 3 || !isType(upper[2]))
	for i, word := range upper {
		switch {
		case word == "PRIMARY":
			c.key = true
			c.integer = c.integer && !(i+2 < len(upper) && upper[i+2] == "DESC")
		case word == "AS" && i > 0:
			c.virtual = upper[len(upper)-1] != "STORED"
		}
	}
	d.columns = append(d.columns, c)
}

// isType reports whether a word behind the first word of a type is a part of it.
func isType(word string) bool {
	return !slices.Contains([]string{"CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE",
		"REFERENCES", "GENERATED", "AS"}, word)
}

// constraint reads a primary key that is declared by itself.
func (d *declaration) constraint(part, upper []string) {
	at := slices.Index(upper, "PRIMARY")
	if at < 0 || at+2 >= len(part) || part[at+2] != "(" || upper[at+1] != "KEY" {
		return
	}
	for words := part[at+3:]; len(words) > 0 && len(d.key) < mostKeys; {
		one, rest, last := upToComma(words)
		if len(one) > 0 {
			d.key = append(d.key, unquoted(one[0]))
		}
		if words = rest; last {
			return
		}
	}
}

// alias returns the column that is another name of the number of a row, -1 if there
// is none. Its value is not stored.
func (d *declaration) alias() int {
	return slices.IndexFunc(d.columns, func(c column) bool {
		return !d.rowless && c.integer && (c.key || len(d.key) == 1 && strings.EqualFold(d.key[0], c.name))
	})
}

// stored returns the columns in the order in which rows have them: without row
// numbers, those of the key come first.
func (d *declaration) stored() []string {
	var keys, others []string
	for _, c := range d.columns {
		isKey := c.key || slices.ContainsFunc(d.key, func(k string) bool { return strings.EqualFold(k, c.name) })
		switch {
		case c.virtual:
		case d.rowless && isKey:
			keys = append(keys, c.name)
		default:
			others = append(others, c.name)
		}
	}
	if len(d.key) == len(keys) && d.rowless {
		keys = d.key
	}
	return append(slices.Clone(keys), others...)
}

// tokens cuts SQL into words, quoted names, strings, brackets and commas. Comments
// and the rest are left out.
func tokens(sql string) (all []string) {
	for i := 0; i < len(sql); {
		c := sql[i]
		end := i + 1
		switch {
		case strings.HasPrefix(sql[i:], "--"):
			i += len(line(sql[i:]))
			continue
		case strings.HasPrefix(sql[i:], "/*"):
			_, rest, _ := strings.Cut(sql[i+2:], "*/")
			i = len(sql) - len(rest)
			continue
		case c == '"' || c == '\'' || c == '`':
			end = i + quotedSize(sql[i:], c)
		case c == '[':
			end = i + quotedSize(sql[i:], ']')
		case isWord(c):
			for end < len(sql) && isWord(sql[end]) {
				end++
			}
		case c != '(' && c != ')' && c != ',':
			i++
			continue
		}
		all = append(all, sql[i:end])
		i = end
	}
	return all
}

func line(s string) string {
	before, _, _ := strings.Cut(s, "\n")
	return before
}

func isWord(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// quotedSize returns the size of what begins with a quote, up to the closing one,
// which is doubled within.
func quotedSize(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] == quote {
			if i+1 == len(s) || s[i+1] != quote || quote == ']' {
				return i + 1
			}
			i++
		}
	}
	return len(s)
}

// unquoted returns a name without its quotes.
func unquoted(word string) string {
	if len(word) < 2 || strings.IndexByte("\"'`[", word[0]) < 0 {
		return word
	}
	inside := word[1 : len(word)-1]
	if word[0] == '[' {
		return inside
	}
	q := word[:1]
	return strings.ReplaceAll(inside, q+q, q)
}
