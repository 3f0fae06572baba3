package pki

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// usages are the extended key usages that terms can name, SPEC 7.2.
var usages = map[string]x509.ExtKeyUsage{
	"clientAuth":      x509.ExtKeyUsageClientAuth,
	"serverAuth":      x509.ExtKeyUsageServerAuth,
	"codeSigning":     x509.ExtKeyUsageCodeSigning,
	"emailProtection": x509.ExtKeyUsageEmailProtection,
	"timeStamping":    x509.ExtKeyUsageTimeStamping,
}

// maximumCommonName is the longest common name, RFC 5280 appendix A.1.
const maximumCommonName = 64

// Leaf returns the template of the leaf that the terms ask for, SPEC 8.16 and 8.17. It is
// valid from the full second of notBefore for exactly the terms' lifetime.
func Leaf(terms seal.Object, serial *big.Int, notBefore time.Time) (*x509.Certificate, error) {
	lifetime := time.Duration(seal.Integer(terms, "lifetime_seconds")) * time.Second
	if lifetime <= 0 {
		return nil, fmt.Errorf("lifetime_seconds: expected at least 1, found %d", seal.Integer(terms, "lifetime_seconds"))
	}
	names := seal.Texts(terms, "names")
	value, err := alternativeNames(names)
	if err != nil {
		return nil, err
	}
	start := notBefore.UTC().Truncate(time.Second)
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: commonName(names)},
		NotBefore:             start,
		NotAfter:              start.Add(lifetime),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
	}
	template.ExtraExtensions = []pkix.Extension{{
		Id: oidAlternativeNames, Critical: template.Subject.CommonName == "", Value: value,
	}}
	for _, name := range seal.Texts(terms, "extended_key_usages") {
		usage, ok := usages[name]
		if !ok {
			return nil, fmt.Errorf("extended_key_usages: %q is none that a certificate may have", name)
		}
		template.ExtKeyUsage = append(template.ExtKeyUsage, usage)
	}
	if len(template.ExtKeyUsage) == 0 {
		return nil, fmt.Errorf("extended_key_usages: at least one expected, none found")
	}
	return template, nil
}

// commonName is the first DNS name that fits, or "" for an empty subject.
func commonName(names []string) string {
	for _, name := range names {
		if dns, ok := strings.CutPrefix(name, "dns:"); ok && len(dns) <= maximumCommonName {
			return dns
		}
	}
	return ""
}
