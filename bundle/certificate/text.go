package certificate

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/eddsa"
)

// Algorithm names the kind of the subject's key (SPEC 7.2). It returns "" for
// other kinds, and for keys that cannot be genuine.
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
		if eddsa.Weakness([ed25519.PublicKeySize]byte(k)) == "" {
			return "ed25519"
		}
	}
	return ""
}

// Text returns the entry as the formats write it, prefix and bytes (SPEC 7.3),
// or "" for other kinds of names.
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

// String names the uses, or returns "nothing" if there are none.
func (u KeyUsage) String() string {
	var names []string
	for i, name := range useNames {
		if u&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// String returns the identifier in dots, for people. If it is too long or has too
// large an arc, it is in hex, and cut.
func (o OID) String() string {
	const shortForm = 127 // bytes whose number fits in one
	const shown = 32
	if len(o) > shortForm {
		return fmt.Sprintf("%x... of %d octets", string(o[:shown]), len(o))
	}
	var arcs asn1.ObjectIdentifier
	if _, err := asn1.Unmarshal(append([]byte{byte(cbasn1.OBJECT_IDENTIFIER), byte(len(o))}, o...), &arcs); err != nil {
		return hex.EncodeToString([]byte(o))
	}
	return arcs.String()
}

// Label returns the identifier of an extension in dots, with its name if it has
// one.
func (o OID) Label() string {
	if o == "" {
		return "one without an identifier"
	}
	if name := extensionNames[o.String()]; name != "" {
		return o.String() + " (" + name + ")"
	}
	return o.String()
}

// extensionNames has the names of the extensions of RFC 5280, and of others that
// a certificate of a common issuer or of an attacker may have.
var extensionNames = map[string]string{
	"2.5.29.9":                "subjectDirectoryAttributes",
	"2.5.29.14":               "subjectKeyIdentifier",
	"2.5.29.15":               "keyUsage",
	"2.5.29.16":               "privateKeyUsagePeriod",
	"2.5.29.17":               "subjectAltName",
	"2.5.29.18":               "issuerAltName",
	"2.5.29.19":               "basicConstraints",
	"2.5.29.30":               "nameConstraints",
	"2.5.29.31":               "cRLDistributionPoints",
	"2.5.29.32":               "certificatePolicies",
	"2.5.29.33":               "policyMappings",
	"2.5.29.35":               "authorityKeyIdentifier",
	"2.5.29.36":               "policyConstraints",
	"2.5.29.37":               "extKeyUsage",
	"2.5.29.46":               "freshestCRL",
	"2.5.29.54":               "inhibitAnyPolicy",
	"1.3.6.1.5.5.7.1.1":       "authorityInfoAccess",
	"1.3.6.1.5.5.7.1.3":       "qcStatements",
	"1.3.6.1.5.5.7.1.11":      "subjectInfoAccess",
	"1.3.6.1.5.5.7.1.14":      "proxyCertInfo",
	"1.3.6.1.5.5.7.1.24":      "tlsFeature",
	"1.3.6.1.5.5.7.48.1.5":    "ocspNoCheck",
	"1.3.6.1.4.1.11129.2.4.2": "signed certificate timestamps",
	"1.3.6.1.4.1.11129.2.4.3": "precertificate poison",
	"1.3.6.1.4.1.311.20.2":    "Microsoft certificate template name",
	"1.3.6.1.4.1.311.21.7":    "Microsoft certificate template",
	"1.3.6.1.4.1.311.21.10":   "Microsoft application policies",
	"1.3.6.1.4.1.311.25.2":    "Microsoft account SID",
	"1.3.6.1.4.1.44363.44":    "DelegationUsage",
	"2.16.840.1.113730.1.1":   "nsCertType",
}

// NameText returns a distinguished name for people, in hex if it is malformed. It
// can contain text of the evidence: quote it before showing.
func NameText(der []byte) string {
	var name pkix.RDNSequence
	if rest, err := asn1.Unmarshal(der, &name); err != nil || len(rest) > 0 {
		return hex.EncodeToString(der)
	}
	return name.String()
}
