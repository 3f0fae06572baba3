package nodeconfig

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spiffe/go-spiffe/v2/spiffeid"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxPath is the length of a path of the file system in characters.
const maxPath = 4096

// grammar is the form that a text must have.
type grammar struct {
	expected string
	holds    func(string) bool
	// found describes a text that does not hold: by quoting it, unless that
	// could show a secret.
	found func(string) string
}

// matchingGrammar returns a grammar of one regular expression.
func matchingGrammar(expected, pattern string) grammar {
	return grammar{expected, regexp.MustCompile(pattern).MatchString, quoteText}
}

var (
	// subject and identifier are defined in SPEC 1.5.
	subject    = matchingGrammar("1 to 100 characters of A-Z a-z 0-9 . _ : @ -", `^[A-Za-z0-9._:@-]{1,100}$`)
	identifier = matchingGrammar("1 to 128 characters of A-Z a-z 0-9 . _ : @ / -", `^[A-Za-z0-9._:@/-]{1,128}$`)

	reference = matchingGrammar(
		"local/ and a name of 1 to 100 characters of A-Z a-z 0-9 . _ - that begins with a letter or digit",
		`^local/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	digest = matchingGrammar("64 lower-case hexadecimal digits", `^[0-9a-f]{64}$`)

	mount = grammar{
		"one path segment of 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, neither . nor ..",
		func(s string) bool { return len(s) <= 128 && isSegment(s) }, quoteText,
	}
	basePath = grammar{
		"1 to 512 characters: path segments of A-Z a-z 0-9 . _ ~ -, none empty, . or .., and / between them",
		isBasePath, quoteText,
	}
	namespace = grammar{
		"nothing, or a path as of secret_store_kv_base_path",
		func(s string) bool { return s == "" || isBasePath(s) }, quoteText,
	}
	filePath = grammar{
		"a path of 1 to 4096 characters, no control character among them",
		func(s string) bool { return isLine(s, maxPath) }, hiddenText,
	}
	argument = grammar{
		"1 to 1024 characters, no control character and no brace among them save those of {certificate}",
		func(s string) bool {
			return isLine(s, 1024) && !strings.ContainsAny(strings.ReplaceAll(s, "{certificate}", ""), "{}")
		},
		hiddenText,
	}
	publicKey = grammar{
		"an Ed25519 public key as 43 characters of base64url",
		regexp.MustCompile(`^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`).MatchString, hiddenText,
	}
)

// hiddenText describes a text in whose place someone may have put a secret.
func hiddenText(s string) string {
	return safetext.Count(utf8.RuneCountInString(s), "character") + ", not shown"
}

var segment = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// isSegment reports whether s is a path segment that needs no escaping in a URL: unreserved
// characters of RFC 3986 only, and no dot segment.
func isSegment(s string) bool {
	return segment.MatchString(s) && s != "." && s != ".."
}

func isBasePath(s string) bool { return len(s) <= 512 && isSegments(s) }

// isSegments reports whether s is path segments with / between them.
func isSegments(s string) bool {
	for part := range strings.SplitSeq(s, "/") {
		if !isSegment(part) {
			return false
		}
	}
	return true
}

// isLine reports whether s has 1 to limit characters and no control character.
func isLine(s string, limit int) bool {
	n := utf8.RuneCountInString(s)
	control := strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f })
	return 1 <= n && n <= limit && !control
}

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
		}, quoteText,
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

// label is a label of a host name, RFC 1123. The last one begins with a letter, so that no
// resolver reads the name as a number of an address.
var (
	label     = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	lastLabel = regexp.MustCompile(`^[a-z]`)
)

// isHost reports whether s names one host: a name, or an address as it is
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

// isReachable reports whether an address can belong to one other party.
func isReachable(a netip.Addr) bool { return !a.IsUnspecified() && !a.IsMulticast() }

// foundURL describes a text that is not the URL it should be. A password comes before an @,
// and a token may be in a query or a fragment.
func foundURL(s string) string {
	switch {
	case strings.Contains(s, "@"):
		return "user information, or another @; not shown"
	case strings.Contains(s, "?"):
		return "a query, not shown"
	case strings.Contains(s, "#"):
		return "a fragment, not shown"
	}
	return quoteText(s)
}

// maxSPIFFE is the length of a SPIFFE id in bytes, by its standard.
const maxSPIFFE = 2048

// SPIFFEPrefix is the start of SPIFFE ids, up to the end of a path segment:
// spiffe://trust-domain/path, with at least one segment, as a whole trust domain
// would let in every workload.
type SPIFFEPrefix string

// Covers reports whether the prefix covers a SPIFFE id: the id is the prefix itself, or
// continues behind it with a slash. spiffe://acme.example/observer covers
// spiffe://acme.example/observer/oslo, and does not cover spiffe://acme.example/observers. A
// text that is no valid id with a path is covered by no prefix.
func (p SPIFFEPrefix) Covers(id string) bool {
	rest, ok := strings.CutPrefix(id, string(p))
	return ok && (rest == "" || rest[0] == '/') && isSPIFFE(id)
}

var spiffePrefix = grammar{
	"spiffe://trust-domain/path of at most 2048 characters: the trust domain of a-z 0-9 . _ -, the path of segments of A-Z a-z 0-9 . _ -, none empty, . or .., and no / at its end",
	isSPIFFE, foundURL,
}

// maxTrustDomain is the length of a trust domain in characters.
const maxTrustDomain = 255

// isSPIFFE reports whether s is a SPIFFE id with a path.
func isSPIFFE(s string) bool {
	id, err := spiffeid.FromString(s)
	return err == nil && len(s) <= maxSPIFFE && len(id.TrustDomain().Name()) <= maxTrustDomain && id.Path() != ""
}
