package otelcol

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exporters are the settings of the file exporter that change the files on the disk. Each
// writes into a directory of its own.
var exporters = map[string]string{
	"json":              "path: DIR/logs.jsonl",
	"json-appended":     "path: DIR/logs.jsonl\n    append: true",
	"json-rotated":      "path: DIR/logs.jsonl\n    rotation: {max_megabytes: 1, max_backups: 1000}",
	"json-zstd":         "path: DIR/logs.jsonl.zst\n    compression: zstd",
	"json-zstd-rotated": "path: DIR/logs.jsonl.zst\n    compression: zstd\n    rotation: {max_megabytes: 1, max_backups: 1000}",
	"proto":             "path: DIR/logs.proto\n    format: proto",
	"proto-rotated":     "path: DIR/logs.proto\n    format: proto\n    rotation: {max_megabytes: 1, max_backups: 1000}",
	"proto-zstd":        "path: DIR/logs.proto.zst\n    format: proto\n    compression: zstd",
}

// pipelines are the ways from the receiver to the exporters. The batch processor forgets the
// request; an attribute that was written onto its records stays.
var pipelines = map[string]string{
	"as-sent": "attributes/batch",
	"batched": "attributes/batch, batch",
}

// writeConfig writes the configuration of a collector that listens on an
// address and writes below out, each exporter of each pipeline apart. It
// returns the configuration's path and the directories.
func writeConfig(t *testing.T, address, keys, out string) (path string, directories []string) {
	var ex, pipes strings.Builder
	for pipeline, processors := range pipelines {
		var names []string
		for name, settings := range exporters {
			directory := filepath.Join(out, pipeline, name)
			do(t, os.MkdirAll(directory, 0o700))
			id := "file/" + pipeline + "-" + name
			fmt.Fprintf(&ex, "  %s:\n    %s\n", id, strings.ReplaceAll(settings, "DIR", directory))
			names, directories = append(names, id), append(directories, directory)
		}
		fmt.Fprintf(&pipes, "    logs/%s: {receivers: [otlp], processors: [%s], exporters: [%s]}\n", pipeline, processors,
			strings.Join(names, ", "))
	}
	return writeWith(t, address, keys, ex.String(), pipes.String()), directories
}

// forwardTo writes the configuration of a collector that forwards its input.
func forwardTo(t *testing.T, url, address, keys string) (path string) {
	const exporters = `  otlphttp/ENCODING:
    {endpoint: URL, encoding: ENCODING, compression: gzip, tls: {ca_file: KEYS/ca.pem, cert_file: KEYS/client.pem, key_file: KEYS/client.key, min_version: "1.3"}}
`
	both := ""
	for _, encoding := range []string{"json", "proto"} {
		both += strings.NewReplacer("ENCODING", encoding, "URL", url, "KEYS", keys).Replace(exporters)
	}
	return writeWith(t, address, keys,
		both, "    logs: {receivers: [otlp], processors: [attributes/batch], exporters: [otlphttp/json, otlphttp/proto]}\n")
}

func writeWith(t *testing.T, address, keys, exporters, pipelines string) (path string) {
	config := strings.NewReplacer("ADDRESS", address, "KEYS", keys).Replace(head) + "exporters:\n" +
		exporters + tail + pipelines
	path = filepath.Join(keys, "config.yaml")
	do(t, os.WriteFile(path, []byte(config), 0o600))
	return path
}

const head = `receivers:
  otlp:
    protocols:
      http:
        endpoint: ADDRESS
        include_metadata: true
        tls: {cert_file: KEYS/server.pem, key_file: KEYS/server.key, client_ca_file: KEYS/ca.pem, min_version: "1.3"}
processors:
  attributes/batch:
    actions: [{key: x-svc-edge-audit-batch, from_context: metadata.x-svc-edge-audit-batch, action: upsert}]
  batch: {timeout: 200ms, send_batch_size: 500, send_batch_max_size: 700}
`

const tail = `service:
  telemetry: {metrics: {level: none}}
  pipelines:
`
