package cause

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// signer is all that is signed under one key id in one role, for one tenant.
type signer struct {
	tenantID, keyID string
	role            trust.Role
	uses            []walk.KeyUse
}

// total adds up a count of the uses.
func (s *signer) total(count func(walk.KeyUse) uint64) (n uint64) {
	for _, u := range s.uses {
		n += count(u)
	}
	return n
}

func (s *signer) count() uint64 { return s.total(func(u walk.KeyUse) uint64 { return u.Count }) }
func (s *signer) hold() uint64  { return s.total(func(u walk.KeyUse) uint64 { return u.Hold }) }

// events counts the events, and those that give their hash.
func (s *signer) events() (all, intact uint64) {
	for _, u := range s.uses {
		if u.Kind == walk.SignedEvents {
			all, intact = all+u.Count, intact+u.Intact
		}
	}
	return all, intact
}

// logs returns the logs whose events it signed or, if none, that its statements
// are about.
func (s *signer) logs() []string {
	var events, others []string
	for _, u := range s.uses {
		if others = append(others, u.Log.LogID); u.Kind == walk.SignedEvents {
			events = append(events, u.Log.LogID)
		}
	}
	if len(events) > 0 {
		return merged(events, nil)
	}
	return merged(others, nil)
}

// whole reports whether the events are otherwise what they were: at least nine of
// ten give their hash.
func (s *signer) whole() bool {
	all, intact := s.events()
	return 10*intact >= 9*all
}

// signers returns what is signed, by tenant, key and role.
func (x *index) signers() []*signer {
	type name struct {
		tenantID, keyID string
		role            trust.Role
	}
	at := map[name]*signer{}
	var all []*signer
	for _, u := range x.Saw.Keys {
		n := name{u.Log.TenantID, u.KeyID, u.By.Role}
		if at[n] == nil {
			at[n] = &signer{tenantID: n.tenantID, keyID: n.keyID, role: n.role}
			all = append(all, at[n])
		}
		at[n].uses = append(at[n].uses, u)
	}
	slices.SortFunc(all, func(a, b *signer) int {
		return cmp.Or(strings.Compare(a.tenantID, b.tenantID), strings.Compare(a.keyID, b.keyID),
			strings.Compare(string(a.role), string(b.role)))
	})
	return all
}

// strange reports whether nothing that a tenant's keys signed holds, and there is
// more than one of them.
func (x *index) strange(of []*signer) bool {
	events := uint64(0)
	for _, s := range of {
		n, intact := s.events()
		events += n
		if s.hold() > 0 || 10*intact < 9*n {
			return false
		}
	}
	return len(of) > 1 && events > 0
}
