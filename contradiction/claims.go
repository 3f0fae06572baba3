package contradiction

import (
	"encoding/binary"
	"iter"
)

// Kind describes what a claim is about.
type Kind uint8

// The kinds of claims, with their keys and values. Numbers are big-endian and of
// eight bytes; a text in a key ends with a zero byte, which no identifier has.
const (
	KindHash        Kind = iota + 1 // tenant, sequence → hash of the event
	KindTransaction                 // tenant, transaction → manifest, hash of the issuance event (which has its sequence)
	KindSerial                      // issuer key, serial → certificate
	KindStatus                      // tenant, transaction → 0 and the checkpoint if issued, 1 and the event if revoked
)

// Claim is one assertion of a bundle that another can contradict. Two bundles contradict each
// other if and only if two of their claims clash.
type Claim struct {
	Kind       Kind
	Key, Value []byte
}

// Clash reports whether two claims of one kind and key contradict each other.
func (k Kind) Clash(a, b []byte) bool {
	if k != KindStatus {
		return string(a) != string(b)
	}
	if len(a) != 9 || len(b) != 9 || a[0] == b[0] {
		return false
	}
	if a[0] == 1 {
		a, b = b, a
	}
	return binary.BigEndian.Uint64(a[1:]) >= binary.BigEndian.Uint64(b[1:])
}

// Claims yields the claims of a bundle: first the three about its transaction,
// then one for each event of the way, the newest first. Key and value are valid
// until the next claim.
func (f *Facts) Claims() iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		var keys [512]byte
		tenant := append(append(keys[:0], f.Tenant...), 0)
		transaction := append(append(tenant, f.Transaction...), 0)
		var values [64]byte
		value := append(values[:0], f.Manifest[:]...)
		issuance := f.IssuanceHash()
		if !yield(Claim{KindTransaction, transaction, append(value, issuance[:]...)}) ||
			!yield(Claim{KindStatus, transaction, f.appendStatus(values[:0])}) {
			return
		}
		serial := append(append(keys[:0], f.Issuer[:]...), f.Serial...)
		if !yield(Claim{KindSerial, serial, append(values[:0], f.Certificate[:]...)}) {
			return
		}
		tenant = append(append(keys[:0], f.Tenant...), 0)
		for _, e := range f.Way {
			key := binary.BigEndian.AppendUint64(tenant, e.Sequence)
			if !yield(Claim{KindHash, key, append(values[:0], e.Hash[:]...)}) {
				return
			}
		}
	}
}

// appendStatus is the value of the claim about the status.
func (f *Facts) appendStatus(dst []byte) []byte {
	if f.Revoked() {
		return binary.BigEndian.AppendUint64(append(dst, 1), f.Revocation)
	}
	return binary.BigEndian.AppendUint64(append(dst, 0), f.Sequence())
}
