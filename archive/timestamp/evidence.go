package timestamp

import (
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/finding"
)

func unusable(name, expected, found string) *Fault {
	return &Fault{finding.EvidenceMalformed, name, expected, found}
}

// readEither reads a Time: UTCTime or GeneralizedTime.
func readEither(s *cryptobyte.String, to *time.Time) bool {
	if s.PeekASN1Tag(asn1tag.UTCTime) {
		return s.ReadASN1UTCTime(to)
	}
	return readTime(s, to, false)
}
