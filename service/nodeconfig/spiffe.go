package nodeconfig

import (
	"regexp"
	"strings"
)

// maxSPIFFE is the length of a SPIFFE id in bytes, as its standard says.
const maxSPIFFE = 2048

// SPIFFEPrefix is the start of SPIFFE ids, up to the end of a path segment:
// spiffe://trust-domain/path, with at least one segment, as a whole trust domain
// would let in every workload.
type SPIFFEPrefix string

// Covers reports whether the prefix covers a SPIFFE id: the id is the prefix
// itself, or goes on behind it with a slash. spiffe://acme.example/observer
// covers spiffe://acme.example/observer/oslo, and does not cover
// spiffe://acme.example/observers. What is no valid id with a path is covered by
// none.
func (p SPIFFEPrefix) Covers(id string) bool {
	rest, ok := strings.CutPrefix(id, string(p))
	return ok && (rest == "" || rest[0] == '/') && isSPIFFE(id)
}

var spiffePrefix = grammar{
	"spiffe://trust-domain/path of at most 2048 characters: the trust domain of a-z 0-9 . _ -, the path of segments of A-Z a-z 0-9 . _ -, none empty, . or .., and no / at its end",
	isSPIFFE, foundURL,
}

var (
	trustDomain   = regexp.MustCompile(`^[a-z0-9._-]{1,255}$`)
	spiffeSegment = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// isSPIFFE reports whether s is a SPIFFE id with a path.
func isSPIFFE(s string) bool {
	rest, ok := strings.CutPrefix(s, "spiffe://")
	parts := strings.Split(rest, "/")
	if !ok || len(s) > maxSPIFFE || len(parts) < 2 || !trustDomain.MatchString(parts[0]) {
		return false
	}
	for _, part := range parts[1:] {
		if !spiffeSegment.MatchString(part) || part == "." || part == ".." {
			return false
		}
	}
	return true
}
