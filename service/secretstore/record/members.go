package record

import (
	"errors"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
)

// members reads the members of a record.
type members struct{ *form.Reader }

func read(record seal.Object) members { return members{form.Read(record)} }

// slot reads the number of a slot.
func (m members) slot(name string) int64 { return m.Number(name, 1, MaxSlot) }

// time reads a time as it is written.
func (m members) time(name string) string { return seal.Time(m.Time(name)) }

// close returns the first fault, or that there are members which nobody took. A
// name among these may be a secret too.
func (m members) close() error {
	err := m.Close()
	var unknown *form.UnknownError
	if errors.As(err, &unknown) {
		return errors.New("expected the listed members alone, found others")
	}
	return err
}
