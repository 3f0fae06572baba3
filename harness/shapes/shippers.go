package shapes

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const fluentDocuments = "Fluent Bit manual, https://docs.fluentbit.io/manual/pipeline/outputs/"

const fluentFluentd = "Fluentd documentation, https://docs.fluentd.org/"

func fluentBitShapes() []Shape {
	return []Shape{
		{Name: "fluent-bit/stdout", Document: fluentDocuments + "standard-output", Export: "Format json_lines",
			Keeps: Octets,
			Write: lined("stdout.txt", func(r record) string {
				return fmt.Sprintf(`[%d] journal: [[%s, {}], {"log"=>"%s"}]`, r.n-1, r.epoch(9), r.line)
			})},
		{Name: "fluent-bit/json_lines", Document: fluentDocuments + "standard-output", Export: "Format json_lines",
			Keeps: Octets,
			Batch: true, Write: lined("stdout.jsonl", func(r record) string {
				return ascii.object("date", r.epoch(6), "log", ascii.quote(r.line), batchKey, ascii.quote(r.batch))
			})},
		{Name: "fluent-bit/json", Document: fluentDocuments + "http", Export: "Format json_lines", Keeps: Octets,
			Batch: true,
			Write: page{name: "body.json", head: "[", between: ",", foot: "]"}.of(func(r record) string {
				return ascii.object("date", r.epoch(6), "log", ascii.quote(r.line), batchKey, ascii.quote(r.batch))
			})},
		{Name: "fluent-bit/json-parsed",
			Document: "Fluent Bit manual, https://docs.fluentbit.io/manual/pipeline/filters/parser",
			Export:   "without the parser filter: Parser json takes lines apart", Keeps: Values,
			Write: lined("stdout.jsonl", func(r record) string {
				return `{"date":` + r.epoch(6) + "," + ascii.respell(r.line)[1:]
			})},
		{Name: "fluent-bit/file", Document: fluentDocuments + "file", Export: "Format plain", Keeps: Octets,
			Write: lined("journal", func(r record) string {
				return fmt.Sprintf(`journal: [%s, %s]`, r.epoch(9), ascii.object("log", ascii.quote(r.line)))
			})},
		{Name: "fluent-bit/file-plain", Document: fluentDocuments + "file", Export: "Format plain", Keeps: Octets,
			Write: lined("journal", func(r record) string { return ascii.object("log", ascii.quote(r.line)) })},
		{Name: "fluent-bit/file-csv", Document: fluentDocuments + "file", Export: "Format plain", Keeps: Octets,
			Write: lined("journal.csv", func(r record) string {
				return r.epoch(9) + "," + doubled(r.line, `"`) + "," + doubled(r.batch, `"`)
			})},
		{Name: "fluent-bit/file-ltsv", Document: fluentDocuments + "file", Export: "Format plain", Keeps: Octets,
			Write: lined("journal.ltsv", func(r record) string {
				return "time:" + r.epoch(6) + "\tlog:" + r.line + "\t" + batchKey + ":" + r.batch
			})},
		{Name: "fluent-bit/file-template", Document: fluentDocuments + "file", Export: "Format plain", Keeps: Octets,
			Write: lined("journal.txt", func(r record) string { return r.epoch(6) + " used=" + r.line + " end" })},
	}
}

func fluentdShapes() []Shape {
	return []Shape{
		{Name: "fluentd/out_file", Document: fluentFluentd + "formatter/out_file", Export: "@type single_value",
			Keeps: Octets,
			Write: lined("journal.20260302.log", func(r record) string {
				return r.zoned() + "\tjournal\t" + compact.object("message", compact.quote(r.line))
			})},
		{Name: "fluentd/json", Document: fluentFluentd + "formatter/json",
			Export: "@type json, with the field of the batch",
			Keeps:  Octets,
			Batch:  true, Write: lined("buffer.b5f.log", func(r record) string {
				return compact.object("message", compact.quote(r.line), batchKey, compact.quote(r.batch))
			})},
		{Name: "fluentd/json-parsed", Document: fluentFluentd + "filter/parser", Export: "without @type parser",
			Keeps: Values,
			Batch: true,
			Write: lined("journal.log", func(r record) string {
				return r.zoned() + "\tjournal\t" + "{" + compact.quote(batchKey) + ":" + compact.quote(r.batch) + "," + r.line[1:]
			})},
		{Name: "fluentd/single_value", Document: fluentFluentd + "formatter/single_value", Export: "@type single_value",
			Keeps: Octets,
			Write: lined("journal.log", func(r record) string { return r.line })},
		{Name: "fluentd/hash", Document: fluentFluentd + "formatter/hash", Export: "@type json", Keeps: Octets,
			Write: lined("journal.log", func(r record) string { return `{"message"=>` + rubyString(r.line) + "}" })},
		{Name: "fluentd/ltsv", Document: fluentFluentd + "formatter/ltsv", Export: "@type json", Keeps: Octets,
			Write: lined("journal.log", func(r record) string { return "host:berlin\tmessage:" + r.line })},
		{Name: "fluentd/stdout", Document: fluentFluentd + "output/stdout", Export: "@type json", Keeps: Octets,
			Write: lined("fluentd.log", func(r record) string {
				return r.at.Format("2006-01-02 15:04:05.000000000 -0700") + " journal: " + compact.object("message",
					compact.quote(r.line))
			})},
	}
}

// batchKey is the attribute that holds a batch id, as the exporter's header has it.
const batchKey = "x-svc-edge-audit-batch"

// epoch is the record's time in seconds since 1970, with so many digits of a fraction.
func (r record) epoch(digits int) string {
	return fmt.Sprintf("%d.%s", r.at.Unix(), fmt.Sprintf("%09d", r.at.Nanosecond())[:digits])
}

// millis is the record's time in milliseconds since 1970.
func (r record) millis() string { return fmt.Sprint(r.at.UnixMilli()) }

// nanos is the record's time in nanoseconds since 1970.
func (r record) nanos() string { return fmt.Sprint(r.at.UnixNano()) }

// nano is the record's time in RFC 3339 with nine digits.
func (r record) nano() string { return r.at.Format("2006-01-02T15:04:05.000000000Z") }

// zoned is the record's time in RFC 3339 in a zone other than UTC.
func (r record) zoned() string { return r.at.Format("2006-01-02T15:04:05.000000+00:00") }

// rubyString writes a string as Ruby's inspect does.
func rubyString(text string) string {
	quoted := compact.quote(text)
	for _, start := range []string{"{", "$", "@"} {
		quoted = strings.ReplaceAll(quoted, "#"+start, `\#`+start)
	}
	return strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`, "\u007f", `\x7F`).Replace(quoted)
}

const shipperVector, shipperLogstash = "Vector documentation, https://vector.dev/docs/reference/configuration/sinks/",
	"Logstash reference, https://www.elastic.co/guide/en/logstash/current/plugins-codecs-"

const shipperFilebeat = "Filebeat reference, https://www.elastic.co/docs/reference/beats/filebeat/"

func vectorShapes() []Shape {
	return []Shape{
		{Name: "vector/json", Document: shipperVector + "console/", Export: "encoding.codec = json", Keeps: Octets,
			Batch: true,
			Write: lined("vector.log", func(r record) string {
				return compact.object("attributes", compact.object(batchKey, compact.quote(r.batch)), "host", `"berlin"`,
					"message",
					compact.quote(r.line), "source_type", `"file"`, "timestamp", compact.quote(r.nano()))
			})},
		{Name: "vector/text", Document: shipperVector + "file/", Export: "encoding.codec = json", Keeps: Octets,
			Write: lined("vector.log", func(r record) string { return r.line })},
		{Name: "vector/native_json", Document: shipperVector + "file/", Export: "encoding.codec = json", Keeps: Octets,
			Batch: true,
			Write: lined("vector.log", func(r record) string {
				return `{"log":` + compact.object(batchKey, compact.quote(r.batch), "message", compact.quote(r.line), "timestamp",
					compact.quote(r.nano())) + "}"
			})},
		{Name: "vector/logfmt", Document: shipperVector + "file/", Export: "encoding.codec = json", Keeps: Octets,
			Batch: true,
			Write: lined("vector.log", func(r record) string {
				return "host=berlin message=" + cQuoted(r.line) + " source_type=file timestamp=" + r.nano() + " " + batchKey +
					"=" + r.batch
			})},
		{Name: "vector/csv", Document: shipperVector + "file/", Export: "encoding.codec = json", Keeps: Octets,
			Write: lined("vector.csv", func(r record) string { return r.nano() + "," + csvCell(r.line) + ",berlin" })},
		{Name: "vector/parsed", Document: "Vector documentation, " +
			"https://vector.dev/docs/reference/vrl/functions/#parse_json",
			Export: "without parse_json", Keeps: Values, Write: lined("vector.log", func(r record) string {
				return `{"host":"berlin","message":` + r.line + `,"timestamp":"` + r.nano() + `"}`
			})},
		{Name: "logstash/json_lines", Document: shipperLogstash + "json_lines.html", Export: "codec => json_lines",
			Keeps: Octets, Batch: true,
			Write: lined("logstash.json", func(r record) string {
				return jackson.object("@timestamp", jackson.quote(r.iso()), "@version", `"1"`, "event",
					jackson.object("original", jackson.quote(r.line)),
					"message", jackson.quote(r.line), batchKey, jackson.quote(r.batch))
			})},
		{Name: "logstash/rubydebug", Document: shipperLogstash + "rubydebug.html", Export: "codec => json_lines",
			Keeps: Octets,
			Write: lined("logstash.out", func(r record) string {
				return "{\n    \"@timestamp\" => " + r.iso() + ",\n      \"@version\" => \"1\",\n       \"message\" => " +
					rubyString(r.line) +
					",\n          \"host\" => \"berlin\"\n}"
			})},
		{Name: "logstash/line", Document: shipperLogstash + "line.html", Export: "codec => json_lines", Keeps: Octets,
			Write: lined("logstash.out", func(r record) string { return r.iso() + " {name=berlin} " + r.line })},
		{Name: "logstash/dead-letter", Document: "Logstash reference, " +
			"https://www.elastic.co/guide/en/logstash/current/plugins-filters-json.html",
			Export: "codec => json_lines, without the json filter", Keeps: Values, Write: lined("logstash.json",
				func(r record) string {
					return `{"@timestamp":"` + r.iso() + `","parsed":` + jackson.respell(r.line) + `,"tags":[]}`
				})},
	}
}

func filebeatShapes() []Shape {
	return []Shape{
		{Name: "filebeat/file", Document: shipperFilebeat + "file-output", Export: "output.file", Keeps: Octets,
			Batch: true,
			Write: lined("filebeat-20260302.ndjson", func(r record) string {
				return filebeatLine(r, `"message":`+goSpelling.quote(r.line)+`,"fields":{"`+batchKey+`":"`+r.batch+`"}`)
			})},
		{Name: "filebeat/file-decoded", Document: shipperFilebeat + "decode-json-fields",
			Export: "without decode_json_fields and ndjson.target",
			Keeps:  Values, Write: lined("filebeat-20260302.ndjson", func(r record) string {
				return filebeatLine(r, `"json":`+goSpelling.respell(r.line))
			})},
		{Name: "filebeat/console", Document: shipperFilebeat + "console-output", Export: "output.file", Keeps: Octets,
			Write: lined("console.txt", func(r record) string {
				indented := goSpelling
				indented.indent, indented.colon = "  ", ": "
				return indented.respell(filebeatLine(r, `"message":`+goSpelling.quote(r.line)))
			})},
		{Name: "alloy/loki.echo", Document: "Grafana Alloy reference, " +
			"https://grafana.com/docs/alloy/latest/reference/components/loki/loki.echo/",
			Export: "loki.write", Keeps: Octets, Write: lined("alloy.log", func(r record) string {
				return `ts=` + r.nano() + ` level=info component_path=/ component_id=loki.echo.journal ` +
					`receiver=loki.echo.journal entry=` +
					goSpelling.quote(r.line) + ` entry_timestamp=` + r.nano() +
					` labels="{filename=\"/var/log/journal.ndjson\"}" structured_metadata={}`
			})},
		{Name: "promtail/dry-run", Document: "Promtail documentation, " +
			"https://grafana.com/docs/loki/latest/send-data/promtail/troubleshooting/",
			Export: "logcli query -o raw", Keeps: Octets, Write: lined("promtail.txt", func(r record) string {
				return r.at.Format("2006-01-02T15:04:05.000000000+0000") + "\t{__path__=\"/var/log/*\", job=\"edge\"}\t" + r.line
			})},
	}
}

func criblShapes() []Shape {
	return []Shape{
		{Name: "cribl/raw", Document: "Cribl Stream documentation, https://docs.cribl.io/stream/destinations-fs/",
			Export: "Data format: JSON",
			Keeps:  Octets, Batch: true, Write: lined("CriblOut-0.json", func(r record) string {
				return compact.object("_raw", compact.quote(r.line), "_time", r.epoch(3), batchKey, compact.quote(r.batch),
					"cribl_breaker", `"ndjson"`)
			})},
		{Name: "otelcol/debug", Document: "OpenTelemetry Collector, debug exporter, " +
			"https://github.com/open-telemetry/opentelemetry-collector/tree/main/exporter/debugexporter",
			Export: "the file exporter", Keeps: Octets, Write: lined("collector.log", func(r record) string {
				return fmt.Sprintf("LogRecord #%d\nObservedTimestamp: %s\nTimestamp: %s\nSeverityText: "+
					"INFO\nSeverityNumber: Info(9)\nBody: Str(%s)\nAttributes:\n     -> %s: Str(%s)\nTrace ID: \nSpan ID: "+
					"\nFlags: 0",
					r.n-1, r.at.Format("2006-01-02 15:04:05 +0000 UTC"), r.at.Format("2006-01-02 15:04:05 +0000 UTC"), r.line,
					batchKey, r.batch)
			})},
		{Name: "svlogd/tai64n", Document: "runit, svlogd(8), http://smarden.org/runit/svlogd.8.html",
			Export: "without -t", Keeps: Octets,
			Write: lined("current", func(r record) string {
				return fmt.Sprintf("@%016x%08x %s", 1<<62+10+r.at.Unix(), r.at.Nanosecond(), r.line)
			})},
		{Name: "s6-log/t-T", Document: "s6, s6-log, https://skarnet.org/software/s6/s6-log.html", Export: "without T",
			Keeps: Octets,
			Write: lined("current", func(r record) string { return r.at.Format("2006-01-02 15:04:05.000000000  ") + r.line })},
		{Name: "kinesis-agent/records",
			Document: "Amazon Kinesis API, GetRecords, " +
				"https://docs.aws.amazon.com/kinesis/latest/APIReference/API_GetRecords.html",
			Export: "aws kinesis get-records --output json", Keeps: Octets, Write: page{name: "records.json",
				head: "{\n    \"Records\": [\n        ", between: ",\n        ",
				foot: "\n    ],\n    \"NextShardIterator\": \"AAAA\",\n    \"MillisBehindLatest\": 0\n}\n",
			}.of(func(r record) string {
				return fmt.Sprintf("{\n            \"SequenceNumber\": \"4960%d\",\n            "+
					"\"ApproximateArrivalTimestamp\": %s,\n            \"Data\": \"%s\",\n            \"PartitionKey\": "+
					"\"berlin\"\n        }",
					r.n, r.epoch(3), base64.StdEncoding.EncodeToString([]byte(r.line+"\n")))
			})},
	}
}

// cQuoted writes a text between quotes with backslashes before quotes and backslashes.
func cQuoted(text string) string { return `"` + cString(text) + `"` }

func filebeatLine(r record, more string) string {
	return `{"@timestamp":"` + r.iso() +
		`","@metadata":{"beat":"filebeat","type":"_doc","version":"9.0.0"},"log":{"offset":0,"file":{"path":` +
		`"/var/log/journal.ndjson"}},` +
		more + `,"input":{"type":"filestream"},"ecs":{"version":"8.0.0"},"host":{"name":"berlin"}}`
}
