package dumps

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/forensics/read"
)

// storeFormats are the formats that hold one record at a time.
func storeFormats() []Format {
	return slices.Concat(queueFormats(), lokiFormats(), elasticFormats(), rowFormats())
}

// How bodies come through.
const exact, unquoted, again = read.Exact, read.Unquoted, read.Recanonicalised

// queueFormats are for journals and Kafka.
func queueFormats() []Format {
	return []Format{
		{Name: "journal", Reads: read.Journal, Text: exact, Lines: true, write: eachLine(wholeBody)},
		{Name: "s3-body", Reads: read.Journal, Text: exact, Structure: exact, Lines: true, write: eachLine(wholeBody)},
		{Name: "kafka-json", Reads: read.Kafka, Text: exact, Structure: again, Batch: read.InKafkaHeader, Lines: true,
			write: func(e export) []byte {
				return e.each(func(e export) []byte { return e.asKafka(string(bytes.TrimSpace(jsonLine(e.withoutIDs())))) })
			}},
		{Name: "kafka-base64", Reads: read.Kafka, Text: exact, Structure: again, Batch: read.InKafkaHeader, Lines: true,
			write: func(e export) []byte {
				return e.each(func(e export) []byte {
					return e.asKafka(base64.StdEncoding.EncodeToString(Proto(e.bodies, e.withoutIDs().Options)))
				})
			}},
		{Name: "kafka-raw", Reads: read.Kafka, Text: unquoted, Structure: exact, Batch: read.InKafkaHeader, Lines: true,
			write: eachRecord(func(e export, i int, body []byte) string { return string(e.asKafka(rawEncoding(e, i, body))) })},
		{Name: "kafka-values", Reads: read.KafkaRaw, Text: unquoted, Lines: true, write: eachLine(rawEncoding)},
	}
}

// lokiFormats are for Loki.
func lokiFormats() []Format {
	return []Format{
		{Name: "loki-jsonl", Reads: read.Loki, Text: exact, Structure: exact, Batch: read.InRecord, Lines: true,
			write: eachLine(lokiLine)},
		{Name: "loki-legacy", Reads: read.Loki, Text: unquoted, Structure: exact, Batch: read.InRecord, Lines: true,
			write: eachLine(lokiLegacy)},
		{Name: "loki-api", Reads: read.LokiAPI, Text: exact, Structure: exact, Batch: read.InRecord, write: lokiAPI},
	}
}

// elasticFormats are for Elasticsearch.
func elasticFormats() []Format {
	return []Format{
		{Name: "elastic-otel", Reads: read.Elastic, Text: exact, Structure: again, Batch: read.InRecord, Lines: true,
			write: eachLine(searchHits(elasticOTel))},
		{Name: "elastic-old", Reads: read.Elastic, Text: exact, Structure: again, Lines: true,
			write: eachLine(searchHits(elasticOld))},
		{Name: "elastic-ecs", Reads: read.Elastic, Text: exact, Batch: read.InRecord, Lines: true,
			write: eachLine(searchHits(elasticECS))},
		{Name: "elastic-raw", Reads: read.Elastic, Text: exact, Structure: again, Batch: read.InRecord, Lines: true,
			write: eachLine(elasticRaw)},
		{Name: "elastic-bodymap", Reads: read.Elastic, Structure: again, Lines: true,
			write: eachLine(searchHits(func(e export, i int, body []byte) string {
				return `{"@timestamp":"` + e.dateOf(i) + `",` + string(body[1:])
			}))},
		{Name: "elastic-bulk", Reads: read.Elastic, Text: exact, Structure: again, Batch: read.InRecord,
			write: eachLine(func(e export, i int, body []byte) string {
				return `{"create":{"_index":"logs"}}` + "\n" + elasticOTel(e, i, body)
			})},
		{Name: "elastic-hits", Reads: read.ElasticHits, Text: exact, Structure: again, Batch: read.InRecord,
			write: func(e export) []byte {
				return fmt.Appendf(nil, `{"took":3,"timed_out":false,"hits":{"total":{"value":%d},"hits":[%s]}}`,
					len(e.bodies), e.listRecords("", searchHits(elasticOTel)))
			}},
	}
}

// rowFormats are for ClickHouse and Splunk.
func rowFormats() []Format {
	return []Format{
		{Name: "clickhouse-rows", Reads: read.ClickHouse, Text: exact, Structure: exact, Batch: read.InRecord, Resource: true,
			Lines: true, write: eachLine(asClickHouse)},
		{Name: "clickhouse-json", Reads: read.ClickHouseJSON, Text: exact, Structure: exact, Batch: read.InRecord,
			Resource: true, write: func(e export) []byte {
				return fmt.Appendf(
					nil, "{\n\t\"meta\":\n\t[\n\t\t{\n\t\t\t\"name\": \"Body\",\n\t\t\t\"type\": \"String\"\n\t\t}\n\t],\n\n"+
						"\t\"data\":\n\t[%s\n\t],\n\n\t\"rows\": %d\n}\n", e.listRecords("\n\t\t", asClickHouse), len(e.bodies))
			}},
		{Name: "splunk-hec", Reads: read.SplunkHEC, Text: exact, Structure: again, Batch: read.InRecord,
			write: eachRecord(asHEC)},
		{Name: "splunk-export", Reads: read.SplunkExport, Text: exact, Structure: exact, Batch: read.InRecord, Lines: true,
			write: func(e export) []byte {
				return append(eachRecord(asSplunk)(e), `{"preview":false,"lastrow":true}`+"\n"...)
			}},
	}
}

// record writes one record of an export.
type record = func(e export, i int, body []byte) string

// eachRecord writes all records, one behind the other.
func eachRecord(of record) func(export) []byte {
	return func(e export) []byte {
		var out bytes.Buffer
		for i, body := range e.bodies {
			out.WriteString(of(e, i, body))
		}
		return out.Bytes()
	}
}

// eachLine writes a line for each record.
func eachLine(of record) func(export) []byte {
	return eachRecord(func(e export, i int, body []byte) string { return of(e, i, body) + "\n" })
}

// listRecords writes the records with commas between them, each behind some text.
func (e export) listRecords(before string, of record) []byte {
	var all []string
	for i, body := range e.bodies {
		all = append(all, before+of(e, i, body))
	}
	return []byte(strings.Join(all, ","))
}

// wholeBody is the body itself.
func wholeBody(_ export, _ int, body []byte) string { return string(body) }

// withoutIDs is the export without batch ids, where these go elsewhere.
func (e export) withoutIDs() export {
	e.Batches = nil
	return e
}

// escapeString writes a JSON string as Go's encoder does.
func escapeString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// rawEncoding is the raw encoding of Kafka: a string is quoted, a map is not.
func rawEncoding(e export, _ int, body []byte) string {
	if e.Structured {
		return string(body)
	}
	return escapeString(string(body))
}

func (e export) asKafka(payload string) []byte {
	headers := ""
	if len(e.Batches) > 0 {
		headers = `,"headers":["other","x","x-svc-edge-audit-batch",` + Quote(e.joinedIDs()) + `]`
	}
	return fmt.Appendf(
		nil, `{"topic":"otlp_logs","partition":0,"offset":7,"tstype":"create","ts":%d,"broker":1%s,"key":null,"payload":%s}`+
			"\n",
		e.Time/1_000_000, headers, Quote(payload))
}

func (e export) dateOf(i int) string { return time.Unix(0, e.time(i)).UTC().Format(time.RFC3339Nano) }

// attribute writes the ids as a member of a flat object.
func (e export) attribute(name, before string) string {
	if len(e.Batches) == 0 || e.Where != read.InRecord {
		return ""
	}
	if e.Array {
		return before + `"` + name + `":["` + strings.Join(e.Batches, `","`) + `"]`
	}
	return before + `"` + name + `":` + Quote(e.joinedIDs())
}

func (e export) idLabels() string {
	e.Array = false
	return `{"service_name":"edge"` + e.attribute("x_svc_edge_audit_batch", ",") + `}`
}

func lokiLine(e export, i int, body []byte) string {
	return `{"labels":` + e.idLabels() + `,"line":` + escapeString(string(body)) + `,"timestamp":"` + e.dateOf(i) + `"}`
}

func lokiLegacy(e export, i int, body []byte) string {
	inner := escapeString(string(body))
	if e.Structured {
		inner = string(body)
	}
	line := `{"body":` + inner + `,"severity":"INFO","attributes":{"seq":` + fmt.Sprint(i) +
		e.attribute("x-svc-edge-audit-batch", ",") + `}}`
	return `{"labels":{"exporter":"OTLP"},"line":` + escapeString(line) + `,"timestamp":"` + e.dateOf(i) + `"}`
}

func lokiAPI(e export) []byte {
	var streams []string
	for _, part := range e.timedChunks() {
		var values []string
		for i, body := range part.bodies {
			values = append(values, fmt.Sprintf(`["%d",%s]`, part.time(i), escapeString(string(body))))
		}
		streams = append(streams, `{"stream":`+part.idLabels()+`,"values":[`+strings.Join(values, ",")+`]}`)
	}
	return []byte(`{"status":"success","data":{"resultType":"streams","result":[` + strings.Join(streams, ",") +
		`],"stats":{}}}`)
}

// searchHits writes documents as a search finds them.
func searchHits(source record) record {
	return func(e export, i int, body []byte) string {
		return `{"_index":".ds-logs","_id":"AZ","_score":1,"_source":` + source(e, i, body) + `}`
	}
}

func elasticOTel(e export, i int, body []byte) string {
	value := `{"text":` + escapeString(string(body)) + `}`
	if e.Structured {
		value = `{"structured":` + string(body) + `}`
	}
	return fmt.Sprintf(`{"@timestamp":"%d.%d","observed_timestamp":"0.0","data_stream":{"type":"logs"},"severity_number":9,"attributes":{"seq":%d%s},"resource":{"attributes":{"service.name":"edge"}},"scope":{"name":"audit"},"body":%s}`,
		e.time(i)/1_000_000, e.time(i)%1_000_000, i, e.attribute("x-svc-edge-audit-batch", ","), value)
}

func elasticOld(e export, i int, body []byte) string {
	value := `"body_text":` + escapeString(string(body))
	if e.Structured {
		value = `"body_structured":` + string(body)
	}
	return `{"@timestamp":"` + e.dateOf(i) + `",` + value + `}`
}

func elasticECS(e export, i int, body []byte) string {
	return `{"@timestamp":"` + e.dateOf(i) + `","message":` + escapeString(string(body)) + `,"labels":{` +
		e.attribute("x-svc-edge-audit-batch", "") + `}}`
}

func elasticRaw(e export, i int, body []byte) string {
	value := escapeString(string(body))
	if e.Structured {
		value = string(body)
	}
	return `{"@timestamp":"` + e.dateOf(i) + `","Body":` + value + e.attribute("Attributes.x-svc-edge-audit-batch", ",") +
		`}`
}

func asClickHouse(e export, i int, body []byte) string {
	e.Array = false
	resource := e
	if resource.Where == read.InResource {
		resource.Where, e.Batches = read.InRecord, nil
	} else {
		resource.Batches = nil
	}
	at := time.Unix(0, e.time(i)).UTC().Format("2006-01-02 15:04:05.000000000")
	return fmt.Sprintf(`{"Timestamp":"%s","SeverityNumber":9,"ServiceName":"edge","Body":%s,"ResourceAttributes":{"service.name":"edge"%s},"ScopeName":"audit","LogAttributes":{"seq":"%d"%s}}`,
		at, strings.ReplaceAll(Quote(string(body)), "/", `\/`), resource.attribute("x-svc-edge-audit-batch", ","), i,
		e.attribute("x-svc-edge-audit-batch", ","))
}

func asHEC(e export, i int, body []byte) string {
	return fmt.Sprintf(`{"time":%d.%03d,"host":"unknown","source":"edge","event":%s,"fields":{"service.name":"edge"%s}}`,
		e.time(i)/1e9, e.time(i)/1e6%1000, e.hecEvent(body), e.attribute("x-svc-edge-audit-batch", ","))
}

func (e export) hecEvent(body []byte) string {
	if e.Structured {
		return string(body)
	}
	return escapeString(string(body))
}

func asSplunk(e export, i int, body []byte) string {
	return fmt.Sprintf(`{"preview":false,"offset":%d,"result":{"_raw":%s,"_time":"%s","host":"unknown"%s}}`+"\n",
		i, escapeString(string(body)), e.dateOf(i), e.attribute("x-svc-edge-audit-batch", ","))
}
