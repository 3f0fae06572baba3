package ledger

import (
	"bytes"
	"strings"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/trust"
)

// The kinds of names. Each is the first octet of its value.
const (
	contextName byte = 'c' // digests of trust file and policy, and the rules
	headName    byte = 'j' // kind, verdict and code of a judgement, separated by NUL
	keyName     byte = 'k' // role and id of a key, separated by NUL
	textName    byte = 't'
)

// name is a value that many entries have.
type name struct {
	kind                byte
	text, second, third string // what it is made of
	key                 object.KeyRef
	context             object.Context
}

// The value of what is empty is nil, and its number 0.

func ofContext(c object.Context) []byte {
	if c == (object.Context{}) {
		return nil
	}
	b := append([]byte{contextName}, c.Trust[:]...)
	return append(append(b, c.Policy[:]...), c.Rules...)
}

func ofHead(j *object.Judgement) []byte {
	return []byte(string(headName) + string(j.Kind) + "\x00" + string(j.Verdict) + "\x00" + string(j.Code))
}

func ofKey(k object.KeyRef) []byte {
	return []byte(string(keyName) + string(k.Role) + "\x00" + k.ID)
}

func ofText(s string) []byte {
	if s == "" {
		return nil
	}
	return append([]byte{textName}, cut(s)...)
}

// parseName reads the value of a name; false if it has not its form.
func parseName(value []byte) (n name, ok bool) {
	if len(value) == 0 {
		return n, false
	}
	n.kind, n.text, ok = value[0], string(value[1:]), true
	switch n.kind {
	case contextName:
		const digests = 2 * len(n.context.Trust)
		if ok = len(value) > digests; ok {
			copy(n.context.Trust[:], value[1:])
			copy(n.context.Policy[:], value[1+len(n.context.Trust):])
			n.context.Rules = n.text[digests:]
		}
	case headName:
		parts := strings.Split(n.text, "\x00")
		if ok = len(parts) == 3; ok {
			n.text, n.second, n.third = parts[0], parts[1], parts[2]
		}
	case keyName:
		role, id, found := strings.Cut(n.text, "\x00")
		n.key, ok = object.KeyRef{Role: trust.Role(role), ID: id}, found
	}
	return n, ok
}

// The names that are kept in memory are bounded, in their number and in their octets.
const (
	mostNames      = 1 << 15
	mostNameOctets = 4 << 20
)

// names knows values by their numbers, and numbers by their values.
type names struct {
	conn   *sqlite.Conn
	byNum  map[int64]name
	byText map[string]int64
	octets int // of both
	// add gives a new value a number. It is nil for a reader.
	add func(value []byte) (int64, error)
}

func newNames(conn *sqlite.Conn) *names {
	return &names{conn: conn, byNum: map[int64]name{}, byText: map[string]int64{}}
}

// value returns the name with a number.
func (ns *names) value(number int64) (name, error) {
	if n, ok := ns.byNum[number]; ok {
		return n, nil
	}
	n, ok := name{}, false
	err := ns.conn.Each("SELECT value FROM names WHERE name = ?", []any{number}, func(s *sqlite.Stmt) error {
		n, ok = parseName(s.Blob(0))
		return nil
	})
	if err == nil && !ok {
		err = codec.ErrForm
	}
	if err != nil {
		return name{}, err
	}
	ns.room(len(n.text))
	ns.byNum[number] = n
	return n, nil
}

// number returns the number of a value, and gives it one if it has none.
func (ns *names) number(value []byte) (number int64, err error) {
	if value == nil {
		return 0, nil
	}
	if number, ok := ns.byText[string(value)]; ok {
		return number, nil
	}
	number, err = ns.conn.Number("SELECT name FROM names WHERE value = ?", value)
	switch {
	case err == nil && number == 0:
		number, err = ns.add(value)
	case err == nil: // the index said so, which no code is over
		err = ns.conn.Each("SELECT value FROM names NOT INDEXED WHERE name = ?", []any{number}, func(s *sqlite.Stmt) error {
			if !bytes.Equal(s.Blob(0), value) {
				return altered("the index of names is not that of their table")
			}
			return nil
		})
	}
	if err != nil {
		return 0, err
	}
	ns.room(len(value))
	ns.byText[string(value)] = number
	return number, nil
}

// room makes room for a name of so many octets.
func (ns *names) room(octets int) {
	if len(ns.byNum) >= mostNames || len(ns.byText) >= mostNames || ns.octets+octets > mostNameOctets {
		ns.forget()
	}
	ns.octets += octets
}

// forget drops all names that are kept in memory.
func (ns *names) forget() {
	clear(ns.byNum)
	clear(ns.byText)
	ns.octets = 0
}
