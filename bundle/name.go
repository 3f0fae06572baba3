package bundle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/limits"
)

const wantName = `a name such as "dns:host.example", "ip:192.0.2.1", "uri:spiffe://a/b" or "email:a@b" (SPEC 7.2)`

func oneOf(words []string) func(string) bool {
	return func(s string) bool { return slices.Contains(words, s) }
}

// validName decides the form of a subject alternative name (SPEC 7.2): a
// prefix and the bytes that the certificate's extension holds.
func validName(s string) bool {
	if len(s) > limits.Name || !printable(s) {
		return false
	}
	kind, value, _ := strings.Cut(s, ":")
	switch kind {
	case "dns":
		return validDNS(value)
	case "ip":
		addr, err := netip.ParseAddr(value)
		return err == nil && addr.Zone() == "" && !addr.Is4In6() && addr.String() == value
	case "uri":
		return validURI(value)
	case "email":
		local, domain, ok := strings.Cut(value, "@")
		return ok && local != "" && domain != "" && !strings.ContainsAny(value, " ") && !strings.Contains(domain, "@")
	}
	return false
}

// printable reports whether s is ASCII without control characters.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// validDNS accepts lower-case host names; the first label may be "*".
func validDNS(s string) bool {
	s = strings.TrimPrefix(s, "*.")
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// validURI accepts a scheme, a colon and at least one more character, without
// spaces.
func validURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || rest == "" || strings.Contains(s, " ") {
		return false
	}
	lower := strings.ToLower(scheme)
	return lower[0] >= 'a' && lower[0] <= 'z' && strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
