package delivery

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// cutsAt are the lengths at which stores and shippers cut a record, and whose
// they are.
var cutsAt = map[int64]string{
	8 << 10:      "a syslog message",
	10_000:       "Splunk, TRUNCATE",
	16 << 10:     "a container runtime's log line",
	32_766:       "a term of Lucene",
	1_000_000:    "Kafka, message.max.bytes",
	256 << 10:    "Loki, max_line_size",
	256_000:      "Loki, max_line_size",
	1 << 20:      "a collector's log reader, max_log_size",
	1<<20 + 12:   "Kafka, message.max.bytes",
	256<<10 - 26: "CloudWatch Logs",
}

// endsAt finds in what the ingest said of a body that the JSON in it stops
// where the body does, and where that is.
var endsAt = regexp.MustCompile(`^json\.syntax at byte (\d+): expected .*, found the end of the document$`)

// notWhole is what the reader says of a line whose JSON stops too early.
const notWhole = "the JSON value is not whole"

// SkipCode returns the code under which a span that could not be read is
// reported, and what was found. A span whose JSON stops at a length at which a
// store cuts was cut by that store; any other keeps its own code.
func SkipCode(s store.Skip) (finding.Code, string) {
	code := finding.Code(s.Code)
	if code != finding.SourceUnparseable {
		return code, s.Detail
	}
	length := s.Length
	if m := endsAt.FindStringSubmatch(s.Detail); m != nil {
		length, _ = strconv.ParseInt(m[1], 10, 64) // digits; one too large is no limit
	} else if !strings.Contains(s.Detail, notWhole) {
		return code, s.Detail
	}
	if whose, ok := cutsAt[length]; ok {
		return finding.BodyTruncated, fmt.Sprintf("%d bytes, the limit of %s, and then the end", length, whose)
	}
	return code, s.Detail
}
