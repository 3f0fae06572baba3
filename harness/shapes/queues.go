package shapes

import (
	"crypto/md5"
	"fmt"
	"strings"
)

// queueShapes are what the tools of message queues show.
func queueShapes() []Shape {
	const (
		rabbit = "RabbitMQ: Management HTTP API, /api/queues/vhost/name/get, " +
			"https://www.rabbitmq.com/docs/http-api-reference"
		admin  = "RabbitMQ: rabbitmqadmin, https://www.rabbitmq.com/docs/management-cli"
		nats   = "NATS: CLI, https://docs.nats.io/using-nats/nats-tools/nats_cli"
		pulsar = "Apache Pulsar: pulsar-client, https://pulsar.apache.org/docs/next/reference-cli-tools/"
		sqs    = "Amazon SQS: receive-message, https://docs.aws.amazon.com/cli/latest/reference/sqs/receive-message.html"
		sns    = "Amazon SNS: Notification format, " +
			"https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html"
		lambda  = "AWS Lambda: SQS event, https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html"
		kinesis = "Amazon Kinesis: get-records, https://docs.aws.amazon.com/cli/latest/reference/kinesis/get-records.html"
		pubsub  = "Google Pub/Sub: gcloud pubsub subscriptions pull, " +
			"https://cloud.google.com/sdk/gcloud/reference/pubsub/subscriptions/pull"
		mosq     = "Eclipse Mosquitto: mosquitto_sub, https://mosquitto.org/man/mosquitto_sub-1.html"
		activemq = "ActiveMQ Artemis: artemis data exp, " +
			"https://activemq.apache.org/components/artemis/documentation/latest/data-tools.html"
	)
	return []Shape{
		{
			Name: "rabbitmq/get", Document: rabbit, Export: `curl … -d '{"encoding":"base64",…}'`, Keeps: Octets,
			Batch: true,
			Write: page{"messages.json", "[", ",", "]"}.of(func(r record) string { return rabbitMessage(r, r.line, "string") }),
		},
		{
			Name: "rabbitmq/get-base64", Document: rabbit, Export: `curl … -d '{"encoding":"base64",…}'`, Keeps: Octets,
			Batch: true,
			Write: page{"messages.json", "[", ",", "]"}.of(func(r record) string {
				return rabbitMessage(r, base64Text(r.line), "base64")
			}),
		},
		{
			Name: "rabbitmq/rabbitmqadmin", Document: admin, Export: "rabbitmqadmin --format=raw_json get queue=audit",
			Keeps: Octets,
			Write: rabbitTable,
		},
		{
			Name: "nats/sub", Document: nats, Export: "nats stream backup", Keeps: Octets,
			Write: page{name: "audit.txt", head: "09:00:00 Subscribing on audit.>\n"}.of(func(r record) string {
				return fmt.Sprintf("[#%d] Received on \"audit.berlin\"\n%s\n\n\n", r.n, r.line)
			}),
		},
		{
			Name: "nats/stream-view", Document: nats, Export: "nats stream backup", Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return fmt.Sprintf("[%d] Subject: audit.berlin Received: %s\n\n%s\n", r.n, r.at.Format("2006-01-02T15:04:05Z"),
					r.line)
			}),
		},
		{
			Name: "nats/stream-get-json", Document: nats, Export: "nats stream get --json", Keeps: Octets,
			Write: lined("audit.json", func(r record) string {
				return "{\n  \"subject\": \"audit.berlin\",\n  \"seq\": " + r.id() + ",\n  \"data\": \"" + base64Text(r.line) +
					"\",\n  \"time\": \"" + r.iso() + "\"\n}"
			}),
		},
		{
			Name: "pulsar/consume", Document: pulsar, Export: "pulsar-client consume -n 0 -s read audit", Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return fmt.Sprintf("----- got message -----\npublishTime:[%d], eventTime:[0], key:[null], properties:[], "+
					"content:%s", r.at.UnixMilli(), r.line)
			}),
		},
		{
			Name: "sqs/receive-message", Document: sqs, Export: "aws sqs receive-message --output json", Keeps: Octets,
			Write: page{"messages.json", "{\n    \"Messages\": [\n", ",\n", "\n    ]\n}\n"}.of(func(r record) string {
				return sqsMessage(r, r.line)
			}),
		},
		{
			Name: "sqs/text", Document: sqs, Export: "aws sqs receive-message --output json", Keeps: Octets,
			Write: lined("messages.txt", func(r record) string {
				return fmt.Sprintf("MESSAGES\t%s\t%x\t00000000-0000-0000-0000-%012d\tAQEB", r.line, md5.Sum([]byte(r.line)), r.n)
			}),
		},
		{
			Name: "sqs/lambda", Document: lambda, Export: "aws sqs receive-message --output json", Keeps: Octets,
			Write: page{"event.json", `{"Records":[`, ",", "]}"}.of(func(r record) string {
				return fmt.Sprintf(`{"messageId":"%08d","receiptHandle":"AQEB","body":%s,"attributes":{"SentTimestamp":"%d"},`+
					`"eventSource":"aws:sqs"}`,
					r.n, compact.quote(r.line), r.at.UnixMilli())
			}),
		},
		{
			Name: "sns/sqs", Document: sns, Export: "aws sqs receive-message --output json", Keeps: Octets,
			Write: page{"messages.json", "{\n    \"Messages\": [\n", ",\n", "\n    ]\n}\n"}.of(func(r record) string {
				return sqsMessage(r, "{\n  \"Type\" : \"Notification\",\n  \"MessageId\" : \"0b5ab0ab\",\n  \"TopicArn\" : "+
					"\"arn:aws:sns:eu-central-1:1:audit\",\n"+
					"  \"Message\" : "+compact.quote(r.line)+",\n  \"Timestamp\" : \""+r.iso()+
					"\",\n  \"SignatureVersion\" : \"1\"\n}")
			}),
		},
		{
			Name: "kinesis/get-records", Document: kinesis, Export: "aws kinesis get-records --output json", Keeps: Octets,
			Write: page{"records.json", "{\n    \"Records\": [\n", ",\n", "\n    ],\n    \"MillisBehindLatest\": 0\n}\n"}.of(
				func(r record) string {
					return "        {\n            \"SequenceNumber\": \"" + r.id() + "\",\n            " +
						"\"ApproximateArrivalTimestamp\": \"" + r.iso() +
						"\",\n            \"Data\": \"" + base64Text(r.line) + "\",\n            \"PartitionKey\": \"berlin\"\n        }"
				}),
		},
		{
			Name: "pubsub/pull", Document: pubsub, Export: "gcloud pubsub subscriptions pull --format=json",
			Keeps: Octets, Batch: true,
			Write: page{"messages.json", "[\n", ",\n", "\n]\n"}.of(func(r record) string {
				return "  {\n    \"ackId\": \"RVNE\",\n    \"message\": {\n      \"attributes\": {\n        \"" + batchHeader +
					"\": " + compact.quote(r.batch) +
					"\n      },\n      \"data\": \"" + base64Text(r.line) + "\",\n      \"messageId\": \"" + r.id() +
					"\",\n      \"publishTime\": \"" + r.iso() + "\"\n    }\n  }"
			}),
		},
		{
			Name: "mosquitto/verbose", Document: mosq, Export: "mosquitto_sub -F %j -t audit/#", Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return "audit/berlin " + r.line }),
		},
		{
			Name: "mosquitto/json", Document: mosq, Export: "mosquitto_sub -F %j -t audit/#", Keeps: Octets,
			Write: lined("audit.json", func(r record) string {
				return fmt.Sprintf(`{"tst":"%s","topic":"audit/berlin","qos":0,"retain":0,"payloadlen":%d,"payload":%s}`,
					r.at.Format("2006-01-02T15:04:05.000000Z0700"), len(r.line), compact.quote(r.line))
			}),
		},
		{
			Name: "mosquitto/hex", Document: mosq, Export: "mosquitto_sub -F %j -t audit/#", Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return "audit/berlin " + hexText(r.line) }),
		},
		{
			Name: "activemq/artemis-xml", Document: activemq, Export: "artemis data exp", Keeps: Octets,
			Write: page{"export.xml", `<?xml version="1.0" ?>` + "\n<activemq-journal>\n  <messages>\n", "",
				"  </messages>\n</activemq-journal>\n"}.of(func(r record) string {
				return fmt.Sprintf("    <message id=\"%d\" priority=\"4\" timestamp=\"%d\" type=\"text\">\n      "+
					"<body><![CDATA[%s]]></body>\n    </message>\n",
					r.n, r.at.UnixMilli(), cdata(r.line))
			}),
		},
	}
}

// cdata splits what would end a section of character data.
func cdata(text string) string { return strings.ReplaceAll(text, "]]>", "]]]]><![CDATA[>") }

func rabbitMessage(r record, payload, encoding string) string {
	return fmt.Sprintf(`{"payload_bytes":%d,"redelivered":false,"exchange":"","routing_key":"audit","message_count":2,`+
		`"properties":{"headers":{"%s":%s}},"payload":%s,"payload_encoding":"%s"}`,
		len(r.line), batchHeader, compact.quote(r.batch), compact.quote(payload), encoding)
}

// rabbitTable is drawn as rabbitmqadmin does.
func rabbitTable(l Log) Files {
	widest := len("payload")
	for _, r := range l.records() {
		widest = max(widest, width(r.line))
	}
	rule := "+-------------+----------+-" + strings.Repeat("-", widest) + "-+------------------+\n"
	return page{"messages.txt", rule + "| routing_key | exchange | " + pad("payload", widest) +
		" | payload_encoding |\n" + rule, "", rule}.of(func(r record) string {
		return "| audit       |          | " + pad(r.line, widest) + " | string           |\n"
	})(l)
}

func sqsMessage(r record, body string) string {
	return fmt.Sprintf("        {\n            \"MessageId\": \"%08d\",\n            \"ReceiptHandle\": \"AQEB\",\n   "+
		"         \"MD5OfBody\": \"%x\",\n            \"Body\": %s\n        }",
		r.n, md5.Sum([]byte(body)), compact.quote(body))
}
