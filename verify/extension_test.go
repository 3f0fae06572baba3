package verify_test

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestRefusedExtensionIsNamed: the message about an extension, and about a use of
// the key, says which it is.
func TestRefusedExtensionIsNamed(t *testing.T) {
	want := map[string]string{
		"application-policies":            "1.3.6.1.4.1.311.21.10 (Microsoft application policies)",
		"account-sid":                     "1.3.6.1.4.1.311.25.2 (Microsoft account SID)",
		"netscape-certificate-type":       "2.16.840.1.113730.1.1 (nsCertType)",
		"proxy-certificate":               "1.3.6.1.5.5.7.1.14 (proxyCertInfo)",
		"delegation-usage":                "1.3.6.1.4.1.44363.44 (DelegationUsage)",
		"issuer-alternative-name":         "2.5.29.18 (issuerAltName)",
		"unknown-extension":               "1.3.6.1.4.1.99999.1",
		"critical-extension":              "critical 1.3.6.1.4.1.99999.1",
		"critical-subject-key-identifier": "critical 2.5.29.14 (subjectKeyIdentifier)",
		"may-encipher-data":               "digitalSignature, dataEncipherment",
	}
	seen := 0
	for _, c := range judgedCases(t) {
		name, ok := want[strings.TrimPrefix(c.Name, "certificate.constrained/")]
		if !ok {
			continue
		}
		seen++
		found := c.report.Findings()
		check.That(t, len(found) == 1 && found[0].Found == name && strings.Contains(found[0].Sentence(), name),
			"%s: expected one finding that names %s, found %+v", c.Name, name, found)
	}
	check.That(t, seen == len(want), "%d of %d cases are there", seen, len(want))
}
