package sealkey

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// TrustProtocol is the protocol of the file of --seal-trust (SPEC 16.4).
const TrustProtocol = "svc.seal-trust.v1"

// MaxTrust is the largest size of that file in bytes: 1,024 keys and 1,024 authorities.
const MaxTrust = 16 << 20

// Pin is a pair of public keys that the owner of the file trusts.
type Pin struct {
	Name   string
	Public Public
	From   time.Time // from when on
	Until  time.Time // until before when; zero for no end
}

// ValidAt reports whether the owner trusts the keys for a time.
func (p Pin) ValidAt(at time.Time) bool {
	return !at.Before(p.From) && (p.Until.IsZero() || at.Before(p.Until))
}

// Validity returns the time for which the owner trusts the keys, as text.
func (p Pin) Validity() string {
	if p.Until.IsZero() {
		return "from " + form.FormatTime(p.From) + " on"
	}
	return "from " + form.FormatTime(p.From) + " until before " + form.FormatTime(p.Until)
}

// Trust is a parsed file of --seal-trust. It does not change.
type Trust struct {
	digest      [sha256.Size]byte
	keys        map[ID]Pin
	pins        []Pin // in document order
	authorities []timestamp.Authority
}

// Faults lists all faults of the file. They are errors of the operator.
type Faults []ijson.Fault

// Error returns the faults, one per line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return "the file of --seal-trust cannot be used:\n  " + strings.Join(lines, "\n  ")
}

// ParseTrust reads the file of --seal-trust (SPEC 16.4). An error is always of type
// [Faults], and lists every fault.
func ParseTrust(doc []byte) (*Trust, error) {
	v, fault := form.Parse(doc, MaxTrust, "bytes")
	if fault != nil {
		return nil, Faults{*fault}
	}
	p := trustParser{trust: &Trust{digest: sha256.Sum256(doc), keys: map[ID]Pin{}}, seen: map[Digest]string{}}
	o := p.Object(v, "protocol", "keys", "authorities?")
	o.Protocol(TrustProtocol)
	for _, m := range p.Map(o.Get("keys"), form.MaxList) {
		p.pin(m)
	}
	for _, m := range p.Map(o.Get("authorities"), form.MaxList) {
		p.trust.authorities = append(p.trust.authorities, p.authority(m))
	}
	if f := p.Faults(); len(f) > 0 {
		return nil, Faults(f)
	}
	return p.trust, nil
}

// trustParser reads one file. The place of each public key is in seen.
type trustParser struct {
	form.Reader
	trust *Trust
	seen  map[Digest]string
}

// name returns the name of a member, which is an identifier.
func (p *trustParser) name(m ijson.Member) string {
	if !form.Identifier(m.Name) {
		p.Fault(m.Value, form.BadValue, "an identifier: 1 to 128 of A-Z a-z 0-9 . _ : @ / -",
			safetext.Excerpt(m.Name, safetext.Value))
	}
	return m.Name
}

// pin reads one pair of keys. Neither of them may be there already, in any pair.
func (p *trustParser) pin(m ijson.Member) {
	name := p.name(m)
	o := p.Object(m.Value, "ed25519", "ml_dsa_65", "valid_from", "valid_until?")
	ed, ml := o.Bytes("ed25519", Ed25519KeySize, Ed25519KeySize), o.Bytes("ml_dsa_65", MLDSAKeySize, MLDSAKeySize)
	pin := Pin{Name: name}
	pin.From, pin.Until = p.validity(o)
	if ed == nil || ml == nil {
		return
	}
	public, err := NewPublic(ed, ml)
	if err != nil {
		p.Fault(m.Value, WeakKey, "two public keys that can be relied on", err.Error())
		return
	}
	pin.Public = public
	id := public.ID()
	for i, digest := range []Digest{id.Ed25519, id.MLDSA65} {
		name := []string{"ed25519", "ml_dsa_65"}[i]
		if first, ok := p.seen[digest]; ok {
			p.Fault(o.Get(name), DuplicateKey, "each public key once in the whole file", "the key of "+first)
			return
		}
		p.seen[digest] = o.Get(name).Pointer()
	}
	p.trust.keys[id] = pin
	p.trust.pins = append(p.trust.pins, pin)
}

// validity reads the time from when and until when the owner trusts something.
func (p *trustParser) validity(o form.Object) (from, until time.Time) {
	from, until = o.Time("valid_from"), o.Time("valid_until")
	if !until.IsZero() && !until.After(from) {
		p.Fault(o.Get("valid_until"), form.BadValue, "a time after valid_from", form.FormatTime(until))
	}
	return from, until
}

// SHA256 returns the digest of the file as it was read.
func (t *Trust) SHA256() [sha256.Size]byte { return t.digest }

// Pins returns all pinned pairs of keys, in the order of the file.
func (t *Trust) Pins() []Pin { return append([]Pin(nil), t.pins...) }

// Pin returns the pinned pair of keys with these digests.
func (t *Trust) Pin(id ID) (Pin, bool) {
	p, ok := t.keys[id]
	return p, ok
}

// Open verifies an envelope for a protocol (SPEC 16.3): its signer is pinned, and
// both signatures hold. Whether the keys were valid at a time is for the caller to
// ask: [Pin.At]. The finding is nil if it opens.
func (t *Trust) Open(protocol string, e Envelope) (Pin, *finding.InDocument) {
	pin, ok := t.Pin(e.Signer)
	if !ok {
		return Pin{}, &finding.InDocument{Code: KeyUnknown, Path: e.Pointer + "/statement/signer",
			Expected: "a pair of keys that the file of --seal-trust pins", Found: t.describe(e.Signer)}
	}
	err := pin.Public.Verify(protocol, e.Statement.Canonical(), e.Signatures)
	if err == nil {
		return pin, nil
	}
	found := "neither that holds"
	switch {
	case !errors.Is(err, ErrMLDSA65):
		found = "an Ed25519 signature that does not hold; the ML-DSA-65 signature does"
	case !errors.Is(err, ErrEd25519):
		found = "an ML-DSA-65 signature that does not hold; the Ed25519 signature does"
	}
	return Pin{}, &finding.InDocument{Code: SignatureInvalid, Path: e.Pointer + "/signatures",
		Expected: "both signatures of " + pin.Name + " for " + protocol, Found: found}
}

// At returns a finding about the envelope if the keys were not valid at a time.
func (p Pin) At(at time.Time, e Envelope) *finding.InDocument {
	if p.ValidAt(at) {
		return nil
	}
	return &finding.InDocument{Code: KeyNotValid, Path: e.Pointer + "/statement/signer",
		Expected: "keys that are valid at " + form.FormatTime(at), Found: "the keys of " + p.Name + ", valid " + p.Validity()}
}

// describe returns the parts that the file has of a pair that it does not pin.
func (t *Trust) describe(id ID) string {
	for _, p := range t.pins {
		own := p.Public.ID()
		switch {
		case own.Ed25519 == id.Ed25519:
			return "the Ed25519 key of " + p.Name + " with another ML-DSA-65 key"
		case own.MLDSA65 == id.MLDSA65:
			return "the ML-DSA-65 key of " + p.Name + " with another Ed25519 key"
		}
	}
	return "the pair " + id.Fingerprint()
}

// Authorities returns the authorities, in the order of the file.
func (t *Trust) Authorities() []timestamp.Authority { return slices.Clone(t.authorities) }

func (p *trustParser) authority(m ijson.Member) timestamp.Authority {
	o := p.Object(m.Value, "certificates", "valid_from", "valid_until?")
	a := timestamp.Authority{Name: p.name(m)}
	a.From, a.Until = p.validity(o)
	for _, v := range o.List("certificates", 1, 16) {
		der := p.Bytes(v, 1, form.MaxCertificate)
		c, err := timestamp.ParseCertificate(der)
		if err != nil && der != nil {
			p.Fault(v, form.BadValue, "the certificate of an authority", err.Error())
		}
		a.Certificates = append(a.Certificates, c)
	}
	return a
}

// PinFile returns a file of --seal-trust that pins one pair of keys, indented for
// people. A zero until is no end.
func PinFile(name string, p Public, from, until time.Time) ([]byte, error) {
	entry := map[string]string{
		"ed25519":    form.EncodeBase64URL(p.Ed25519()),
		"ml_dsa_65":  form.EncodeBase64URL(p.MLDSA65()),
		"valid_from": form.FormatTime(from),
	}
	if !until.IsZero() {
		entry["valid_until"] = form.FormatTime(until)
	}
	doc, err := json.MarshalIndent(map[string]any{"protocol": TrustProtocol, "keys": map[string]any{name: entry}},
		"", "  ")
	if err != nil {
		return nil, err
	}
	doc = append(doc, '\n')
	_, err = ParseTrust(doc)
	return doc, err
}
