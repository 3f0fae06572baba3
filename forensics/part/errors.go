package part

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

var (
	errOrder   = errors.New("records are not in their order")
	errNowhere = errors.New("a record without a place")
)

// OtherVersion is the error for a file that is no part of this version.
type OtherVersion struct{ Found []byte } // its first bytes

func (e *OtherVersion) Error() string {
	return fmt.Sprintf("not a part of this version: expected a file that begins with %q, found %s",
		magic, safetext.Excerpt(e.Found, len(magic)))
}

// Unproven is the error for a part whose MAC does not hold under the part key.
type Unproven struct{ Missing bool } // it has no MAC at all

func (e *Unproven) Error() string {
	if e.Missing {
		return "the part has no MAC: it was made without a part key"
	}
	return "the MAC of the part is not under this part key"
}

// Differs is the error for parts that do not join, as they were not made alike.
type Differs struct{ What, One, Other string }

func (e *Differs) Error() string {
	return fmt.Sprintf("parts with different %s do not join: %s and %s", e.What, e.One, e.Other)
}

// Overlaps is the error for two parts that share a range of a source, if each also has
// a range of it that the other lacks.
type Overlaps struct{ One, Other Share }

func (e *Overlaps) Error() string {
	return fmt.Sprintf("parts overlap in %s: octets %s and octets %s",
		sourceName(&e.One), e.One.Range, e.Other.Range)
}

// sourceName names the source of a share for people.
func sourceName(s *Share) string {
	if len(s.Paths) == 0 {
		return "the source with SHA-256 " + s.Source.String()
	}
	return safetext.Quote(s.Paths[0].Given)
}
