package ingest

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// exported is an export request with these bodies.
func exported(t testing.TB, format read.Format, bodies ...[]byte) []byte {
	t.Helper()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, b := range bodies {
		records.AppendEmpty().Body().SetStr(string(b))
	}
	encode := (&plog.ProtoMarshaler{}).MarshalLogs
	if format == read.OTLPJSON {
		encode = (&plog.JSONMarshaler{}).MarshalLogs
	}
	return must.Get(encode(logs))(t)
}

var arrived = time.Date(2026, 3, 2, 9, 0, 0, 123456789, time.UTC)

// headOf is the head of the n-th request.
func headOf(format read.Format, n int, batches ...string) Head {
	return Head{Format: format, Batches: batches, Client: "CN=berlin\r\nx: y", Remote: "192.0.2.7:4711",
		At: arrived.Add(time.Duration(n) * time.Second)}
}

// manyRequests are requests of one sender with all that can be in them: batches, redeliveries,
// another order, records that are no events, and more records than one chunk can hold.
func manyRequests(t testing.TB) []*Request {
	t.Helper()
	a := journal(berlin, 6000, 1)
	id := batchID(berlin, a[:40]...)
	large := []byte(strings.Repeat("x", 2*facts.ExcerptSize))
	var all []*Request
	add := func(format read.Format, batches []string, bodies ...[]byte) {
		r := must.Get(ReadRequest(t.Context(), headOf(format, len(all), batches...), exported(t, format, bodies...)))(t)
		all = append(all, r)
	}
	add(read.OTLPProto, []string{id}, a[:40]...)
	add(read.OTLPJSON, []string{"z", id}, a[40:45]...)
	add(read.OTLPProto, nil, a[50], []byte("no event"), a[49], large, tampered(a[3]))
	add(read.OTLPProto, []string{id}, a[:40]...)
	add(read.OTLPJSON, nil, a[5700:]...)
	add(read.OTLPProto, []string{"w"}, a[:5500]...)
	add(read.OTLPJSON, []string{id}, []byte("\xff\xfe"), a[5600])
	return all
}

// TestCaptureIsWholeAfterEveryRequest: with every commit the source is complete,
// and can go on after the case was closed.
func TestCaptureIsWholeAfterEveryRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	var c *Capture
	var size int64
	var kept []Kept
	for i, r := range manyRequests(t) {
		w := must.Have(store.OpenWrite(path))
		if i == 0 {
			c = must.Have(NewCapture(w, "receive:x"))
		} else if there := must.Have(c.In(w)); !there {
			t.Fatalf("request %d: the case does not know the capture", i)
		}
		size += int64(len(r.wire) + len(r.body))
		kept = append(kept, must.Have(c.Add(w, r)))
		must.Do(t, errors.Join(w.Commit(), w.Close()))
		sources := must.Have(openRead(t, path).Sources(t.Context()))
		must.That(t, len(sources) == 1 && sources[0].Complete && sources[0].Size == size &&
			sources[0].SHA256 == c.progress.ReadSHA256, "request %d: %+v", i, sources)
	}
	want := []Kept{{Events: 40}, {Events: 5}, {3, 2, 1}, {Events: 40}, {Events: 300}, {Events: 5500}, {1, 1, 0}}
	check.That(t, slices.Equal(kept, want), "kept %+v, want %+v", kept, want)
	other := must.Have(store.OpenWrite(filepath.Join(t.TempDir(), "other.db")))
	defer other.Close()
	check.That(t, !must.Have(c.In(other)), "another case knows the capture")
}

// TestRequestsThatAreRefused: requests that are damaged, wrapped or of another signal are
// refused, and empty ones are accepted.
func TestRequestsThatAreRefused(t *testing.T) {
	event := journal(berlin, 1, 1)[0]
	proto, text := exported(t, read.OTLPProto, event), exported(t, read.OTLPJSON, event)
	record := func(body string) string {
		return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":` + body + `}]}]}]}`
	}
	for name, test := range map[string]struct {
		format read.Format
		body   string
		want   string // "": taken
		empty  bool
	}{
		"protobuf":             {read.OTLPProto, string(proto), "", false},
		"JSON":                 {read.OTLPJSON, string(text), "", false},
		"nothing":              {read.OTLPProto, "", "", true},
		"nothing as JSON":      {read.OTLPJSON, "", "", true},
		"an empty object":      {read.OTLPJSON, " {}\n", "", true},
		"no resources":         {read.OTLPJSON, `{"resourceLogs":[]}`, "", true},
		"no records":           {read.OTLPProto, "\x0a\x04\x0a\x00\x12\x00", "", true},
		"an unknown field":     {read.OTLPProto, "\x12\x03abc", "", true},
		"an empty record":      {read.OTLPProto, "\x0a\x04\x12\x02\x12\x00", "", false},
		"a group":              {read.OTLPProto, "\x73\x74", "another form", false},
		"cut off":              {read.OTLPProto, string(proto[:len(proto)-1]), "another form", false},
		"with a tail":          {read.OTLPProto, string(proto) + "\xff", "another form", false},
		"JSON as protobuf":     {read.OTLPProto, string(text), "another form", false},
		"protobuf as JSON":     {read.OTLPJSON, string(proto), "no JSON", false},
		"compressed once more": {read.OTLPProto, "\x1f\x8b\x08\x00", "another form", false},
		"traces as protobuf": {read.OTLPProto, "\x0a\x08\x12\x06\x12\x04\x0a\x02id",
			"at byte 6: expected a request with log records, found a message of another form", false},
		"deeper than anybody goes": {read.OTLPProto, deep(200), "another form", false},
		"JSON cut off":             {read.OTLPJSON, string(text[:len(text)-1]), "no JSON", false},
		"two documents":            {read.OTLPJSON, string(text) + string(text), "no JSON", false},
		"a list":                   {read.OTLPJSON, "[" + string(text) + "]", "other JSON", false},
		"not a list of resources":  {read.OTLPJSON, `{"resourceLogs":7}`, "other JSON", false},
		"traces":                   {read.OTLPJSON, `{"resourceSpans":[]}`, "another signal", false},
		"a record that is none": {read.OTLPJSON, strings.Replace(record("{}"), `{"body":{}}`, "3", 1), "no log record",
			false},
		"a body that is none":      {read.OTLPJSON, record(`"x"`), "AnyValue", false},
		"a body with a fault":      {read.OTLPJSON, record(`{"stringValue":"a","stringValue":"b"}`), "", false},
		"a body that is not UTF-8": {read.OTLPJSON, record("{\"stringValue\":\"\xff\"}"), "", false},
		"UTF-16":                   {read.OTLPJSON, "\xff\xfe{\x00}\x00", "no JSON", false},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ReadRequest(t.Context(), headOf(test.format, 0, "id"), []byte(test.body))
			var bad *NotOTLP
			switch {
			case test.want != "":
				check.That(t, errors.As(err, &bad) && strings.Contains(err.Error(), test.want),
					"%v, want one that says %q", err, test.want)
			case err != nil:
				t.Error(err)
			case r.Empty() != test.empty:
				t.Errorf("empty: %t, want %t", r.Empty(), test.empty)
			}
		})
	}
}

// deep is a log record whose body is a list in a list, so many times.
func deep(levels int) string {
	b := []byte{}
	for range levels {
		b = protowire.AppendBytes([]byte{5<<3 | 2}, protowire.AppendBytes([]byte{1<<3 | 2}, b))
	}
	for _, tag := range []byte{5<<3 | 2, 2<<3 | 2, 2<<3 | 2, 1<<3 | 2} {
		b = protowire.AppendBytes([]byte{tag}, b)
	}
	return string(b)
}

// FuzzReadRequest: the collector's own decoder accepts every request that is accepted as
// protobuf. In both forms no record is lost, and the result can be scanned.
func FuzzReadRequest(f *testing.F) {
	lines := journal(berlin, 3, 1)
	for _, format := range []read.Format{read.OTLPProto, read.OTLPJSON} {
		f.Add(exported(f, format, lines...), format == read.OTLPJSON)
		f.Add(exported(f, format, lines[0], []byte("x")), format == read.OTLPJSON)
	}
	f.Fuzz(func(t *testing.T, body []byte, text bool) {
		format, decode := read.OTLPProto, (&plog.ProtoUnmarshaler{}).UnmarshalLogs
		if text {
			format, decode = read.OTLPJSON, (&plog.JSONUnmarshaler{}).UnmarshalLogs
		}
		r, err := ReadRequest(t.Context(), headOf(format, 0), body)
		if err != nil {
			return
		}
		logs, err := decode(body)
		lengths := regexp.MustCompile("invalid (length for|[A-Za-z]+ID length)") // of members that are not read here
		check.That(t, err == nil || text || lengths.MatchString(err.Error()), "the collector takes none of it: %v", err)
		if err == nil && int64(logs.LogRecordCount()) > r.indexed {
			t.Errorf("%d records, the collector finds %d", r.indexed, logs.LogRecordCount())
		}
		var kept Kept
		for _, raw := range r.chunks {
			kept.countChunk(scanChunk(raw))
		}
		check.That(t, kept.Events+kept.Others <= r.indexed && kept.Cut <= kept.Others,
			"kept %+v of %d", kept, r.indexed)
		r.releaseMemory()
	})
}

// TestManySmallRequests: a case that grew by many requests, each in a commit of its own, has
// few runs and all that came.
func TestManySmallRequests(t *testing.T) {
	const events = 3
	requests := chance.Sized(200, 60)
	path := filepath.Join(t.TempDir(), "case.db")
	a := journal(berlin, requests*events, 1)
	w := must.Have(store.OpenWrite(path))
	c := must.Have(NewCapture(w, "receive:x"))
	for n := range requests {
		body := exported(t, read.OTLPProto, a[n*events:][:events]...)
		r := must.Have(ReadRequest(t.Context(), headOf(read.OTLPProto, n), body))
		before := c.progress.ReadSHA256
		must.Do(t, w.Tidy(t.Context()))
		must.Get(c.Add(w, r))(t)
		must.Do(t, w.Commit())
		_, known, err := w.Known(before)
		must.That(t, !known && err == nil, "request %d: what was there before it is known as a source, %v", n, err)
	}
	must.Do(t, w.Close())
	conn := must.Have(sqlite.Open(path, sqlite.ReadOnly))
	runs := must.Have(conn.Number("SELECT count(DISTINCT run) FROM blocks"))
	boxes := must.Have(conn.Number("SELECT count(*) FROM containers"))
	total := must.Have(conn.Number("SELECT sum(unbatched) FROM containers"))
	must.Do(t, conn.Close())
	in := openRead(t, path) // which is checked
	logs := must.Have(in.Logs(t.Context()))
	last := must.Have(in.Last(t.Context(), logs[0]))
	check.That(t, runs <= 30 && int(boxes) > requests && int(last) == requests*events,
		"%d runs, %d containers, the last event is %d", runs, boxes, last)
	check.That(t, int(total) == requests*events, "%d events came without a batch id", total)
}
