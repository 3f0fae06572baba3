package pki

import (
	"encoding/asn1"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// maximumName is the longest name with its prefix, SPEC 7.3.
const maximumName = 1024

// The form of each kind of name, SPEC 7.3.
var (
	printable = regexp.MustCompile(`^[!-~]+$`)
	dnsName   = regexp.MustCompile(`^(\*\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
	// endsInNumber is a name that readers of URLs take for an IPv4 address.
	endsInNumber = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)
	emailName    = regexp.MustCompile(`^[^@]+@[^@]+$`)
	uriName      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$`)
)

// maximumDNS is the longest DNS name, SPEC 7.3.
const maximumDNS = 253

// Tags of GeneralName, RFC 5280 section 4.2.1.6.
const (
	tagEmail = 1
	tagDNS   = 2
	tagURI   = 6
	tagIP    = 7
)

// alternativeNames is the value of a subjectAltName extension that holds the
// names of the terms, in their order.
func alternativeNames(names []string) ([]byte, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("names: at least one expected, none found")
	}
	values := make([]asn1.RawValue, len(names))
	for i, name := range names {
		value, err := generalName(name)
		if err != nil {
			return nil, fmt.Errorf("names/%d: %w", i, err)
		}
		values[i] = value
	}
	return asn1.Marshal(values)
}

// generalName reads one name of the terms, SPEC 7.3.
func generalName(name string) (asn1.RawValue, error) {
	if len(name) > maximumName || !printable.MatchString(name) {
		return asn1.RawValue{}, fmt.Errorf("expected 1 to %d printable ASCII characters, found %q", maximumName, name)
	}
	kind, text, _ := strings.Cut(name, ":")
	switch {
	case kind == "dns" && len(text) <= maximumDNS && dnsName.MatchString(text) && !endsInNumber.MatchString(text):
		return contextValue(tagDNS, []byte(text)), nil
	case kind == "email" && emailName.MatchString(text):
		return contextValue(tagEmail, []byte(text)), nil
	case kind == "uri" && uriName.MatchString(text):
		return contextValue(tagURI, []byte(text)), nil
	case kind == "ip":
		return parseAddress(text)
	}
	return asn1.RawValue{}, fmt.Errorf("expected a dns:, ip:, uri: or email: name, found %q", name)
}

// parseAddress reads an IP address that is written in its one form: a dotted quad,
// or as RFC 5952 writes it. The IPv4-mapped form is refused, SPEC 7.3.
func parseAddress(text string) (asn1.RawValue, error) {
	ip, err := netip.ParseAddr(text)
	if err != nil || ip.Zone() != "" || ip.Is4In6() || ip.String() != text {
		return asn1.RawValue{}, fmt.Errorf("expected a canonical IP address, found %q", text)
	}
	return contextValue(tagIP, ip.AsSlice()), nil
}

func contextValue(tag int, content []byte) asn1.RawValue {
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tag, Bytes: content}
}
