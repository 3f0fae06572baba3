package shapes

import "strings"

const hostedDatadog = "Datadog documentation, https://docs.datadoghq.com/"

const hostedRelic = "New Relic documentation, https://docs.newrelic.com/"

const hostedSumo = "Sumo Logic documentation, https://www.sumologic.com/help/docs/"

const hostedGraylog = "Graylog documentation, https://go2docs.graylog.org/current/"

const hostedOrder = "The newest event is first."

func datadogShapes() []Shape {
	return []Shape{
		{Name: "datadog/api", Document: hostedDatadog + "api/latest/logs/", Export: "a log archive", Keeps: Octets,
			Loses: "The message is cut at 1 MiB. " + hostedOrder, Batch: true,
			Write: newest(page{name: "search.json", head: `{"data":[`, between: ",",
				foot: `],"meta":{"page":{"after":"eyJ"},"status":"done"}}`}.of(func(r record) string {
				return `{"id":"AgAA` + r.id() + `","type":"log","attributes":{"timestamp":"` + r.iso() +
					`","status":"info","service":"edge","message":` + goSpelling.quote(r.line) + `,"attributes":{"` + batchKey +
					`":"` + r.batch + `"},"tags":["env:prod"]}}`
			}))},
		{Name: "datadog/api-attributes", Document: hostedDatadog + "logs/log_configuration/parsing/",
			Export: "a log archive",
			Keeps:  Values, Loses: hostedOrder,
			Write: newest(page{name: "search.json", head: `{"data":[`, between: ",", foot: `]}`}.of(func(r record) string {
				return `{"id":"AgAA` + r.id() + `","type":"log","attributes":{"timestamp":"` + r.iso() +
					`","service":"edge","attributes":` + goSpelling.respell(r.line) + `}}`
			}))},
		{Name: "datadog/archive", Document: hostedDatadog + "logs/log_configuration/archives/", Export: "a log archive",
			Keeps: Octets, Batch: true, Whole: true,
			Write: behindGzip("dt=20260302/hour=09/archive_090000.json.gz", lined("", func(r record) string {
				return compact.object("_id", `"AZ`+r.id()+`"`, "date", compact.quote(r.iso()), "service", `"edge"`, "message",
					compact.quote(r.line), "attributes", compact.object(batchKey, compact.quote(r.batch)))
			}))},
		{Name: "datadog/csv", Document: hostedDatadog + "logs/explorer/export/", Export: "a log archive", Keeps: Octets,
			Loses: "At most 100,000 rows. " + hostedOrder,
			Write: newest(page{name: "extract.csv", head: "Date,Host,Service,Message\n", between: "\n",
				foot: "\n"}.of(func(r record) string {
				return quoted(r.iso()) + ",\"berlin\",\"edge\"," + quoted(r.line)
			}))},
		{Name: "newrelic/nrql", Document: hostedRelic + "docs/apis/nerdgraph/examples/nerdgraph-nrql-tutorial/",
			Export: "the historical data export", Keeps: Octets,
			Loses: "Messages above 4096 characters go into blobs; at most 5,000 rows. " + hostedOrder, Batch: true,
			Write: newest(page{name: "nrql.json", head: `{"data":{"actor":{"account":{"nrql":{"results":[`, between: ",",
				foot: "]}}}}}"}.of(func(r record) string {
				return compact.object("message", compact.quote(r.line), "timestamp", r.millis(), batchKey, compact.quote(r.batch))
			}))},
		{Name: "newrelic/csv", Document: hostedRelic + "docs/logs/ui-data/use-logs-ui/",
			Export: "the historical data export",
			Keeps:  Octets, Loses: hostedOrder,
			Write: newest(page{name: "logs.csv", head: "\"timestamp\",\"message\"\n", between: "\n",
				foot: "\n"}.of(func(r record) string { return r.millis() + "," + quoted(r.line) }))},
	}
}

func sumologicShapes() []Shape {
	return []Shape{
		{Name: "sumologic/messages", Document: hostedSumo + "api/search-job/", Export: "a search job", Keeps: Octets,
			Loses: "Messages above 64 KiB are cut in parts. " + hostedOrder,
			Write: newest(page{name: "messages.json",
				head: `{"fields":[{"name":"_raw","fieldType":"string","keyField":false}],"messages":[`, between: ",",
				foot: "]}"}.of(func(r record) string {
				return `{"map":{"_messagetime":"` + r.millis() + `","_collector":"edge","_raw":` + jackson.quote(r.line) + `}}`
			}))},
		{Name: "sumologic/csv", Document: hostedSumo +
			"search/get-started-with-search/search-basics/export-search-results/",
			Export: "a search job", Keeps: Octets, Loses: "At most 100,000 rows. " + hostedOrder,
			Write: newest(page{name: "search-results.csv", head: `"_messagetimems","_sourcehost","_raw"` + "\n",
				between: "\n", foot: "\n"}.of(func(r record) string {
				return quoted(r.millis()) + ",\"berlin\"," + quoted(r.line)
			}))},
		{Name: "graylog/gelf", Document: hostedGraylog + "getting_in_log_data/gelf.html",
			Export: "an archive, or the GELF output", Keeps: Octets, Batch: true, Write: lined("gelf.jsonl",
				func(r record) string {
					return compact.object("version", `"1.1"`, "host", `"berlin"`, "short_message", compact.quote(r.line),
						"timestamp", r.epoch(3), "_"+batchKey, compact.quote(r.batch))
				})},
		{Name: "graylog/gelf-tcp", Document: hostedGraylog + "getting_in_log_data/gelf.html",
			Export: "an archive, or the GELF output", Keeps: Octets, Write: page{name: "gelf.bin", between: "\x00",
				foot: "\x00"}.of(func(r record) string {
				return compact.object("version", `"1.1"`, "host", `"berlin"`, "short_message", `"edge"`, "full_message",
					compact.quote(r.line), "timestamp", r.epoch(3))
			})},
		{Name: "graylog/csv", Document: hostedGraylog + "making_sense_of_your_log_data/export_results.html",
			Export: "an archive", Keeps: Octets, Loses: hostedOrder,
			Write: newest(page{name: "graylog-search-result.csv", head: "\"timestamp\",\"source\",\"message\"\n",
				between: "\n", foot: "\n"}.of(func(r record) string {
				return quoted(r.iso()) + ",\"berlin\"," + quoted(r.line)
			}))},
		{Name: "graylog/search", Document: hostedGraylog + "setting_up_graylog/rest_api.html", Export: "an archive",
			Keeps: Octets, Loses: hostedOrder, Batch: true,
			Write: newest(page{name: "search.json", head: `{"query":"*","messages":[`, between: ",",
				foot: `],"fields":["message"],"time":4}`}.of(func(r record) string {
				return `{"highlight_ranges":{},"message":` + jackson.object("_id", `"a`+r.id()+`"`, "message",
					jackson.quote(r.line), "timestamp", jackson.quote(r.iso()), batchName, jackson.quote(r.batch)) +
					`,"index":"graylog_0"}`
			}))},
	}
}

func honeycombShapes() []Shape {
	return []Shape{
		{Name: "honeycomb/query-result", Document: "Honeycomb API, query data, https://docs.honeycomb.io/api/",
			Export: "the raw data table", Keeps: Octets, Loses: "Strings above 64 KiB are refused; at most 1,000 rows. " +
				hostedOrder, Batch: true,
			Write: newest(page{name: "result.json", head: `{"id":"q1","complete":true,"data":{"results":[`, between: ",",
				foot: "]}}"}.of(func(r record) string {
				return `{"data":` + goSpelling.object("body", goSpelling.quote(r.line), "timestamp", goSpelling.quote(r.iso()),
					batchKey, goSpelling.quote(r.batch)) + `}`
			}))},
		{Name: "papertrail/archive", Document: "Papertrail, log archives, " +
			"https://www.papertrail.com/help/permanent-log-archives/", Export: "the archive", Keeps: Octets, Whole: true,
			Write: behindGzip("2026-03-02-09.tsv.gz", lined("", func(r record) string { return papertrail(r) }))},
		{Name: "papertrail/tsv", Document: "Papertrail, log archives, " +
			"https://www.papertrail.com/help/permanent-log-archives/", Export: "the archive", Keeps: Octets,
			Write: lined("2026-03-02-09.tsv", papertrail)},
		{Name: "papertrail/cli", Document: "papertrail-cli, https://github.com/papertrail/papertrail-cli",
			Export: "the archive", Keeps: Octets, Write: lined("papertrail.txt", func(r record) string {
				return syslogTime(r) + " berlin edge: " + r.line
			})},
		{Name: "heroku/logs", Document: "Heroku, logging, https://devcenter.heroku.com/articles/logging",
			Export: "a log drain", Keeps: Less, Cuts: true, Lost: longer(10_000),
			Loses: "Lines above 10,000 octets become several, and nothing says so.",
			Write: split("heroku.txt", 10_000, func(r record, _ bool) string {
				return r.at.Format("2006-01-02T15:04:05.000000+00:00") + " app[web.1]: " + r.line + "\n"
			})},
		{Name: "heroku/drain", Document: "Heroku, log drains, https://devcenter.heroku.com/articles/log-drains",
			Export: "a log drain", Keeps: Octets, Write: page{name: "drain.txt"}.of(func(r record) string {
				message := "<190>1 " + r.zoned() + " host app web.1 - " + r.line + "\n"
				return counted(message)
			})},
	}
}

func betterstackShapes() []Shape {
	return []Shape{
		{Name: "betterstack/api", Document: "Better Stack, live tail query API, " +
			"https://betterstack.com/docs/logs/api/query/", Export: "an S3 archive", Keeps: Octets, Batch: true,
			Loses: hostedOrder,
			Write: newest(page{name: "query.json", head: `{"data":[`, between: ",",
				foot: `],"pagination":{"next":null}}`}.of(func(r record) string {
				return compact.object("dt", compact.quote(r.stamp()), "raw",
					compact.quote(compact.object("message", compact.quote(r.line), batchKey, compact.quote(r.batch))))
			}))},
		{Name: "mezmo/export", Document: "Mezmo, export API, https://docs.mezmo.com/log-analysis-api",
			Export: "an archive", Keeps: Octets, Loses: "Lines above 16 KiB are cut.", Write: lined("export.jsonl",
				func(r record) string {
					return compact.object("_id", `"1`+r.id()+`"`, "_ts", r.millis(), "_host", `"berlin"`, "_line",
						compact.quote(r.line))
				})},
		{Name: "loggly/events", Document: "Loggly, event retrieval API, " +
			"https://documentation.solarwinds.com/en/success_center/loggly/", Export: "an S3 archive", Keeps: Octets,
			Loses: "Events above 1 MB are refused. " + hostedOrder,
			Write: newest(page{name: "events.json", head: `{"total_events":12,"page":0,"events":[`, between: ",",
				foot: "]}"}.of(func(r record) string {
				return python.object("raw", python.quote(r.line), "timestamp", r.millis(), "id", `"`+r.id()+`"`)
			}))},
		{Name: "logscale/json", Document: "CrowdStrike Falcon LogScale, search API, " +
			"https://library.humio.com/logscale-api/api-search.html", Export: "a query job, ndjson", Keeps: Octets,
			Loses: hostedOrder,
			Batch: true,
			Write: newest(lined("events.ndjson", func(r record) string {
				return jackson.object("@timestamp", r.millis(), "@rawstring", jackson.quote(r.line), "@id", `"x_`+r.id()+`"`,
					batchKey, jackson.quote(r.batch))
			}))},
	}
}

func axiomShapes() []Shape {
	return []Shape{
		{Name: "axiom/csv", Document: "Axiom documentation, https://axiom.co/docs/", Export: "the query API",
			Keeps: Octets, Loses: hostedOrder, Batch: true,
			Write: newest(page{name: "axiom.csv", head: "_time,body," + batchKey + "\n", between: "\n",
				foot: "\n"}.of(func(r record) string { return r.iso() + "," + csvCell(r.line) + "," + r.batch }))},
		{Name: "axiom/tabular", Document: "Axiom documentation, query API, https://axiom.co/docs/restapi/query",
			Export: "the query API, legacy", Keeps: Octets, Write: func(l Log) Files {
				var times, lines []string
				for _, r := range l.records() {
					times, lines = append(times, goSpelling.quote(r.iso())), append(lines, goSpelling.quote(r.line))
				}
				return file("tabular.json", []byte(`{"format":"tabular","tables":[{"fields":[{"name":"_time"},{"name":`+
					`"body"}],"columns":[[`+strings.Join(times, ",")+`],[`+strings.Join(lines, ",")+`]]}]}`))
			}},
		{Name: "seq/clef", Document: "Seq, compact log event format, https://clef-json.org/",
			Export: "seqcli search --json", Keeps: Octets, Batch: true, Write: lined("events.clef", func(r record) string {
				return newtonsoft.object("@t", newtonsoft.quote(r.iso()), "@m", newtonsoft.quote(r.line), batchKey,
					newtonsoft.quote(r.batch))
			})},
		{Name: "openobserve/search", Document: "OpenObserve, search API, https://openobserve.ai/docs/api/search/search/",
			Export: "the search API", Keeps: Octets, Loses: hostedOrder, Batch: true,
			Write: newest(page{name: "search.json", head: `{"took":1,"hits":[`, between: ",",
				foot: `],"from":0}`}.of(func(r record) string {
				return compact.object("_timestamp", r.micros(), "body", compact.quote(r.line), batchName, compact.quote(r.batch))
			}))},
		{Name: "coralogix/archive", Document: "Coralogix, archive query, https://coralogix.com/docs/",
			Export: "the archive", Keeps: Octets, Write: lined("archive.jsonl", func(r record) string {
				return compact.object("metadata", `{"applicationname":"edge"}`, "timestamp", r.millis(), "text",
					compact.quote(compact.object("message", compact.quote(r.line))))
			})},
	}
}

func sentryShapes() []Shape {
	return []Shape{
		{Name: "sentry/event", Document: "Sentry, event payloads, " +
			"https://develop.sentry.dev/sdk/data-model/event-payloads/", Export: "the event's JSON", Keeps: Less,
			Loses: "Messages are cut at 8192 characters.", Lost: longer(8192), Cuts: true,
			Write: lined("events.jsonl", func(r record) string {
				return compact.object("event_id", `"`+r.id()+`"`, "message", compact.quote(cutText(r.line, 8192)), "timestamp",
					r.epoch(3))
			})},
	}
}

func papertrail(r record) string {
	return strings.Join([]string{"70" + r.id(), r.at.Format("2006-01-02T15:04:05Z"),
		r.at.Format("2006-01-02T15:04:05Z"), "31", "berlin", "10.0.0.1", "User", "Info", "edge", r.line}, "\t")
}

// cutText cuts a text between two characters.
func cutText(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for !whole(text, size) {
		size--
	}
	return text[:size]
}
