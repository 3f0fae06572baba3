package cases

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
)

// wholeDumps are the dumps that each hold everything: paths below stores.
var wholeDumps = []string{
	"collector/json", "collector/proto", "collector/zstd", "collector/native-zstd", "s3/json", "s3/proto",
	"kafka/otlp_json.jsonl", "kafka/otlp_proto.jsonl", "kafka/raw.jsonl", "loki/query.jsonl", "loki/legacy.jsonl",
	"elasticsearch/otel.jsonl", "elasticsearch/ecs.jsonl", "elasticsearch/raw.jsonl", "elasticsearch/old.jsonl",
	"elasticsearch/bodymap.jsonl", "elasticsearch/bulk.jsonl", "clickhouse/otel_logs.jsonl", "splunk/hec.jsonl",
	"splunk/export.jsonl", "requests/capture.http",
}

// TestDumpsAreListed: no dump is left out of the list, save those that are a
// folder's worth of pages.
func TestDumpsAreListed(t *testing.T) {
	pages := []string{"loki/query_range-", "elasticsearch/search-", "clickhouse/otel_logs-"}
	for _, name := range fleettest.Evidence(t, fleet.Scene).Names("stores") {
		listed := slices.ContainsFunc(wholeDumps, func(d string) bool {
			return name == fleet.Store(d) || strings.HasPrefix(name, fleet.Store(d)+"/")
		})
		paged := slices.ContainsFunc(pages, func(p string) bool { return strings.HasPrefix(name, fleet.Store(p)) })
		check.That(t, listed || paged, "%s is in no list", name)
	}
}
