package certificate

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"net/netip"
	"strconv"

	"github.com/svc-edge/svc-verify/internal/weakkey"
)

// Algorithm names the kind of the subject's key (SPEC 7.2), "" if it has no
// name there: a key of another kind, or one that nobody can have made.
func (c *Certificate) Algorithm() string {
	switch k := c.PublicKey().(type) {
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return "ecdsa-p256"
		case elliptic.P384():
			return "ecdsa-p384"
		}
	case *rsa.PublicKey:
		bits := k.N.BitLen()
		if k.E == 65537 && k.N.Bit(0) == 1 && (bits == 2048 || bits == 3072 || bits == 4096) {
			return "rsa-" + strconv.Itoa(bits)
		}
	case ed25519.PublicKey:
		if weakkey.Weakness([ed25519.PublicKeySize]byte(k)) == "" {
			return "ed25519"
		}
	}
	return ""
}

// Text writes the entry as the formats do, prefix and octets (SPEC 7.3); "" for
// a kind of name that they do not have.
func (n AltName) Text() string {
	if n.Constructed {
		return ""
	}
	switch n.Tag {
	case 1:
		return "email:" + string(n.Value)
	case 2:
		return "dns:" + string(n.Value)
	case 6:
		return "uri:" + string(n.Value)
	case 7:
		if addr, ok := netip.AddrFromSlice(n.Value); ok && !addr.Is4In6() {
			return "ip:" + addr.String()
		}
	}
	return ""
}

// NameText writes a distinguished name for people, in hex where it is none that
// can be written. It can hold text of the evidence: quote it before showing.
func NameText(der []byte) string {
	var name pkix.RDNSequence
	if rest, err := asn1.Unmarshal(der, &name); err != nil || len(rest) > 0 {
		return hex.EncodeToString(der)
	}
	return name.String()
}
