package read

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// names are hashes of the names that the members of an archive had so far.
type names map[uint64]bool

// memberStep returns the step to a member. It is the member's name, or that in quotes
// where it is more than a plain name. A name that was there before gets its
// offset, so that each place is one place. Nothing is ever written under a name;
// one that leads out of where it is unpacked is noted all the same.
func (s *stream) memberStep(n names, name string, at int64) (step string, err error) {
	step = name
	if leadsOut(name) {
		step = strconv.QuoteToASCII(name)
		err = s.noteAt(at, finding.SourceNoRecord,
			"the name of a member leads out of the archive: "+safetext.Excerpt(name, safetext.Value))
	} else if !plainName(name) {
		step = strconv.QuoteToASCII(name)
	}
	h := hashOf(step)
	if n[h] {
		step = fmt.Sprintf("%s@%d", step, at)
	}
	n[h] = true
	return step, err
}

// leadsOut reports whether a name is absolute, with a drive or without, or climbs.
func leadsOut(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1:3] == ":/" ||
		strings.Contains("/"+name+"/", "/../")
}

// plainName reports whether a name is text that can be one step among others.
func plainName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsAny(name, `!"`) &&
		strings.IndexFunc(name, unicode.IsControl) < 0
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
