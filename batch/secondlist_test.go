package batch

import (
	"regexp"
	"strings"
)

var (
	passed  = regexp.MustCompile(`(?s)^(#.*|[ \t]*)$`)
	usual   = regexp.MustCompile(`(?s)^(\\?)([0-9a-fA-F]{64}) [ *]([^\x00]+)$`)
	tagged  = regexp.MustCompile(`(?s)^(\\?)SHA256 \(([^\x00]+)\) = ([0-9a-fA-F]{64})$`)
	escapes = regexp.MustCompile(`(?s)^([^\\]|\\[\\nr])*$`)
	undo    = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

// secondReading returns the digests that are listed, each with the first name, and
// whether a line is none.
func secondReading(data string) (digests map[string]string, bad bool) {
	digests = map[string]string{}
	for line := range strings.SplitSeq(strings.TrimPrefix(data, "\xef\xbb\xbf"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if passed.MatchString(line) {
			continue
		}
		var mark, name, digest string
		if m := usual.FindStringSubmatch(line); m != nil {
			mark, digest, name = m[1], m[2], m[3]
		} else if m := tagged.FindStringSubmatch(line); m != nil {
			mark, name, digest = m[1], m[2], m[3]
		}
		if digest == "" || mark != "" && !escapes.MatchString(name) || len(line) >= maxLine {
			return nil, true
		}
		if mark != "" {
			name = undo.Replace(name)
		}
		if _, twice := digests[strings.ToLower(digest)]; !twice {
			digests[strings.ToLower(digest)] = name
		}
	}
	return digests, false
}
