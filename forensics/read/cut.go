package read

import "fmt"

// cutsAt are the lengths at which stores and shippers cut a record, and whose
// limit each is.
var cutsAt = map[int]string{
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

// Cut reports whether JSON that stops after a number of bytes was probably cut by
// a store, because the number is the limit of a known one. The detail names the
// limit.
func Cut(octets int) (detail string, ok bool) {
	whose, ok := cutsAt[octets]
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%d bytes, the limit of %s, and then the end", octets, whose), true
}
