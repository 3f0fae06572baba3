package fleet

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/harness/dumps"
)

// dump is one form in which a store is dumped: to which file a delivery goes. A file with more
// than one delivery has a format whose dumps can follow one another.
type dump struct {
	format string // as package dumps calls it
	file   func(number int, b *Batch) string
}

// storeDumps are all forms of all stores.
func storeDumps() []dump {
	return []dump{
		{"file-json", intoRotated("collector/json/svc-edge-%s.json")},
		{"file-proto", intoRotated("collector/proto/svc-edge-%s.binpb")},
		{"file-zstd-json", intoRotated("collector/zstd/svc-edge-%s.json")},
		{"native-zstd-proto", intoRotated("collector/native-zstd/svc-edge-%s.binpb.zst")},
		{"s3-json-gzip", intoObjects("s3/json", "json.gz")},
		{"s3-proto", intoObjects("s3/proto", "binpb")},
		{"kafka-json", intoOneFile("kafka/otlp_json.jsonl")},
		{"kafka-base64", intoOneFile("kafka/otlp_proto.jsonl")},
		{"kafka-raw", intoOneFile("kafka/raw.jsonl")},
		{"loki-jsonl", intoOneFile("loki/query.jsonl")},
		{"loki-api", intoPages("loki/query_range")},
		{"loki-legacy", intoOneFile("loki/legacy.jsonl")},
		{"elastic-otel", intoOneFile("elasticsearch/otel.jsonl")},
		{"elastic-ecs", intoOneFile("elasticsearch/ecs.jsonl")},
		{"elastic-raw", intoOneFile("elasticsearch/raw.jsonl")},
		{"elastic-old", intoOneFile("elasticsearch/old.jsonl")},
		{"elastic-bodymap", intoOneFile("elasticsearch/bodymap.jsonl")},
		{"elastic-bulk", intoOneFile("elasticsearch/bulk.jsonl")},
		{"elastic-hits", intoPages("elasticsearch/search")},
		{"clickhouse-rows", intoOneFile("clickhouse/otel_logs.jsonl")},
		{"clickhouse-json", intoPages("clickhouse/otel_logs")},
		{"splunk-hec", intoOneFile("splunk/hec.jsonl")},
		{"splunk-export", intoOneFile("splunk/export.jsonl")},
		{"request-proto", intoOneFile("requests/capture.http")},
	}
}

// intoOneFile puts every delivery into one file.
func intoOneFile(name string) func(int, *Batch) string {
	return func(int, *Batch) string { return name }
}

// rotateAfter is how many deliveries a collector puts into one file.
const rotateAfter = 32

// intoRotated puts deliveries into files that are named like the collector's rotated files,
// but by number: a time would mean as little.
func intoRotated(pattern string) func(int, *Batch) string {
	return func(number int, _ *Batch) string {
		return fmt.Sprintf(pattern, fmt.Sprintf("%06d-size", number/rotateAfter))
	}
}

// intoObjects gives every delivery an object under the minute in which it was sent.
func intoObjects(prefix, extension string) func(int, *Batch) string {
	return func(number int, b *Batch) string {
		minute := b.Sent.Format("year=2006/month=01/day=02/hour=15/minute=04")
		return fmt.Sprintf("%s/%s/svc-edge-logs_%09d.%s", prefix, minute, number, extension)
	}
}

// intoPages gives every delivery a document of its own, as a query does that is
// asked page by page.
func intoPages(name string) func(int, *Batch) string {
	return func(number int, _ *Batch) string { return fmt.Sprintf("%s-%06d.json", name, number) }
}

// Store is the path of a file of a store, such as loki/query.jsonl.
func Store(name string) string { return "stores/" + name }

// addStores adds the dumps of the batches that the collector received.
func (e *Evidence) addStores(received []*Batch) {
	for _, d := range storeDumps() {
		deliveries := map[string][]*Batch{}
		for i, b := range received {
			name := Store(d.file(i, b))
			deliveries[name] = append(deliveries[name], b)
		}
		for name, batches := range deliveries {
			e.Files[name] = Dump(d.format, batches...)
		}
	}
}

// Dump is a file of batches in a format of package dumps. A batch without an id is not the
// exporter's: it comes from another service, say.
func Dump(format string, batches ...*Batch) File {
	return dumpedAs(format, batches, func(b *Batch) []string {
		if b.ID == "" {
			return nil
		}
		return []string{b.ID}
	})
}

// DumpWithoutIDs is [Dump] behind a collector that drops the batch ids.
func DumpWithoutIDs(format string, batches ...*Batch) File {
	return dumpedAs(format, batches, func(*Batch) []string { return nil })
}

func dumpedAs(format string, batches []*Batch, ids func(*Batch) []string) File {
	f := dumps.Named(format)
	return File{Mode: 0o644, content: func(w io.Writer) error {
		for _, b := range batches {
			_, err := w.Write(f.Write(b.Bodies, dumps.Options{Batches: ids(b), Time: b.Sent.UnixNano()}))
			if err != nil {
				return err
			}
		}
		return nil
	}}
}
