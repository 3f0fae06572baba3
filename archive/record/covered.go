package record

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
)

// eachStamp yields the time stamps of a chain, which are numbered from a number on. A time stamp comes
// with a finding unless it covers the one before it; the first must cover the object and all earlier chains.
func (r *Record) eachStamp(c, number int, digest func(timestamp.Hash) []byte) iter.Seq2[*Stamp, *finding.InDocument] {
	return func(yield func(*Stamp, *finding.InDocument) bool) {
		chain := &r.Chains[c]
		covered := leafOf(chain.Hash, digest(chain.Hash), r.Chains[:c])
		for i := range chain.Stamps {
			stamp := &chain.Stamps[i]
			if !yield(stamp, stamp.checkCovered(chain.Hash, covered, number+i)) {
				return
			}
			covered = stamp.Token.Hashed(chain.Hash)
		}
	}
}

// Over returns a finding unless each time stamp of a record is over an object, or over the time
// stamps before it. No token is verified, so no key is needed.
func (r *Record) Over(digest func(timestamp.Hash) []byte) *finding.InDocument {
	number := 1
	for c := range r.Chains {
		for _, other := range r.eachStamp(c, number, digest) {
			if number++; other != nil {
				return other
			}
		}
	}
	return nil
}

// checkCovered returns a finding unless the token is over a hash (RFC 4998, section 4.3).
func (s *Stamp) checkCovered(h timestamp.Hash, covered []byte, number int) *finding.InDocument {
	root := covered
	if s.Lists != nil {
		if !slices.ContainsFunc(s.Lists[0], func(one []byte) bool { return bytes.Equal(one, covered) }) {
			return &finding.InDocument{Code: Altered, Path: placeOf(number) + "/reducedHashtree",
				Expected: fmt.Sprintf("the %s %.16x of the stamped data", h, covered),
				Found:    fmt.Sprintf("%.16x", s.Lists[0][0])}
		}
		root = rootOf(h, s.Lists)
	}
	if bytes.Equal(root, s.Token.Imprint) {
		return nil
	}
	return &finding.InDocument{Code: timestamp.TokenOther, Path: placeOf(number) + "/timeStamp",
		Expected: fmt.Sprintf("an imprint %.16x", root), Found: fmt.Sprintf("%.16x", s.Token.Imprint)}
}
