package shapes

import (
	"fmt"
	"strings"
)

const googleRead = "gcloud CLI reference, gcloud logging read, " +
	"https://cloud.google.com/sdk/gcloud/reference/logging/read"

const googleFormats = "gcloud topic formats, https://cloud.google.com/sdk/gcloud/reference/topic/formats"

const googleLimit = "Entries above 256 KiB are rejected or cut; --limit and the newest first."

const googleExport = "gcloud logging read --format json --order asc"

func gcpLoggingShapes() []Shape {
	return []Shape{
		{Name: "gcp-logging/json", Document: googleRead, Export: googleExport, Keeps: Octets, Loses: googleLimit,
			Batch: true,
			Write: googleList(googleText)},
		{Name: "gcp-logging/json-payload", Document: googleRead, Export: googleExport, Keeps: Values, Loses: googleLimit,
			Batch: true,
			Write: googleList(func(r record) string { return `"jsonPayload":` + r.line })},
		{Name: "gcp-logging/yaml", Document: googleFormats, Export: googleExport, Keeps: Octets, Loses: googleLimit,
			Write: page{name: "entries.yaml", between: "\n"}.of(func(r record) string {
				return "---\ninsertId: 1x" + r.id() + "\nlogName: projects/p/logs/edge\ntextPayload: " + yamlSingle(r.line) +
					"\ntimestamp: '" + r.nano() + "'"
			})},
		{Name: "gcp-logging/value", Document: googleFormats, Export: googleExport, Keeps: Octets, Loses: googleLimit,
			Write: lined("entries.txt", func(r record) string { return r.nano() + "\t" + r.line })},
		{Name: "gcp-logging/csv", Document: googleFormats, Export: googleExport, Keeps: Octets, Loses: googleLimit,
			Batch: true,
			Write: page{name: "entries.csv", head: "timestamp,textPayload," + batchKey + "\n", between: "\n",
				foot: "\n"}.of(func(r record) string {
				return r.nano() + "," + csvCell(r.line) + "," + r.batch
			})},
		{Name: "gcp-logging/bucket-text",
			Document: "Cloud Logging, routed logs in Cloud Storage, https://cloud.google.com/logging/docs/export/storage",
			Export:   "a bucket sink", Keeps: Octets, Batch: true,
			Write: lined("edge/2026/03/02/09:00:00_09:59:59_S0.json", func(r record) string {
				return googleEntry(r,
					googleText(r))
			})},
		{Name: "gcp-logging/bucket-json",
			Document: "Cloud Logging, routed logs in Cloud Storage, https://cloud.google.com/logging/docs/export/storage",
			Export:   "a bucket sink", Keeps: Values, Batch: true,
			Write: lined("edge/2026/03/02/09:00:00_09:59:59_S0.json",
				func(r record) string { return googleEntry(r, `"jsonPayload":`+r.line) })},
		{Name: "gcp-logging/explorer-json",
			Document: "Cloud Logging, Logs Explorer, download logs, " +
				"https://cloud.google.com/logging/docs/view/logs-explorer-interface", Export: googleExport, Keeps: Octets,
			Loses: "At most 10,000 entries.", Batch: true,
			Write: page{name: "downloaded-logs.json", head: "[\n  ", between: ",\n  ",
				foot: "\n]"}.of(func(r record) string { return googleEntry(r, googleText(r)) })},
	}
}

func googleEntry(r record, payload string) string {
	return `{"insertId":"1x` + r.id() + `","labels":{"` + batchKey + `":"` + r.batch +
		`"},"logName":"projects/p/logs/edge","receiveTimestamp":"` + r.nano() +
		`","resource":{"labels":{"pod_name":"edge-0"},"type":"k8s_container"},` + payload + `,"timestamp":"` + r.nano() +
		`"}`
}

func googleText(r record) string { return `"textPayload":` + compact.quote(r.line) }

func googleList(payload func(record) string) func(Log) Files {
	return func(l Log) Files {
		var all []string
		for _, r := range l.records() {
			all = append(all, googleEntry(r, payload(r)))
		}
		return file("entries.json", []byte(gcloud.respell("["+strings.Join(all, ",")+"]")+"\n"))
	}
}

// yamlSingle writes a single-quoted scalar of YAML on one line.
func yamlSingle(text string) string { return doubled(text, "'") }

const azureMonitor = "Azure Monitor, https://learn.microsoft.com/azure/azure-monitor/logs/"

const azureLimit = "Columns are cut at 64 KiB; a query gives at most 500,000 rows."

const azureExport = "a data export rule to a storage account"

func azureMonitorShapes() []Shape {
	return []Shape{
		{Name: "azure-monitor/cli", Document: "Azure CLI, https://learn.microsoft.com/cli/azure/monitor/log-analytics",
			Export: azureExport, Keeps: Octets, Loses: azureLimit, Batch: true,
			Write: func(l Log) Files {
				var all []string
				for _, r := range l.records() {
					all = append(all, ascii.object("LogMessage", ascii.quote(r.line), "TableName", `"PrimaryResult"`,
						"TimeGenerated", ascii.quote(r.iso()), batchName, ascii.quote(r.batch)))
				}
				return file("rows.json", []byte(spelling{colon: ": ", indent: "  ", ascii: true}.respell("["+strings.Join(all,
					",")+"]")+"\n"))
			}},
		{Name: "azure-monitor/api", Document: azureMonitor + "api/response-format", Export: azureExport, Keeps: Octets,
			Loses: azureLimit, Batch: true,
			Write: page{name: "query.json",
				head: `{"tables":[{"name":"PrimaryResult","columns":[{"name":"TimeGenerated","type":"datetime"},` +
					`{"name":"LogMessage","type":"string"},{"name":"` + batchName + `","type":"string"}],"rows":[`,
				between: ",", foot: "]}]}"}.of(func(r record) string {
				return `["` + r.iso() + `",` + dotnet.quote(r.line) +
					`,"` + r.batch + `"]`
			})},
		{Name: "azure-monitor/portal-csv", Document: azureMonitor + "log-analytics-overview", Export: azureExport,
			Keeps: Octets,
			Loses: "At most 30,000 rows.", Batch: true,
			Write: page{name: "query_data.csv", head: "\ufeff\"TimeGenerated [UTC]\"," + "LogMessage," + batchName + "\r\n",
				between: "\r\n", foot: "\r\n"}.of(func(r record) string {
				return quoted(r.at.Format("1/2/2006, 3:04:05.000 PM")) + "," + quoted(r.line) + "," + quoted(r.batch)
			})},
		{Name: "azure-storage/pt1h", Document: "Azure Monitor, resource logs, " +
			"https://learn.microsoft.com/azure/azure-monitor/platform/resource-logs-blob-format", Export: azureExport,
			Keeps: Octets,
			Write: lined("resourceId=/SUBSCRIPTIONS/S/y=2026/m=03/d=02/h=09/m=00/PT1H.json",
				func(r record) string { return azureRecord(r, dotnet.quote(r.line+"\n")) })},
		{Name: "azure-storage/records",
			Document: "Azure Monitor, resource logs, " +
				"https://learn.microsoft.com/azure/azure-monitor/platform/resource-logs-blob-format", Export: azureExport,
			Keeps: Octets,
			Write: page{name: "y=2026/m=03/d=02/h=09/m=00/PT1H.json", head: `{"records":[`, between: ",\n",
				foot: "]}"}.of(func(r record) string { return azureRecord(r, compact.quote(r.line)) })},
	}
}

func azureContainersShapes() []Shape {
	return []Shape{
		{Name: "azure-containers/logs",
			Document: "Azure CLI, az containerapp logs show, https://learn.microsoft.com/cli/azure/containerapp/logs",
			Export:   "az containerapp logs show --format json", Keeps: Octets,
			Write: lined("logs.json", func(r record) string {
				return python.object("TimeStamp", python.quote(r.zoned()), "Log", python.quote("F "+r.line))
			})},
		{Name: "azure-devops/log", Document: "Azure DevOps, pipeline logs, " +
			"https://learn.microsoft.com/azure/devops/pipelines/troubleshooting/review-logs", Export: "the log archive",
			Keeps: Octets,
			Write: lined("2_edge.txt", func(r record) string {
				return r.at.Format("2006-01-02T15:04:05.0000000Z ") +
					r.line
			})},
	}
}

func azureRecord(r record, log string) string {
	return fmt.Sprintf(`{"category":"kube-audit","operationName":`+
		`"Microsoft.ContainerService/managedClusters/diagnosticLogs/Read","properties":{"log":%s,"stream":"stdout",`+
		`"pod":"edge-0"},"time":"%s"}`, log, r.nano())
}
