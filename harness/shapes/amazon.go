package shapes

import (
	"encoding/base64"
	"strings"
)

const amazonCli = "AWS CLI reference, https://docs.aws.amazon.com/cli/latest/reference/logs/"

const amazonUser = "CloudWatch Logs user guide, https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/"

const amazonLimit = "CloudWatch Logs rejects events above 1 MiB; an export is in no order."

func cloudwatchShapes() []Shape {
	return []Shape{
		{Name: "cloudwatch/filter-log-events", Document: amazonCli + "filter-log-events.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets, Loses: amazonLimit,
			Write: amazonDocument("events", `"searchedLogStreams":[]`, func(r record) string {
				return compact.object("logStreamName", `"berlin"`, "timestamp", r.millis(), "message", compact.quote(r.line),
					"ingestionTime", r.millis(), "eventId", `"3600`+r.id()+`"`)
			})},
		{Name: "cloudwatch/get-log-events", Document: amazonCli + "get-log-events.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets, Loses: amazonLimit,
			Write: amazonDocument("events", `"nextForwardToken":"f/36","nextBackwardToken":"b/36"`, func(r record) string {
				return compact.object("timestamp", r.millis(), "message", compact.quote(r.line), "ingestionTime", r.millis())
			})},
		{Name: "cloudwatch/text", Document: amazonCli + "filter-log-events.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets, Loses: amazonLimit,
			Write: lined("events.txt", func(r record) string {
				return "EVENTS\t3600" + r.id() + "\t" + r.millis() + "\tberlin\t" + r.line + "\t" + r.millis()
			})},
		{Name: "cloudwatch/message-text",
			Document: "AWS CLI user guide, --query and --output text, " +
				"https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-output-format.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets, Loses: amazonLimit,
			Write: page{name: "events.txt",
				between: "\t", foot: "\n"}.of(func(r record) string { return r.line })},
		{Name: "cloudwatch/tail", Document: amazonCli + "tail.html", Export: "aws logs filter-log-events --output json",
			Keeps: Octets, Loses: amazonLimit,
			Write: lined("tail.txt", func(r record) string { return r.zoned() + " berlin " + r.line })},
		{Name: "cloudwatch/tail-short", Document: amazonCli + "tail.html",
			Export: "aws logs filter-log-events --output json",
			Keeps:  Octets, Loses: amazonLimit,
			Write: lined("tail.txt", func(r record) string { return r.at.Format("2006-01-02T15:04:05 ") + r.line })},
		{Name: "cloudwatch/s3-export", Document: amazonUser + "S3Export.html", Export: "aws logs create-export-task",
			Keeps: Octets, Loses: amazonLimit, Whole: true,
			Write: behindGzip("exported/berlin/000000.gz", lined("000000", func(r record) string {
				return r.iso() + " " +
					r.line
			}))},
		{Name: "cloudwatch/insights-json", Document: amazonCli + "get-query-results.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets,
			Loses: "A query gives at most 10,000 rows.", Batch: true, Write: amazonDocument("results",
				`"statistics":{"recordsMatched":12.0},"status":"Complete"`, func(r record) string {
					return `[` + compact.object("field", `"@timestamp"`, "value", compact.quote(r.stamp())) + "," +
						compact.object("field", `"@message"`, "value", compact.quote(r.line)) + "," +
						compact.object("field", compact.quote(batchKey), "value", compact.quote(r.batch)) + "," +
						compact.object("field", `"@ptr"`, "value", `"CmEK`+r.id()+`"`) + `]`
				})},
		{Name: "cloudwatch/insights-csv", Document: amazonUser + "CWL_Insights-Export-Query-Results.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets,
			Loses: "A query gives at most 10,000 rows.", Batch: true, Write: page{name: "logs-insights-results.csv",
				head: "@timestamp,@message," + batchKey + "\n", between: "\n"}.of(func(r record) string {
				return r.stamp() + "," + csvCell(r.line) + "," + r.batch
			})},
		{Name: "cloudwatch/console-csv", Document: amazonUser + "Working-with-log-groups-and-streams.html",
			Export: "aws logs filter-log-events --output json", Keeps: Octets,
			Write: page{name: "log-events-viewer-result.csv", head: "timestamp,message\n", between: "\n",
				foot: "\n"}.of(func(r record) string { return r.millis() + "," + quoted(r.line) })},
	}
}

func cloudwatchMoreShapes() []Shape {
	return []Shape{
		{Name: "cloudwatch/lambda-event", Document: amazonUser + "SubscriptionFilters.html", Export: "Firehose to S3",
			Keeps: Octets, Loses: amazonLimit, Whole: true,
			Write: func(l Log) Files {
				data := base64Text(string(gzipped([]byte(subscription(l)))))
				return file("event.json", []byte(`{"awslogs":{"data":"`+data+`"}}`))
			}},
		{Name: "cloudwatch/kinesis", Document: amazonUser + "SubscriptionFilters.html", Export: "Firehose to S3",
			Keeps: Octets,
			Loses: amazonLimit, Write: page{name: "records.json", head: `{"Records":[`, between: ",",
				foot: "]}"}.of(func(r record) string {
				message := gzipped([]byte(subscription(Log{Lines: [][]byte{[]byte(r.line)}, Time: r.at})))
				return `{"SequenceNumber":"4960` + r.id() + `","Data":"` + base64.StdEncoding.EncodeToString(message) +
					`","PartitionKey":"0f"}`
			})},
		{Name: "firehose/subscription",
			Document: "Amazon Data Firehose, " +
				"https://docs.aws.amazon.com/firehose/latest/dev/writing-with-cloudwatch-logs.html",
			Export: "Firehose to S3, without compression of its own",
			Keeps:  Less, Loses: "Many readers take only the first member of gzip, so that the verdict stays open.",
			Write: page{name: "2026/03/02/09/delivery-1"}.of(func(r record) string {
				return string(gzipped([]byte(subscription(Log{Lines: [][]byte{[]byte(r.line)}, Time: r.at}))))
			})},
		{Name: "firehose/concatenated",
			Document: "Amazon Data Firehose, Athena and record separators, " +
				"https://docs.aws.amazon.com/firehose/latest/dev/dynamic-partitioning-s3bucketprefix.html",
			Export: "AppendDelimiterToRecord",
			Keeps:  Octets, Write: page{name: "2026/03/02/09/delivery-1"}.of(func(r record) string { return r.line })},
		{Name: "athena/get-query-results",
			Document: "AWS CLI reference, https://docs.aws.amazon.com/cli/latest/reference/athena/get-query-results.html",
			Export:   "the result's CSV file", Keeps: Octets,
			Write: func(l Log) Files {
				rows := []string{`{"Data":[{"VarCharValue":"time"},{"VarCharValue":"message"}]}`}
				for _, r := range l.records() {
					rows = append(rows, `{"Data":[{"VarCharValue":"`+r.stamp()+`"},{"VarCharValue":`+compact.quote(r.line)+`}]}`)
				}
				return file("results.json", []byte(awsCLI.respell(`{"ResultSet":{"Rows":[`+strings.Join(rows, ",")+`]}}`)+"\n"))
			}},
	}
}

func s3SelectShapes() []Shape {
	return []Shape{
		{Name: "s3-select/json", Document: "Amazon S3 user guide, " +
			"https://docs.aws.amazon.com/AmazonS3/latest/userguide/selecting-content-from-objects.html", Export: "the object",
			Keeps: Values,
			Write: lined("select.json", func(r record) string { return `{"_1":` + r.line + `}` })},
	}
}

func amazonDocument(key, more string, write func(r record) string) func(Log) Files {
	return func(l Log) Files {
		var all []string
		for _, r := range l.records() {
			all = append(all, write(r))
		}
		return file("events.json", []byte(awsCLI.respell(`{"`+key+`":[`+strings.Join(all, ",")+`],`+more+`}`)+"\n"))
	}
}

// subscription is what a subscription filter sends.
func subscription(l Log) string {
	var events []string
	for _, r := range l.records() {
		events = append(events, compact.object("id", `"3600`+r.id()+`"`, "timestamp", r.millis(), "message",
			compact.quote(r.line)))
	}
	return `{"messageType":"DATA_MESSAGE","owner":"123456789012","logGroup":"edge","logStream":"berlin",` +
		`"subscriptionFilters":["all"],"logEvents":[` + strings.Join(events, ",") + `]}`
}

// behindGzip is a shape's one file behind gzip.
func behindGzip(name string, write func(Log) Files) func(Log) Files {
	return encoded(name, write, gzipped)
}
