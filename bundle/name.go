package bundle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/form"
)

const wantName = `a name such as "dns:host.example", "ip:192.0.2.1", "uri:spiffe://a/b" or "email:a@b" (SPEC 7.3)`

func oneOf(words []string) func(string) bool {
	return func(s string) bool { return slices.Contains(words, s) }
}

// validName reports whether a text is a subject alternative name (SPEC 7.3): a
// prefix and the bytes in the certificate's extension, in printable ASCII
// without spaces.
func validName(s string) bool {
	if len(s) > form.MaxName || strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return false
	}
	kind, value, _ := strings.Cut(s, ":")
	switch kind {
	case "dns":
		return validDNS(strings.TrimPrefix(value, "*.")) && len(value) <= maxDNS
	case "ip":
		addr, err := netip.ParseAddr(value)
		return err == nil && addr.Zone() == "" && !addr.Is4In6() && addr.String() == value
	case "uri":
		return validURI(value)
	case "email":
		local, domain, _ := strings.Cut(value, "@")
		return local != "" && domain != "" && !strings.Contains(domain, "@")
	}
	return false
}

// The longest host name, and the longest label in one.
const (
	maxDNS   = 253
	maxLabel = 63
)

// validDNS accepts lower-case labels of letters, digits and inner hyphens. The
// last label must not be a number, because readers of URLs would take such a
// name for an address.
func validDNS(s string) bool {
	if isNumber(s[strings.LastIndexByte(s, '.')+1:]) {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

// IsDNSName reports whether a text is a DNS name in small letters, without the prefix and without
// an asterisk (SPEC 2.4, 7.3).
func IsDNSName(s string) bool { return len(s) <= maxDNS && validDNS(s) }

// isNumber reports whether a label is digits, or "0x" and hexadecimal digits.
func isNumber(label string) bool {
	hex, prefixed := strings.CutPrefix(label, "0x")
	return prefixed && strings.Trim(hex, hexDigits) == "" || strings.Trim(label, digits) == ""
}

const (
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
	hexDigits = digits + "ABCDEFabcdef"
	uriMarks  = "-._~:/?#[]@!$&'()*+,;="
)

// validURI accepts a scheme, a colon and at least one more character, all of
// the alphabet of RFC 3986.
func validURI(s string) bool {
	scheme, rest, _ := strings.Cut(s, ":")
	if scheme == "" || rest == "" || !strings.Contains(letters, scheme[:1]) ||
		strings.Trim(scheme, letters+digits+"+-.") != "" {
		return false
	}
	for i, part := range strings.Split(s, "%") {
		if i > 0 {
			if len(part) < 2 || strings.Trim(part[:2], hexDigits) != "" {
				return false
			}
		}
		if strings.Trim(part, letters+digits+uriMarks) != "" {
			return false
		}
	}
	return true
}
