package ledger

import (
	"bytes"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// The kinds of names. Each is the first byte of its value.
const (
	contextName byte = 'c' // digests of trust file and policy, and the rules
	headName    byte = 'j' // kind, verdict and code of a judgement, separated by NUL
	keyName     byte = 'k' // role and id of a key, separated by NUL
	textName    byte = 't'
)

// An empty context or text has the value nil and the number 0.

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

// The names that are kept in memory are bounded, in their number and in their bytes.
const (
	mostNames      = 1 << 15
	mostNameOctets = 4 << 20
)

// names knows values by their numbers, and numbers by their values.
type names struct {
	conn   *sqlite.Conn
	byNum  map[int64]string
	byText map[string]int64
	octets int // of both
	// add gives a new value a number. It is nil for a reader.
	add func(value []byte) (int64, error)
}

func newNames(conn *sqlite.Conn) *names {
	return &names{conn: conn, byNum: map[int64]string{}, byText: map[string]int64{}}
}

// readValue returns the value with a number.
func (ns *names) readValue(number int64) (string, error) {
	if value, ok := ns.byNum[number]; ok {
		return value, nil
	}
	value := ""
	err := ns.conn.Each("SELECT value FROM names WHERE name = ?", []any{number}, func(s *sqlite.Stmt) error {
		value = string(s.Blob(0))
		return nil
	})
	if err == nil && value == "" {
		err = codec.ErrForm
	}
	if err != nil {
		return "", err
	}
	ns.room(len(value))
	ns.byNum[number] = value
	return value, nil
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
				return altered("the index of names does not match their table")
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

// room makes room for a name of so many bytes.
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
