package nodeconfig

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxPath is the length of a path of the file system in characters.
const maxPath = 4096

// grammar is what a text must look like.
type grammar struct {
	expected string
	holds    func(string) bool
	// found describes a text that does not hold: by quoting it, unless that
	// could show a secret.
	found func(string) string
}

// matching returns a grammar of one regular expression.
func matching(expected, pattern string) grammar {
	return grammar{expected, regexp.MustCompile(pattern).MatchString, quote}
}

var (
	// subject and identifier are those of SPEC 1.5.
	subject    = matching("1 to 100 characters of A-Z a-z 0-9 . _ : @ -", `^[A-Za-z0-9._:@-]{1,100}$`)
	identifier = matching("1 to 128 characters of A-Z a-z 0-9 . _ : @ / -", `^[A-Za-z0-9._:@/-]{1,128}$`)

	reference = matching(
		"local/ and a name of 1 to 100 characters of A-Z a-z 0-9 . _ - that begins with a letter or digit",
		`^local/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	digest = matching("64 lower-case hexadecimal digits", `^[0-9a-f]{64}$`)

	mount = grammar{
		"one path segment of 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, neither . nor ..",
		func(s string) bool { return len(s) <= 128 && isSegment(s) }, quote,
	}
	basePath = grammar{
		"1 to 512 characters: path segments of A-Z a-z 0-9 . _ ~ -, none empty, . or .., and / between them",
		isBasePath, quote,
	}
	namespace = grammar{
		"nothing, or a path as of secret_store_kv_base_path",
		func(s string) bool { return s == "" || isBasePath(s) }, quote,
	}
	filePath = grammar{
		"a path of 1 to 4096 characters, no control character among them",
		func(s string) bool { return isLine(s, maxPath) }, hidden,
	}
	argument = grammar{
		"1 to 1024 characters, no control character and no brace among them save those of {certificate}",
		func(s string) bool {
			return isLine(s, 1024) && !strings.ContainsAny(strings.ReplaceAll(s, "{certificate}", ""), "{}")
		},
		hidden,
	}
	publicKey = grammar{
		"an Ed25519 public key as 43 characters of base64url",
		regexp.MustCompile(`^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`).MatchString, hidden,
	}
)

// hidden describes a text in whose place someone may have put a secret.
func hidden(s string) string {
	return safetext.Count(utf8.RuneCountInString(s), "character") + ", not shown"
}

var segment = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// isSegment reports whether s is a path segment that stands for itself in a
// URL: unreserved characters of RFC 3986 only, and no dot segment.
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
