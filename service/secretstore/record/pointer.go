package record

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
)

const pointerProtocol = "svc.store-kv-pointer.v1"

// Named is a generation that a pointer names, the zero value being none.
type Named struct {
	Slot   int64  // 1 to MaxSlot; 0 for none
	SHA256 string // its certificate_sha256
}

// Pointer describes which generations are in use. Two that are equal
// by == are the same record.
type Pointer struct {
	Active    Named // always there
	Standby   Named // staged, waits for its promotion
	Previous  Named // was in use before, during the rollback window
	UpdatedAt string
}

// Object is the record in the store.
func (p Pointer) Object() seal.Object {
	o := seal.Object{"protocol": pointerProtocol, "generation": p.Active.Slot, "updated_at": p.UpdatedAt}
	for name, named := range map[string]Named{"active": p.Active, "standby": p.Standby, "previous": p.Previous} {
		if named.Slot != 0 {
			o[name], o[name+"_sha256"] = SlotName(named.Slot), named.SHA256
		}
	}
	return o
}

// MarshalJSON writes [Pointer.Object].
func (p Pointer) MarshalJSON() ([]byte, error) { return seal.Canonical(p.Object()), nil }

// UnmarshalJSON reads what [ParsePointer] accepts.
func (p *Pointer) UnmarshalJSON(b []byte) error {
	o, err := seal.Parse(b)
	if err == nil {
		*p, err = ParsePointer(o)
	}
	return err
}

// ParsePointer reads a record that stood at [PointerPath]. Members, their form
// and that generation is the number of active are checked.
func ParsePointer(o seal.Object) (Pointer, error) {
	m := readRecord(o)
	m.Word("protocol", pointerProtocol)
	generation := m.slot("generation")
	p := Pointer{
		Active:    m.named("active"),
		Standby:   m.optional("standby"),
		Previous:  m.optional("previous"),
		UpdatedAt: m.time("updated_at"),
	}
	if err := m.close(); err != nil {
		return Pointer{}, err
	}
	if generation != p.Active.Slot {
		return Pointer{}, fmt.Errorf("generation: expected %d, that of active, found %d", p.Active.Slot, generation)
	}
	return p, nil
}

// named reads the two members of a generation.
func (m members) named(name string) Named {
	var n Named
	m.Checked(name, func(s string) (err error) {
		n.Slot, err = ParseSlotName(s)
		return err
	})
	n.SHA256 = m.Text(name+"_sha256", form.Digest)
	return n
}

// optional reads the two members of a generation that are both there or both not.
func (m members) optional(name string) Named {
	switch first, second := m.Has(name), m.Has(name+"_sha256"); {
	case first && second:
		return m.named(name)
	case first || second:
		m.Fail(name, "it and %s_sha256, or neither", name)
	}
	return Named{}
}

// members reads the members of a record.
type members struct{ *form.Reader }

func readRecord(record seal.Object) members { return members{form.Read(record)} }

// slot reads the number of a slot.
func (m members) slot(name string) int64 { return m.Number(name, 1, MaxSlot) }

// time reads a time as it is written.
func (m members) time(name string) string { return seal.Time(m.Time(name)) }

// close returns the first fault, or that there are members which no one took. A
// name among these may be a secret too.
func (m members) close() error {
	err := m.Close()
	var unknown *form.UnknownError
	if errors.As(err, &unknown) {
		return errors.New("expected the listed members alone, found others")
	}
	return err
}
