package cases

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/verify"

	"pgregory.net/rapid"
)

// wholeDumps are the dumps that each hold everything: paths below stores.
var wholeDumps = []string{
	"collector/json", "collector/proto", "collector/zstd", "collector/native-zstd", "s3/json", "s3/proto",
	"kafka/otlp_json.jsonl", "kafka/otlp_proto.jsonl", "kafka/raw.jsonl", "loki/query.jsonl", "loki/legacy.jsonl",
	"elasticsearch/otel.jsonl", "elasticsearch/ecs.jsonl", "elasticsearch/raw.jsonl", "elasticsearch/old.jsonl",
	"elasticsearch/bodymap.jsonl", "elasticsearch/bulk.jsonl", "clickhouse/otel_logs.jsonl", "splunk/hec.jsonl",
	"splunk/export.jsonl", "requests/capture.http",
}

// TestEveryDumpWillDo: from any one dump, and no journal, every log is verified
// up to its end.
func TestEveryDumpWillDo(t *testing.T) {
	long(t)
	e := fleettest.Evidence(t, fleet.Scene)
	for _, name := range wholeDumps {
		t.Run(name, func(t *testing.T) {
			x := exam{fleet.Scene, with(exported, fleet.Store(name)), false, false}
			path := x.add(t, t.TempDir(), e)
			result, err := examine.Examine(t.Context(), path, fleettest.Root(t, e), examine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range result.Logs {
				if l.Verdict != verify.Verified || l.UnanchoredTail != 0 || l.Events == 0 {
					t.Errorf("%s: %s, %d events, %d unanchored", l.LogID, l.Verdict, l.Events, l.UnanchoredTail)
				}
			}
			if len(result.Logs) != len(e.Scene.Journals)+1 {
				t.Errorf("%d logs", len(result.Logs))
			}
		})
	}
}

// TestDeletedAnywhere deletes any range of a journal, which is found as exactly
// that range, as missing at the beginning, in between or at the end.
func TestDeletedAnywhere(t *testing.T) {
	long(t)
	scene := fleettest.Evidence(t, fleet.Scene)
	const node = "mesh-berlin-1"
	events := scene.Scene.Journals[node]
	rapid.Check(t, func(r *rapid.T) {
		first := rapid.IntRange(1, len(events)).Draw(r, "first")
		last := rapid.IntRange(first, len(events)).Draw(r, "last")
		e := scene.Clone()
		e.Files[fleet.Journal(node)] = fleet.Bytes(fleet.Lines(slices.Concat(events[:first-1], events[last:])))
		code := finding.Gap
		switch {
		case first == 1 && last == len(events):
			code = finding.Gone
		case first == 1:
			code = finding.HeadMissing
		case last == len(events):
			code = finding.TailMissing
		}
		want := say(finding.Finding{Code: code, LogID: "node/" + node, Sequence: uint64(first),
			LastSequence: uint64(last)}.Complete())
		var found []string
		for _, f := range (exam{fleet.Scene, []string{fleet.Journal(node), fleet.Cursors(node)}, false, false}).examine(t, e) {
			// Of what is left before a missing end, and of an empty file.
			if f.Code != finding.TailUnanchored && f.Code != finding.SourceNoRecord {
				found = append(found, say(f))
			}
		}
		if !slices.Equal(found, []string{want}) {
			r.Errorf("found %v, want %s", found, want)
		}
	})
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
		if !listed && !paged {
			t.Errorf("%s is in no list", name)
		}
	}
}
