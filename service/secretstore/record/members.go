package record

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// members takes the members out of a record, and keeps the first fault.
type members struct {
	record seal.Object
	taken  int
	err    error
}

func (m *members) fault(name string, err error) {
	if m.err == nil {
		m.err = fmt.Errorf("%s: %w", name, err)
	}
}

// has reports whether there is a member that may be absent.
func (m *members) has(name string) bool {
	_, there := m.record[name]
	return there
}

// member takes a member of a type.
func member[T any](m *members, name, expected string) T {
	value, there := m.record[name]
	typed, fits := value.(T)
	switch {
	case !there:
		m.fault(name, fmt.Errorf("expected %s, found no such member", expected))
	case !fits:
		m.fault(name, fmt.Errorf("expected %s, found another type", expected))
	}
	m.taken++
	return typed
}

// text takes a text that passes a check.
func (m *members) text(name string, check func(string) error) string {
	s := member[string](m, name, "a text")
	if m.err != nil {
		return ""
	}
	if err := check(s); err != nil {
		m.fault(name, err)
	}
	return s
}

// slot takes a number of a slot.
func (m *members) slot(name string) int64 {
	n := member[int64](m, name, "an integer")
	if !inRange(n) {
		m.fault(name, fmt.Errorf("expected 1 to %d, found %d", MaxSlot, n))
	}
	return n
}

// protocol takes the member that says which record this is.
func (m *members) protocol(want string) {
	m.text("protocol", func(s string) error {
		if s != want {
			return fmt.Errorf("expected %s, found %s", want, hidden(s))
		}
		return nil
	})
}

// close returns the first fault, or that there are members which nobody took.
func (m *members) close() error {
	if m.err == nil && m.taken != len(m.record) {
		return errors.New("expected the listed members alone, found others")
	}
	return m.err
}

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func checkDigest(s string) error {
	if !digest.MatchString(s) {
		return fmt.Errorf("expected 64 lower-case hexadecimal digits, found %s", hidden(s))
	}
	return nil
}

// checkTime wants a time in its one form: the parser alone takes a comma too.
func checkTime(s string) error {
	if t, err := seal.ParseTime(s); err != nil || seal.Time(t) != s {
		return fmt.Errorf("expected a time such as 2026-03-02T09:00:00.000Z, found %s", hidden(s))
	}
	return nil
}
