package form

import "regexp"

// Shape is the form of a text.
type Shape struct {
	pattern  *regexp.Regexp
	expected string // what it is called in a sentence
}

// Is reports whether a text has the shape.
func (s Shape) Is(text string) bool { return s.pattern.MatchString(text) }

// Shapes of texts, SPEC 1.5 and service/docs/node-config.md.
var (
	SubjectID  = Shape{regexp.MustCompile(`^[A-Za-z0-9._:@-]{1,100}$`), "1 to 100 characters of A-Z a-z 0-9 . _ : @ -"}
	Identifier = Shape{regexp.MustCompile(`^[A-Za-z0-9._:@/-]{1,128}$`),
		"1 to 128 characters of A-Z a-z 0-9 . _ : @ / -"}
	Reference = Shape{regexp.MustCompile(`^local/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`),
		"local/ and a name of A-Z a-z 0-9 . _ -"}
	ErrorCode = Shape{regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`), "a code of a-z 0-9 _"}
	Sentence  = Shape{regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,500}$`),
		"1 to 500 characters without control characters"}
	Label  = Shape{regexp.MustCompile(`^[ -~]{0,256}$`), "at most 256 printable ASCII characters"}
	Octets = Shape{regexp.MustCompile(`^[A-Za-z0-9_-]+$`), "base64url without padding"}
	Digest = Shape{regexp.MustCompile(`^[0-9a-f]{64}$`), "64 lower-case hexadecimal digits"}
)
