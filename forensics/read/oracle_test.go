package read_test

// The readers of OTLP are compared with the collector's: go.opentelemetry.io/collector/pdata.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

// said contains the parts of a log record that are compared with the collector's own reader.
type said struct {
	Body                     string
	Kind                     read.Kind
	ExportTime, ObservedTime int64
	Batches                  string
}

func ours(found *Found) []said {
	var all []said
	for _, r := range found.Records {
		s := said{string(r.Body), r.Kind, r.ExportTime, r.ObservedTime, ""}
		for _, b := range r.Batches {
			s.Batches += string(b.Where) + "=" + b.ID + " "
		}
		all = append(all, s)
	}
	return all
}

// theirs returns an export as the collector's reader reads it.
func theirs(logs plog.Logs) []said {
	var all []said
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				s := said{ExportTime: int64(record.Timestamp()), ObservedTime: int64(record.ObservedTimestamp())}
				s.Body, s.Kind = theirBody(record.Body())
				for _, owner := range []struct {
					where      read.Where
					attributes pcommon.Map
				}{{read.InResource, resource.Resource().Attributes()}, {read.InScope, scope.Scope().Attributes()},
					{read.InRecord, record.Attributes()}} {
					if v, ok := owner.attributes.Get(read.BatchHeader); ok {
						s.Batches += string(owner.where) + "=" + v.Str() + " "
					}
				}
				all = append(all, s)
			}
		}
	}
	return all
}

func theirBody(v pcommon.Value) (string, read.Kind) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str(), read.Text
	case pcommon.ValueTypeBytes:
		return string(v.Bytes().AsRaw()), read.Bytes
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		b, err := json.Marshal(v.AsRaw())
		if err != nil {
			return err.Error(), read.Structure
		}
		if canonical, f := ijson.Canonical(b); f == nil {
			b = canonical
		}
		return string(b), read.Structure
	case pcommon.ValueTypeEmpty:
		return "", read.Empty
	}
	return v.AsString(), read.Scalar
}

// anyLogs draws an export as the collector could hold it.
func anyLogs(t *rapid.T) plog.Logs {
	logs := plog.NewLogs()
	id := rapid.StringMatching(`[0-9a-f]{8}`)
	mark := func(m pcommon.Map, name string) {
		m.PutStr("service.name", rapid.String().Draw(t, "name"))
		if rapid.Bool().Draw(t, name) {
			m.PutStr(read.BatchHeader, id.Draw(t, "id"))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "resources") {
		resource := logs.ResourceLogs().AppendEmpty()
		mark(resource.Resource().Attributes(), "resource")
		for range rapid.IntRange(0, 2).Draw(t, "scopes") {
			scope := resource.ScopeLogs().AppendEmpty()
			mark(scope.Scope().Attributes(), "scope")
			for range rapid.IntRange(0, 3).Draw(t, "records") {
				record := scope.LogRecords().AppendEmpty()
				mark(record.Attributes(), "record")
				record.SetTimestamp(pcommon.Timestamp(rapid.Int64Min(0).Draw(t, "time")))
				record.SetObservedTimestamp(pcommon.Timestamp(rapid.Int64Min(0).Draw(t, "observed")))
				fill(t, record.Body(), 0)
			}
		}
	}
	return logs
}

// fill draws a value such as an event can hold, which survives as a structure.
func fill(t *rapid.T, v pcommon.Value, depth int) {
	kinds := 4
	if depth == 0 {
		kinds = 6 // bytes and nothing cannot be in an event
	}
	if depth > 3 {
		kinds = 2
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		v.SetStr(rapid.StringMatching(`[ -~\x01-\x1fé日😀\x{2028}]*`).Draw(t, "text"))
	case 1:
		v.SetInt(rapid.Int64Range(-1<<53+1, 1<<53-1).Draw(t, "int"))
	case 2:
		m := v.SetEmptyMap()
		for _, key := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-zA-Z"\\é]{0,4}`), rapid.ID).Draw(t, "keys") {
			fill(t, m.PutEmpty(key), depth+1)
		}
	case 3:
		s := v.SetEmptySlice()
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			fill(t, s.AppendEmpty(), depth+1)
		}
	case 4:
		v.SetEmptyBytes().FromRaw(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	}
}

// The output of the collector is read as the collector reads it.
func TestCollectorsWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := anyLogs(t)
		want := theirs(logs)
		proto := must.Get((&plog.ProtoMarshaler{}).MarshalLogs(logs))(t)
		text := must.Get((&plog.JSONMarshaler{}).MarshalLogs(logs))(t)
		for format, dump := range map[read.Format][]byte{read.OTLPProto: proto, read.OTLPJSON: text} {
			a := valueAt(t, dump, read.Options{Format: format})
			diff := cmp.Diff(want, ours(a))
			must.That(t, diff == "", "%s: %s\n%q", format, diff, dump)
		}
	})
}

// The output of our own writers is read by the collector as we read it.
func TestOurWriters(t *testing.T) {
	for _, o := range []dumps.Options{{}, {Structured: true}, {Batches: []string{batchID}},
		{Batches: []string{batchID}, Where: read.InScope}} {
		proto := dumps.Proto(dumps.Bodies(9), withTime(o))
		logs := must.Get((&plog.ProtoUnmarshaler{}).UnmarshalLogs(proto))(t)
		diff := cmp.Diff(theirs(logs), ours(valueAt(t, proto, read.Options{})))
		check.That(t, diff == "", "proto: %s", diff)
		text := dumps.Named("s3-json").Write(dumps.Bodies(9), o)
		logs = must.Get((&plog.JSONUnmarshaler{}).UnmarshalLogs(text))(t)
		diff = cmp.Diff(theirs(logs), ours(valueAt(t, text, read.Options{})))
		check.That(t, diff == "", "JSON: %s", diff)
	}
}

func withTime(o dumps.Options) dumps.Options {
	o.Time = 1
	return o
}

// comparableRecords are the records that are compared for hostile exports, both readers': the collector
// has ways of its own with structures, and with names that are there twice. It looks for no event
// where it knows no log record or no body, within a text, or in a text that is nearly JSON. A time
// that no 63 bits hold is none here, and negative there.
func comparableRecords(theirs, ours []said) (their, our []string) {
	if len(ours) > len(theirs) {
		return nil, nil
	}
	for _, s := range ours {
		our = append(our, plain(s))
	}
	for i, s := range theirs {
		s.ExportTime, s.ObservedTime = max(s.ExportTime, 0), max(s.ObservedTime, 0)
		their = append(their, plain(s))
		if i < len(ours) && (ours[i].Kind == read.Structure || ours[i].Kind == read.Text &&
			(s.Kind == read.Empty || len(s.Body) > len(ours[i].Body) && strings.Contains(s.Body, ours[i].Body))) {
			their[i], our[i] = "other", "other"
		}
	}
	return their, our
}

func plain(s said) string {
	if s.Kind == read.Text || s.Kind == read.Bytes || s.Kind == read.Empty {
		return fmt.Sprintf("%d %q %d %d", s.Kind, s.Body, s.ExportTime, s.ObservedTime)
	}
	return "other"
}

// foundElsewhere reports whether an event was found where the collector looks for none:
// in a text, or among the members of a structure, which is then a text of its own.
func foundElsewhere(a *Found) bool {
	return slices.ContainsFunc(a.Records, func(r read.Record) bool {
		return len(r.Wrapping) > 0 || r.Format == read.General || r.Kind == read.Text && r.Fidelity == read.Recanonicalised
	})
}

func FuzzOTLPProto(f *testing.F) {
	for _, o := range []dumps.Options{{}, {Structured: true}, {Batches: []string{batchID}, Where: read.InResource}} {
		f.Add(dumps.Proto(dumps.Bodies(2), o))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := valueAt(t, b, read.Options{Format: read.OTLPProto})
		logs, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(b)
		codes := a.Codes()
		if err != nil || slices.Contains(codes, finding.SourceUnparseable) || slices.Contains(codes, finding.NotRead) ||
			foundElsewhere(a) {
			return // the collector lets groups through that do not end, and looks for no event
		}
		diff := cmp.Diff(comparableRecords(theirs(logs), ours(a)))
		must.That(t, diff == "", "%s\nskips: %+v", diff, a.Skips)
	})
}

func FuzzOTLPJSON(f *testing.F) {
	for _, o := range []dumps.Options{{}, {Structured: true}, {Batches: []string{batchID}, Where: read.InResource}} {
		f.Add(dumps.Named("file-json").Write(dumps.Bodies(2), o))
	}
	f.Add(
		[]byte(`{"resource_logs":[{"scope_logs":[{"log_records":[{"time_unix_nano":1,"body":{"bytes_value":"AQI="}}]}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a := valueAt(t, b, read.Options{Format: read.OTLPJSON})
		if !jsontext.Value(b).IsValid() || bytes.Contains(b, []byte("null")) {
			return // the collector lets much through that is not JSON
		}
		logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(b)
		if err != nil || len(a.Skips) > 0 || foundElsewhere(a) {
			return
		}
		diff := cmp.Diff(comparableRecords(theirs(logs), ours(a)))
		must.That(t, diff == "", "%v", diff)
	})
}
