package cause

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// signer is all that is signed under one key id in one role, for one tenant.
type signer struct {
	signerName
	uses []walk.KeyUse
}

type signerName struct {
	tenantID, keyID string
	role            trust.Role
}

// keyTotal counts the signatures under a key id, and those that hold.
type keyTotal struct{ count, hold uint64 }

func (t keyTotal) plus(u walk.KeyUse) keyTotal { return keyTotal{t.count + u.Count, t.hold + u.Hold} }

// total adds up a count of the uses.
func (s *signer) total(count func(walk.KeyUse) uint64) (n uint64) {
	for _, u := range s.uses {
		n += count(u)
	}
	return n
}

func (s *signer) countSigned() uint64  { return s.total(func(u walk.KeyUse) uint64 { return u.Count }) }
func (s *signer) countHolding() uint64 { return s.total(func(u walk.KeyUse) uint64 { return u.Hold }) }

// events counts the events, and those that give their hash.
func (s *signer) events() (all, intact uint64) {
	for _, u := range s.uses {
		if u.Kind == facts.SignedEvents {
			all, intact = all+u.Count, intact+u.Intact
		}
	}
	return all, intact
}

// logNames returns the logs whose events it signed or, if none, that its statements
// are about.
func (s *signer) logNames() []string {
	var events, others []string
	for _, u := range s.uses {
		if others = append(others, u.Log.LogID); u.Kind == facts.SignedEvents {
			events = append(events, u.Log.LogID)
		}
	}
	if len(events) > 0 {
		return merged(events)
	}
	return merged(others)
}

// isWhole reports whether the events are otherwise unchanged: at least nine of ten give their
// hash.
func (s *signer) isWhole() bool {
	all, intact := s.events()
	return 10*intact >= 9*all
}

// signers returns the signed documents, by tenant, key and role.
func (x *logIndex) signers() []*signer {
	at := map[signerName]*signer{}
	var all []*signer
	for _, u := range x.Saw.Keys {
		n := signerName{u.Log.TenantID, u.KeyID, u.By.Role}
		if at[n] == nil {
			at[n] = &signer{signerName: n}
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

// fails reports whether no signature under the key holds, although the events are unchanged.
func (s *signer) fails() bool { return s.countHolding() == 0 && !s.uses[0].Other && s.isWhole() }

// foreignKeys returns the tenant's keys without a signature that holds, if they are nearly all,
// and more than one.
func foreignKeys(of []*signer) []*signer {
	var failing []*signer
	events := uint64(0)
	for _, s := range of {
		if s.fails() {
			n, _ := s.events()
			failing, events = append(failing, s), events+n
		}
	}
	if len(failing) < 2 || events == 0 || 4*len(failing) < 3*len(of) {
		return nil
	}
	return failing
}
