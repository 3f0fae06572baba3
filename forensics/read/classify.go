package read

import (
	"bytes"
	"slices"
	"strings"
)

// required are the names that a value must have: of each list, one. Each stands
// between spaces.
type required [][]string

// listed makes a list of names between spaces; "a|b" is either.
func listed(names string) (all required) {
	for either := range strings.FieldsSeq(names) {
		var one []string
		for name := range strings.SplitSeq(either, "|") {
			one = append(one, " "+name+" ")
		}
		all = append(all, one)
	}
	return all
}

// in reports whether all of them are among names, each between spaces.
func (r required) in(names string) bool {
	for _, either := range r {
		if !slices.ContainsFunc(either, func(name string) bool { return strings.Contains(names, name) }) {
			return false
		}
	}
	return true
}

// set is what a format is known by.
type set struct {
	format Format
	names  string
	required
}

// sets are the members by which each format is known, in the order in which
// they are tried. A value has a format if it has all the members of one of its
// sets.
var sets = func() (all []set) {
	for _, known := range known {
		all = append(all, set{known.format, known.names, listed(known.names)})
	}
	return all
}()

var known = []struct {
	format Format
	names  string
}{
	{OTLPJSON, "resourceLogs|resource_logs"},
	{OTLPJSON, "resourceSpans|resourceMetrics|resourceProfiles"}, // another signal, which is counted
	{Journal, "body hash signature"},
	{BundleFile, "protocol manifest audit_path"},
	{EnvelopeFile, "statement key_id signature"},
	{Kafka, "topic partition offset"},
	{Loki, "labels line"},
	{LokiAPI, "status data"},
	{ClickHouseJSON, "meta data"},
	{ElasticHits, "hits"},
	{Elastic, "_source"},
	{SplunkExport, "preview result|lastrow"},
	{SplunkExport, "result"},
	{SplunkExport, "_raw"},
	{SplunkHEC, "event time|fields|sourcetype|source|host|index"},
	{Systemd, "MESSAGE __REALTIME_TIMESTAMP|__CURSOR|_TRANSPORT|CONTAINER_ID"},
	{Runtime, "partial_message|partial_id log|message"},
	{Runtime, "container_id container_name source log"},
	{Runtime, "stream logtag|_p log|message"},
	{Docker, "log stream time"},
	{Elastic, "@timestamp"},
	{ClickHouse, "Body Timestamp|LogAttributes|ResourceAttributes|ServiceName"},
	{Elastic, "Body|body.text|body_text|body.structured"},
	{Elastic, "body attributes|resource|scope|observed_timestamp"},
}

// classify tells by its members which format a value has, and why. It returns
// "" and the reason if it has none.
func classify(b []byte) (f Format, why string) {
	if len(b) > 0 && b[0] == '"' {
		return KafkaRaw, "a string that holds JSON"
	}
	if bytes.HasPrefix(b, []byte(`{"resourceLogs":`)) {
		return OTLPJSON, "begins as an export of logs does"
	}
	names := topNames(b)
	if isAction(names) {
		return Elastic, "an action of a bulk request"
	}
	looked, line := false, false
	for i := range sets {
		set := &sets[i]
		if isRuntime(set.format) {
			if !looked {
				looked, line = true, hasLine(names)
			}
			if !line {
				continue
			}
		}
		if set.in(names) {
			return set.format, "its members are those of the format: " + set.names
		}
	}
	return "", "a record of another service"
}

// isRuntime reports whether records of a format are lines, or parts of them.
func isRuntime(f Format) bool { return f == Docker || f == Runtime || f == Systemd }

// hasLine reports whether one of the names is that of a line, which all such records
// have: one look instead of one for each of their sets.
func hasLine(names string) bool {
	return strings.Contains(names, " log ") || strings.Contains(names, " message ") ||
		strings.Contains(names, " MESSAGE ")
}

// topNames returns the names of the members of an object, each between spaces.
func topNames(b []byte) string {
	var names strings.Builder
	names.WriteByte(' ')
	count := 0
	c := cursor{b: b}
	// The walk itself cannot fail.
	_ = c.object(func(name []byte) error {
		if count++; count <= maxNames && len(name) < 64 && bytes.IndexByte(name, ' ') < 0 {
			names.Write(name)
			names.WriteByte(' ')
		}
		return nil
	})
	return names.String()
}

// maxNames is how many members of a value are looked at to classify it.
const maxNames = 256

// isAction reports whether the only member is an action of a bulk request.
func isAction(names string) bool {
	switch names {
	case " index ", " create ", " delete ", " update ":
		return true
	}
	return false
}

// valueFormat returns a format if it is one of JSON values.
func valueFormat(f Format) Format {
	if f.reader() == nil {
		return ""
	}
	return f
}

// reader returns what reads values of the format, nil if it is not one of JSON
// values.
func (f Format) reader() func(*doc) error {
	switch f {
	case Journal:
		return (*doc).journal
	case BundleFile:
		return func(d *doc) error { return d.document(Bundle) }
	case EnvelopeFile:
		return func(d *doc) error { return d.document(Envelope) }
	case OTLPJSON:
		return func(d *doc) error { return otlpJSON{d}.logsData() }
	case Kafka:
		return func(d *doc) error { return kafka{d}.message() }
	case KafkaRaw:
		return func(d *doc) error { return kafka{d}.raw() }
	case Loki:
		return func(d *doc) error { return loki{d}.line() }
	case LokiAPI:
		return func(d *doc) error { return loki{d}.answer() }
	case Elastic:
		return func(d *doc) error { return elastic{d}.line() }
	case ElasticHits:
		return func(d *doc) error { return elastic{d}.hits() }
	case ClickHouse:
		return func(d *doc) error { return clickhouse{d}.line() }
	case ClickHouseJSON:
		return func(d *doc) error { return clickhouse{d}.result() }
	case SplunkHEC:
		return func(d *doc) error { return splunk{d}.hec() }
	case SplunkExport:
		return func(d *doc) error { return splunk{d}.row() }
	case Docker:
		return (*doc).docker
	case Runtime:
		return (*doc).runtime
	case Systemd:
		return (*doc).systemd
	}
	return nil
}
