package nodeconfig

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// maxURL is the length of a URL in characters.
const maxURL = 1024

const (
	logsPath = "/v1/logs"
	scheme   = "https://"
)

const hostForm = "the host being a name in lower case, an IPv4 address or an IPv6 address in brackets, the port 1 to 65535"

var (
	origin = grammar{
		"https://host[:port] and nothing behind it, " + hostForm,
		func(s string) bool { return isURL(s, func(path string) bool { return path == "" }) }, foundURL,
	}
	logsEndpoint = grammar{
		"https://host[:port]/v1/logs and nothing behind it, " + hostForm,
		func(s string) bool { return isURL(s, func(path string) bool { return path == logsPath }) }, foundURL,
	}
	healthURL = grammar{
		"https://host[:port]/path without a query or fragment, " + hostForm + ", the path of segments of A-Z a-z 0-9 . _ ~ -",
		func(s string) bool { return isURL(s, isHealthPath) }, foundURL,
	}
	target = grammar{
		"host:port, " + hostForm,
		func(s string) bool {
			at := strings.LastIndexByte(s, ':')
			return at >= 0 && isHost(s[:at]) && isPort(s[at+1:])
		}, foundURL,
	}
	listenAddress = grammar{
		"an IPv4 address, or an IPv6 address in brackets, in its shortest form, then : and a port from 1 to 65535",
		func(s string) bool {
			a, err := netip.ParseAddrPort(s)
			return err == nil && a.Port() > 0 && a.String() == s && isPlain(a.Addr())
		}, quote,
	}
)

// isURL reports whether s is an https URL with nothing but a host, perhaps a
// port, and a path that holds. There is one spelling for each: no upper case,
// no percent-encoding, no user information, no dot after a name.
func isURL(s string, pathHolds func(string) bool) bool {
	rest, ok := strings.CutPrefix(s, scheme)
	if !ok || len(s) > maxURL {
		return false
	}
	authority, path := rest, ""
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		authority, path = rest[:at], rest[at:]
	}
	host := authority
	if at := strings.LastIndexByte(authority, ':'); at > strings.LastIndexByte(authority, ']') {
		host = authority[:at]
		if !isPort(authority[at+1:]) {
			return false
		}
	}
	return isHost(host) && pathHolds(path)
}

func isHealthPath(path string) bool {
	inner, ok := strings.CutPrefix(path, "/")
	return ok && (inner == "" || isSegments(strings.TrimSuffix(inner, "/")))
}

// isPort reports whether s is a port in plain decimal.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}

// label is a label of a host name, RFC 1123. The last one begins with a letter,
// so that no resolver takes the name for a number of an address.
var (
	label     = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	lastLabel = regexp.MustCompile(`^[a-z]`)
)

// isHost reports whether s names one host: a name, or an address as it stands
// in a URL.
func isHost(s string) bool {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		a, err := netip.ParseAddr(inner)
		return ok && err == nil && a.Is6() && a.String() == inner && isPlain(a) && isReachable(a)
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Is4() && isReachable(a)
	}
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if !label.MatchString(l) {
			return false
		}
	}
	return len(s) <= 253 && lastLabel.MatchString(labels[len(labels)-1])
}

// isPlain reports whether an address has one meaning on every machine: no zone,
// and no IPv4 address in the clothes of IPv6.
func isPlain(a netip.Addr) bool { return a.Zone() == "" && !a.Is4In6() && !a.IsMulticast() }

// isReachable reports whether an address can be that of one other party.
func isReachable(a netip.Addr) bool { return !a.IsUnspecified() && !a.IsMulticast() }

// foundURL describes a text that is not the URL it should be. A password stands
// before an @, and a token may stand in a query or a fragment.
func foundURL(s string) string {
	switch {
	case strings.Contains(s, "@"):
		return "user information, or another @; not shown"
	case strings.Contains(s, "?"):
		return "a query, not shown"
	case strings.Contains(s, "#"):
		return "a fragment, not shown"
	}
	return quote(s)
}
