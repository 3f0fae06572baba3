package shapes

import (
	"strings"
)

const splunkSearch = "Splunk REST API reference, search endpoints, " +
	"https://help.splunk.com/en/splunk-enterprise/rest-api-reference"

const splunkExport = "curl …/services/search/jobs/export -d output_mode=json -d 'search=search index=edge | fields " +
	"_raw, x-svc-edge-audit-batch'"

const splunkLimit = "TRUNCATE cuts lines at 10,000 octets unless it is set; the newest event is first."

func splunkShapes() []Shape {
	return []Shape{
		{Name: "splunk/export-json", Document: splunkSearch, Export: splunkExport, Keeps: Octets, Loses: splunkLimit,
			Batch: true,
			Write: newest(lined("export.json", func(r record) string {
				return `{"preview":false,"offset":` + r.id() + `,"result":` + compact.object("_raw", compact.quote(r.line),
					"_time", compact.quote(r.zoned()), "source", `"edge"`, batchKey, compact.quote(r.batch)) + `}`
			}))},
		{Name: "splunk/results-json", Document: splunkSearch, Export: splunkExport, Keeps: Octets, Loses: splunkLimit,
			Batch: true,
			Write: newest(page{name: "results.json",
				head:    `{"preview":false,"init_offset":0,"messages":[],"fields":[{"name":"_raw"},{"name":"_time"}],"results":[`,
				between: ", ", foot: `], "highlighted":{}}`}.of(func(r record) string {
				return compact.object("_raw", compact.quote(r.line), "_time", compact.quote(r.zoned()), batchKey,
					compact.quote(r.batch))
			}))},
		{Name: "splunk/rows-json", Document: splunkSearch, Export: splunkExport, Keeps: Octets, Loses: splunkLimit,
			Batch: true,
			Write: newest(page{name: "rows.json", head: `{"preview":false,"init_offset":0,"fields":["_time","_raw","` +
				batchKey + `"],"rows":[`, between: ",", foot: `]}`}.of(func(r record) string {
				return `["` + r.zoned() + `",` + compact.quote(r.line) + `,"` + r.batch + `"]`
			}))},
		{Name: "splunk/csv", Document: splunkSearch, Export: splunkExport, Keeps: Octets, Loses: splunkLimit, Batch: true,
			Write: newest(page{name: "1772442000.csv", head: `"_raw","_time",host,"` + batchKey + `"` + "\n", between: "\n",
				foot: "\n"}.of(func(r record) string {
				return quoted(r.line) + "," + quoted(r.zoned()) + ",berlin," + quoted(r.batch)
			}))},
		{Name: "splunk/xml", Document: splunkSearch, Export: splunkExport, Keeps: Octets, Loses: splunkLimit,
			Write: newest(page{name: "results.xml",
				head: "<?xml version='1.0' encoding='UTF-8'?>\n<results " +
					"preview='0'>\n<meta>\n<fieldOrder>\n<field>_raw</field>\n</fieldOrder>\n</meta>\n",
				foot: "</results>\n"}.of(func(r record) string {
				return "\t<result offset='" + r.id() + "'>\n\t\t<field k='_time'>\n\t\t\t<value><text>" + r.zoned() +
					"</text></value>\n\t\t</field>\n\t\t<field k='_raw'><v xml:space='preserve' trunc='0'>" + xmlText(r.line) +
					"</v></field>\n\t</result>\n"
			}))},
		{Name: "splunk/raw", Document: splunkSearch, Export: splunkExport, Keeps: Octets, Loses: splunkLimit,
			Write: newest(lined("raw.txt", func(r record) string { return r.line }))},
		{Name: "splunk/hec-raw", Document: "Splunk, HTTP Event Collector, " +
			"https://help.splunk.com/en/splunk-enterprise/get-data-in", Export: splunkExport, Keeps: Octets, Batch: true,
			Write: page{name: "requests.json"}.of(func(r record) string {
				return compact.object("time", r.epoch(3), "host", `"berlin"`, "event", compact.quote(r.line), "fields",
					compact.object(batchKey, compact.quote(r.batch)))
			})},
		{Name: "splunk/hec-event", Document: "Splunk, HTTP Event Collector, " +
			"https://help.splunk.com/en/splunk-enterprise/get-data-in", Export: splunkExport, Keeps: Values, Batch: true,
			Write: page{name: "requests.json"}.of(func(r record) string {
				return `{"time":` + r.epoch(3) + `,"event":` + r.line + `,"fields":{"` + batchKey + `":"` + r.batch + `"}}`
			})},
	}
}

// newest writes a log from its newest line to its oldest.
func newest(write func(Log) Files) func(Log) Files {
	return func(l Log) Files {
		turned := Log{Batch: l.Batch, Time: l.Time}
		for i := range l.Lines {
			turned.Lines = append(turned.Lines, l.Lines[len(l.Lines)-1-i])
		}
		return write(turned)
	}
}

const lokiLogcli = "Grafana Loki, LogCLI, https://grafana.com/docs/loki/latest/query/logcli/"

const lokiExplore = "Grafana, Explore, logs, https://grafana.com/docs/grafana/latest/explore/logs-integration/"

const lokiLimit = "Loki drops or cuts lines above max_line_size, 256 KiB; logcli asks for 30 lines unless " +
	"--limit is set."

const lokiExport = "logcli query -o jsonl --include-common-labels --limit 0 --forward"

func lokiShapes() []Shape {
	return []Shape{
		{Name: "loki/logcli-default", Document: lokiLogcli, Export: lokiExport, Keeps: Octets, Loses: lokiLimit,
			Batch: true,
			Write: lined("query.txt", func(r record) string {
				return r.at.Format("2006-01-02T15:04:05Z07:00") + ` {service_name="edge", ` + batchName + `="` + r.batch +
					`"} ` + r.line
			})},
		{Name: "loki/logcli-raw", Document: lokiLogcli, Export: lokiExport, Keeps: Octets, Loses: lokiLimit,
			Write: lined("query.txt",
				func(r record) string { return r.line })},
		{Name: "loki/logcli-jsonl", Document: lokiLogcli, Export: lokiExport, Keeps: Octets, Loses: lokiLimit, Batch: true,
			Write: lined("query.jsonl", func(r record) string {
				return goSpelling.object("labels", `{"service_name":"edge","`+batchName+`":"`+r.batch+`"}`, "line",
					goSpelling.quote(r.line), "timestamp", goSpelling.quote(r.nano()))
			})},
		{Name: "loki/tail", Document: "Loki HTTP API, stream logs, " +
			"https://grafana.com/docs/loki/latest/reference/loki-http-api/", Export: lokiExport, Keeps: Octets, Loses: lokiLimit,
			Batch: true,
			Write: lined("tail.json", func(r record) string {
				return `{"streams":[{"stream":{"` + batchName + `":"` + r.batch + `"},"values":[["` + r.nanos() + `",` +
					goSpelling.quote(r.line) + `]]}],"dropped_entries":null}`
			})},
		{Name: "loki/push", Document: "Loki HTTP API, ingest logs, " +
			"https://grafana.com/docs/loki/latest/reference/loki-http-api/", Export: lokiExport, Keeps: Octets, Batch: true,
			Write: page{name: "push.json", head: `{"streams":[{"stream":{"job":"edge"},"values":[`, between: ",",
				foot: "]}]}"}.of(func(r record) string {
				return `["` + r.nanos() + `",` + goSpelling.quote(r.line) + `,{"` + batchName + `":"` + r.batch + `"}]`
			})},
		{Name: "grafana/explore-txt", Document: lokiExplore, Export: lokiExport, Keeps: Octets,
			Loses: "At most the lines that are shown.", Write: newest(page{name: "Explore-logs-2026-03-02.txt",
				head: "Common labels: {\"job\":\"edge\"}\nLine limit: \"1000 (12 returned)\"\nTotal bytes processed: \"8.1 " +
					"kB\"\n\n\n"}.of(func(r record) string {
				return r.millis() + "\t" + r.iso() + "\t" + r.line + "\n"
			}))},
		{Name: "grafana/explore-json", Document: lokiExplore, Export: lokiExport, Keeps: Octets,
			Loses: "At most the lines that are shown.", Batch: true,
			Write: newest(page{name: "Explore-logs-2026-03-02.json", head: "[\n  ", between: ",\n  ",
				foot: "\n]"}.of(func(r record) string {
				return "{\n    \"line\": " + compact.quote(r.line) + ",\n    \"timestamp\": \"" + r.nanos() +
					"\",\n    \"date\": \"" + r.iso() + "\",\n    \"fields\": {\n      \"" + batchName + "\": \"" + r.batch +
					"\"\n    }\n  }"
			}))},
		{Name: "grafana/explore-csv", Document: lokiExplore, Export: lokiExport, Keeps: Octets,
			Loses: "At most the lines that are shown.", Batch: true,
			Write: newest(page{name: "Explore-logs-2026-03-02.csv", head: "\ufeff\"Time\",\"Line\",\"" + batchName +
				"\"\r\n", between: "\r\n"}.of(func(r record) string {
				return quoted(r.stamp()) + "," + quoted(r.line) + "," + quoted(r.batch)
			}))},
	}
}

func grafanaShapes() []Shape {
	return []Shape{
		{Name: "grafana/panel-json", Document: "Grafana, panel inspect, data, " +
			"https://grafana.com/docs/grafana/latest/panels-visualizations/panel-inspector/", Export: lokiExport, Keeps: Octets,
			Write: func(l Log) Files {
				var times, lines []string
				for _, r := range l.records() {
					times, lines = append(times, r.millis()), append(lines, compact.quote(r.line))
				}
				return file("panel.json", []byte(`{"results":{"A":{"status":200,"frames":[{"schema":{"fields":[{"name":`+
					`"Time"},{"name":"Line"}]},"data":{"values":[[`+
					strings.Join(times, ",")+`],[`+strings.Join(lines, ",")+`]]}}]}}}`))
			}},
		{Name: "victorialogs/query", Document: "VictoriaLogs, querying, " +
			"https://docs.victoriametrics.com/victorialogs/querying/", Export: "/select/logsql/query", Keeps: Octets,
			Batch: true,
			Loses: "Fields above 2 MiB are dropped; rows come in any order.", Write: lined("query.jsonl",
				func(r record) string {
					return goSpelling.object("_time", goSpelling.quote(r.nano()), "_stream", `"{}"`, "_msg",
						goSpelling.quote(r.line), batchKey, goSpelling.quote(r.batch))
				})},
	}
}

const elasticReference = "Elasticsearch API, search, " +
	"https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-search"

const elasticExport = "elasticdump --type=data"

const elasticDump = "elasticdump, https://github.com/elasticsearch-dump/elasticsearch-dump"

func elasticsearchShapes() []Shape {
	return []Shape{
		{Name: "elasticsearch/elasticdump", Document: elasticDump, Export: elasticExport, Keeps: Octets, Batch: true,
			Write: lined("data.json", func(r record) string {
				return elasticHit(r,
					elasticSource(r, compact.quote(r.line)))
			})},
		{Name: "elasticsearch/elasticdump-parsed", Document: elasticDump, Export: elasticExport, Keeps: Values, Batch: true,
			Write: lined("data.json", func(r record) string {
				return elasticHit(r, `{"@timestamp":"`+r.iso()+`","`+batchKey+`":"`+r.batch+`","audit":`+r.line+`}`)
			})},
		{Name: "elasticsearch/search", Document: elasticReference, Export: elasticExport, Keeps: Octets, Batch: true,
			Write: page{name: "search.json",
				head: `{"took":3,"timed_out":false,"_shards":{"total":1},"hits":{"max_score":1.0,"hits":[`, between: ",",
				foot: "]}}"}.of(func(r record) string {
				return elasticHit(r, elasticSource(r, jackson.quote(r.line)))
			})},
		{Name: "elasticsearch/search-fields", Document: elasticReference, Export: elasticExport, Keeps: Octets, Batch: true,
			Write: page{name: "search.json", head: `{"took":3,"hits":{"hits":[`, between: ",",
				foot: "]}}"}.of(func(r record) string {
				return `{"_index":"logs","_id":"` + r.id() + `","fields":{"message":[` + jackson.quote(r.line) + `],"` +
					batchKey + `":["` + r.batch + `"]}}`
			})},
		{Name: "elasticsearch/bulk", Document: "Elasticsearch API, bulk, " +
			"https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk", Export: elasticExport, Keeps: Octets,
			Batch: true,
			Write: lined("bulk.ndjson", func(r record) string {
				return `{"create":{"_index":"logs"}}` + "\n" +
					elasticSource(r, compact.quote(r.line))
			})},
		{Name: "elasticsearch/esql-json",
			Document: "Elasticsearch, ES|QL REST API, https://www.elastic.co/docs/reference/query-languages/esql/esql-rest",
			Export:   elasticExport, Keeps: Octets, Loses: "At most 10,000 rows.", Batch: true,
			Write: page{name: "esql.json", head: `{"took":28,"columns":[{"name":"@timestamp","type":"date"},{"name":` +
				`"message","type":"keyword"},{"name":"` + batchKey + `","type":"keyword"}],"values":[`, between: ",",
				foot: "]}"}.of(func(r record) string {
				return `["` + r.iso() + `",` + jackson.quote(r.line) + `,"` + r.batch + `"]`
			})},
		{Name: "elasticsearch/esql-txt",
			Document: "Elasticsearch, ES|QL REST API, https://www.elastic.co/docs/reference/query-languages/esql/esql-rest",
			Export:   elasticExport, Keeps: Octets, Loses: "At most 10,000 rows.",
			Write: page{name: "esql.txt", head: "      @timestamp       |message\n-----------------------+-------\n",
				between: "\n", foot: "\n"}.of(func(r record) string { return r.iso() + "|" + r.line })},
	}
}

func kibanaShapes() []Shape {
	return []Shape{
		{Name: "kibana/csv-report", Document: "Kibana, reporting, " +
			"https://www.elastic.co/docs/explore-analyze/report-and-share", Export: elasticExport, Keeps: Octets,
			Loses: "At most 250 MB; multiple values are joined.", Batch: true,
			Write: newest(page{name: "report.csv", head: `"@timestamp",message,"` + batchKey + `"` + "\n", between: "\n",
				foot: "\n"}.of(func(r record) string {
				return quoted(r.at.Format("Jan 2, 2006 @ 15:04:05.000")) + "," + quoted(r.line) + "," + r.batch
			}))},
		{Name: "kibana/inspect", Document: "Kibana, inspect, https://www.elastic.co/docs/explore-analyze/visualize",
			Export: elasticExport, Keeps: Octets,
			Write: page{name: "inspect.json", head: "{\n  \"rawResponse\": {\n    \"hits\": {\n      \"hits\": [\n",
				between: ",\n", foot: "\n      ]\n    }\n  },\n  \"isPartial\": false\n}"}.of(func(r record) string {
				return "        {\n          \"_id\": \"" + r.id() +
					"\",\n          \"_source\": {\n            \"message\": " + compact.quote(r.line) + "\n          }\n        }"
			})},
		{Name: "opensearch/ppl", Document: "OpenSearch, SQL and PPL response formats, " +
			"https://docs.opensearch.org/latest/search-plugins/sql/response-formats/", Export: elasticExport, Keeps: Octets,
			Loses: "At most 10,000 rows.", Batch: true,
			Write: page{name: "ppl.json", head: "{\n  \"schema\": [\n    {\"name\": \"message\", \"type\": \"string\"}," +
				"\n    {\"name\": \"" + batchKey + "\", \"type\": \"string\"}\n  ],\n  \"datarows\": [\n", between: ",\n",
				foot: "\n  ]\n}"}.of(func(r record) string {
				return "    [\n      " + gson.quote(r.line) + ",\n      \"" + r.batch + "\"\n    ]"
			})},
		{Name: "opensearch/sql-csv", Document: "OpenSearch, SQL and PPL response formats, " +
			"https://docs.opensearch.org/latest/search-plugins/sql/response-formats/", Export: elasticExport, Keeps: Octets,
			Loses: "At most 10,000 rows.", Batch: true,
			Write: page{name: "sql.csv", head: "time,message," + batchKey + "\n",
				between: "\n"}.of(func(r record) string { return r.iso() + "," + csvCell(r.line) + "," + r.batch })},
		{Name: "opensearch/sql-raw", Document: "OpenSearch, SQL and PPL response formats, " +
			"https://docs.opensearch.org/latest/search-plugins/sql/response-formats/", Export: elasticExport, Keeps: Octets,
			Loses: "At most 10,000 rows.",
			Write: page{name: "sql.txt", head: "time|message\n", between: "\n"}.of(func(r record) string {
				return r.iso() +
					"|" + r.line
			})},
	}
}

func elasticSource(r record, message string) string {
	return `{"@timestamp":"` + r.iso() + `","` + batchKey + `":"` + r.batch + `","event":{"original":` + message + `}}`
}

func elasticHit(r record, elasticSource string) string {
	return `{"_index":".ds-logs-edge-000001","_id":"AZ` + r.id() + `","_score":1.0,"_source":` + elasticSource + `}`
}
