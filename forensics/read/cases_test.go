package read_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"mime/quotedprintable"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// row is one trap: a dump, and all that must come of it.
type row struct {
	name   string
	dump   string
	bodies []string // text and fidelity, as "exact:…"
	codes  []finding.Code
}

func (r row) run(t *testing.T, o read.Options) {
	t.Helper()
	t.Run(r.name, func(t *testing.T) {
		a := sound(t, []byte(r.dump), o)
		var bodies []string
		for _, rec := range a.Records {
			bodies = append(bodies, fmt.Sprintf("%s:%s", rec.Fidelity, rec.Body))
		}
		if diff := cmp.Diff(r.bodies, bodies); diff != "" {
			t.Error("bodies:", diff)
		}
		if codes := a.Codes(); !slices.Equal(codes, r.codes) {
			t.Errorf("codes %v, want %v: %+v", codes, r.codes, a.Skips)
		}
	})
}

func rows(t *testing.T, all []row) {
	for _, r := range all {
		r.run(t, read.Options{})
	}
}

// logRecord is an export of one record with this body, as OTLP/JSON.
func logRecord(body string) string {
	return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":` + body + `}]}]}]}`
}

func TestOTLPJSONTraps(t *testing.T) {
	rows(t, []row{
		{"two exports on one line", logRecord(`{"stringValue":"a"}`) + logRecord(`{"stringValue":"b"}`) + "\n",
			[]string{"exact:a", "exact:b"}, []finding.Code{finding.SourceSeveral}},
		{"garbage behind", logRecord(`{"stringValue":"a"}`) + " x\n" + logRecord(`{"stringValue":"b"}`) + "\n",
			[]string{"exact:a", "exact:b"}, []finding.Code{finding.SourceTrailingData}},
		{"a body twice", logRecord(`{"stringValue":"a"},"body":{"stringValue":"b"}`) + "\n", nil,
			[]finding.Code{finding.SourceAmbiguous}},
		{"records twice", strings.Replace(logRecord(`{"stringValue":"a"}`), `}]}]}]}`,
			`}],"logRecords":[{"body":{"stringValue":"b"}}]}]}]}`, 1), []string{"exact:a", "exact:b"},
			[]finding.Code{finding.SourceAmbiguous}},
		{"two values in a body", logRecord(`{"stringValue":"a","intValue":"1"}`), nil,
			[]finding.Code{finding.SourceAmbiguous}},
		{"octets that are no text", logRecord("{\"stringValue\":\"a\xff\xfeb\"}"), []string{"exact:a\xff\xfeb"},
			[]finding.Code{finding.SourceInvalidUTF8}},
		{"half a surrogate pair", logRecord(`{"stringValue":"a\ud800b"}`), []string{"lossy:a\ufffdb"},
			[]finding.Code{finding.SourceInvalidUTF8}},
		{"escapes", logRecord(`{"stringValue":"\u00e9\/\ud83d\ude00\n\"\\"}`), []string{"exact:é/😀\n\"\\"}, nil},
		{"snake case", `{"resource_logs":[{"scope_logs":[{"log_records":[{"body":{"string_value":"a"}}]}]}]}`,
			[]string{"exact:a"}, nil},
		{"octets", logRecord(`{"bytesValue":"eyJzZXEiOjF9"}`), []string{`exact:{"seq":1}`}, nil},
		{"bad base64", logRecord(`{"bytesValue":"e"}`), nil, []finding.Code{finding.SourceUnparseable}},
		{"a bare string", logRecord(`"a"`), nil, []finding.Code{finding.SourceUnparseable}},
		{"no body", logRecord(`{}`), []string{"exact:"}, nil},
		{"integer", logRecord(`{"intValue":"9007199254740993"}`), []string{"lossy:9007199254740993"}, nil},
		{"map",
			logRecord(`{"kvlistValue":{"values":[{"key":"z","value":{"intValue":"1"}},{"key":"a","value":{"doubleValue":2}}]}}`),
			[]string{`recanonicalised:{"a":2,"z":1}`}, nil},
		{"map with octets", logRecord(`{"kvlistValue":{"values":[{"key":"b","value":{"bytesValue":"AQI="}}]}}`),
			[]string{`lossy:{"b":"AQI="}`}, nil},
		{"map with a fraction", logRecord(`{"kvlistValue":{"values":[{"key":"b","value":{"doubleValue":1.5}}]}}`),
			[]string{`lossy:{"b":1.5}`}, nil},
		{"map with a name twice",
			logRecord(`{"kvlistValue":{"values":[{"key":"b","value":{"intValue":1}},{"key":"b","value":{"intValue":2}}]}}`),
			[]string{`lossy:{"b":1,"b":2}`}, nil},
		{"no records", `{"resourceLogs":[]}`, nil, []finding.Code{finding.SourceNoRecord}},
		{"another signal", `{"resourceSpans":[{"scopeSpans":[]}]}` + "\n" + logRecord(`{"stringValue":"a"}`),
			[]string{"exact:a"}, []finding.Code{finding.SourceNoRecord}},
		{"one bad record of three",
			`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"}},{"body":{"stringValue":"\x"}},` +
				`{"body":{"stringValue":"c"}}]}]}]}`, []string{"exact:a", "exact:c"}, []finding.Code{finding.SourceUnparseable}},
		{"deep nesting", strings.Repeat(`{"resourceLogs":[`, 300_000), nil, []finding.Code{finding.SourceUnparseable}},
		{"deep body", logRecord(strings.Repeat(`{"arrayValue":{"values":[`, 2000) + strings.Repeat(`]}}`, 2000)),
			[]string{"lossy:" + strings.Repeat("[", 65) + "null" + strings.Repeat("]", 65)}, nil},
		{"over lines",
			"{\n \"resourceLogs\": [\n  {\"scopeLogs\": [{\"logRecords\": [\n" +
				"{\"body\": {\"stringValue\": \"a\"}}\n]}]}\n ]\n}\n" +
				logRecord(`{"stringValue":"b"}`), []string{"exact:a", "exact:b"}, nil},
		{"over lines, cut",
			"{\n \"resourceLogs\": [\n  {\"scopeLogs\": [{\"logRecords\": [\n   {\"body\": {\"stringValue\": \"a\"}}\n]}]}\n",
			[]string{"exact:a"}, []finding.Code{finding.SourcePartialTail}},
		{"byte order mark", "\ufeff" + logRecord(`{"stringValue":"a"}`), []string{"exact:a"}, nil},
		{"CR LF", logRecord(`{"stringValue":"a"}`) + "\r\n" + logRecord(`{"stringValue":"b"}`) + "\r\n",
			[]string{"exact:a", "exact:b"}, nil},
		{"torn and appended to", logRecord(`{"stringValue":"a"}`)[:40] + logRecord(`{"stringValue":"b"}`) + "\n" +
			logRecord(`{"stringValue":"c"}`) + "\n", []string{"exact:b", "exact:c"}, []finding.Code{finding.SourceUnparseable}},
	})
}

// The attributes of a resource count for records that stand before them.
func TestResourceBehindItsRecords(t *testing.T) {
	attributes := `{"attributes":[{"key":"X-SVC-Edge-Audit-Batch","value":{"stringValue":"id"}}]}`
	dump := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"}}],"scope":` + attributes +
		`}],"resource":` + attributes + `}]}`
	want := []read.Batch{{ID: "id", Where: read.InResource}, {ID: "id", Where: read.InScope}}
	if got := find(t, []byte(dump), read.Options{}).Records[0].Batches; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func field(num protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), bytes.Join(parts, nil))
}

// protoRecord is an export of one record with these fields.
func protoRecord(fields ...[]byte) []byte { return field(1, field(2, field(2, fields...))) }

func framed(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func TestProtoTraps(t *testing.T) {
	text := func(s string) []byte { return field(5, field(1, []byte(s))) }
	unknown := slices.Concat(field(99, []byte("new")),
		protowire.AppendVarint(protowire.AppendTag(nil, 98, protowire.VarintType), 1))
	a, b, c := framed(protoRecord(text("a"))), framed(protoRecord(text("b"))), framed(protoRecord(text("c")))
	long := slices.Concat(binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(b)+7), b[4:])
	short := slices.Concat(binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(b)-3), b[4:])
	huge := slices.Concat([]byte{7, 0, 0, 0}, b[4:])
	join := func(parts ...[]byte) string { return string(slices.Concat(parts...)) }
	rows(t, []row{
		{"two bodies", join(protoRecord(text("a"), text("b"))), []string{"exact:b"}, []finding.Code{finding.SourceAmbiguous}},
		{"two values", join(protoRecord(field(5, field(1, []byte("a")), field(7, []byte("b"))))), []string{"exact:b"},
			[]finding.Code{finding.SourceAmbiguous}},
		{"unknown fields", join(protoRecord(unknown, text("a"), unknown), unknown), []string{"exact:a"},
			[]finding.Code{finding.SourceNoRecord, finding.SourceNoRecord}},
		{"octets that are no text", join(protoRecord(text("a\xff"))), []string{"exact:a\xff"},
			[]finding.Code{finding.SourceInvalidUTF8}},
		{"a string in a later schema", join(protoRecord(field(5,
			protowire.AppendVarint(protowire.AppendTag(nil, 8, protowire.VarintType), 3)))), []string{"exact:"}, nil},
		{"no body", join(protoRecord(field(3, []byte("INFO")))), []string{"exact:"}, nil},
		{"one bad record of three", join(field(1, field(2, field(2, text("a")), field(2, []byte{0xff}),
			field(2, text("c"))))), []string{"exact:a", "exact:c"}, []finding.Code{finding.SourceUnparseable}},
		{"a length within that is too long", join(a, framed(slices.Concat(field(1, field(2, field(2, text("x"))))[:9],
			[]byte{0x7f})), c), []string{"exact:a", "exact:c"}, []finding.Code{finding.SourceUnparseable}},
		{"empty message", join(a, []byte{0, 0, 0, 0}, c), []string{"exact:a", "exact:c"},
			[]finding.Code{finding.SourceNoRecord}},
		{"a length that is too long", join(a, long, c), []string{"exact:a", "exact:b", "exact:c"},
			[]finding.Code{finding.SourceTruncated}},
		{"a length that is too short", join(a, short, c), []string{"exact:a", "exact:c"},
			[]finding.Code{finding.SourceUnparseable}},
		{"a length beyond the file", join(a, huge, c), []string{"exact:a", "exact:c"},
			[]finding.Code{finding.SourceUnparseable}},
		{"garbage between", join(a, []byte("garbage!"), c), []string{"exact:a", "exact:c"},
			[]finding.Code{finding.SourceUnparseable}},
		{"cut within the second", join(a, framed(field(1, field(2, field(2, text("b")), field(2, text("c")))))[:20]),
			[]string{"exact:a", "exact:b"}, []finding.Code{finding.SourceTruncated}},
	})
}

func TestUnitLimit(t *testing.T) {
	bodies := dumps.Bodies(8) // the last is longer than the limit, the others are not
	long, next := string(bodies[7]), string(bodies[0])
	limits := read.Options{Limits: read.Limits{Unit: 1200}}
	for _, r := range []row{
		{"line", long + "\n" + next + "\n", []string{"exact:" + next}, []finding.Code{finding.SourceLimit}},
		{"element", "[" + long + "," + next + "]", []string{"exact:" + next}, []finding.Code{finding.SourceLimit}},
		{"message", string(framed(dumps.Proto(bodies[7:], dumps.Options{}))) +
			string(framed(dumps.Proto(bodies[:1], dumps.Options{}))), []string{"exact:" + next},
			[]finding.Code{finding.SourceLimit}},
		{"field", string(dumps.Proto(bodies[7:], dumps.Options{})) + string(dumps.Proto(bodies[:1], dumps.Options{})),
			[]string{"exact:" + next}, []finding.Code{finding.SourceLimit}},
		{"string without end", `"{` + strings.Repeat("x", 5000) + "\n" + next + "\n", []string{"exact:" + next},
			[]finding.Code{finding.SourceLimit}},
	} {
		r.run(t, limits)
	}
}

func TestStoreTraps(t *testing.T) {
	event := string(dumps.Bodies(1)[0])
	quoted := dumps.Quote(event)
	rows(t, []row{
		{"Kafka message without payload", `{"topic":"t","partition":0,"offset":1,"payload":null}`, nil,
			[]finding.Code{finding.SourceNoRecord}},
		{"binary Kafka message", `{"topic":"t","partition":0,"offset":1,"payload":"\n\ufffd\u0001x"}`, nil,
			[]finding.Code{finding.SourceUnparseable}},
		{"Kafka raw with a replaced octet", `{"topic":"t","partition":0,"offset":1,"payload":"\"{\ufffd}\""}`,
			[]string{"lossy:{\ufffd}"}, nil},
		{"Loki with attributes apart",
			`{"status":"success","data":{"resultType":"streams","result":[{"stream":{},"values":[["1",` + quoted +
				`,{"structuredMetadata":{"x_svc_edge_audit_batch":"id"}}]]}]}}`, []string{"exact:" + event}, nil},
		{"Loki, not streams",
			`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"2"]]}]}}`,
			[]string{"exact:2"}, nil},
		{"Loki without result", `{"status":"error","data":{}}`, nil, []finding.Code{finding.SourceNoRecord}},
		{"Loki with a replaced octet", `{"labels":{},"line":"{\"a\":\"\ufffd\"}","timestamp":"x"}`,
			[]string{"lossy:{\"a\":\"\ufffd\"}"}, nil},
		{"bulk action at the end", `{"create":{"_index":"x"}}` + "\n", nil, []finding.Code{finding.SourceUnparseable}},
		{"bulk action without document", `{"create":{}}` + "\n" + `{"create":{}}` + "\n" + `{"Body":` + quoted + "}\n",
			[]string{"exact:" + event}, []finding.Code{finding.SourceUnparseable}},
		{"bulk deletion", `{"delete":{"_id":"1"}}` + "\n", nil, []finding.Code{finding.SourceNoRecord}},
		{"document without a body", `{"_source":{"@timestamp":"2026-01-01T00:00:00Z","severity":"INFO"}}`, nil,
			[]finding.Code{finding.SourceNoRecord}},
		{"one dotted name", `{"_source":{"@timestamp":"1.0","body.text":` + quoted + `}}`, []string{"exact:" + event}, nil},
		{"older structured body", `{"_source":{"body":{"flattened":{"b":1,"a":2}}}}`,
			[]string{`recanonicalised:{"a":2,"b":1}`}, nil},
		{"structured body with what an event has not", `{"_source":{"body":{"structured":{"b":null}}}}`,
			[]string{`lossy:{"b":null}`}, nil},
		{"ClickHouse octets that are no text", "{\"Timestamp\":\"2026-01-01 00:00:00\",\"Body\":\"{\xff}\"}",
			[]string{"exact:{\xff}"}, []finding.Code{finding.SourceInvalidUTF8}},
		{"ClickHouse JSON with a replaced octet", `{"meta":[],"data":[{"Body":"{\ufffd}"}]}`, []string{"lossy:{\ufffd}"},
			nil},
		{"Splunk event cut by the store", `{"preview":false,"result":{"_raw":"{\"body\":{\"da"}}`,
			[]string{`exact:{"body":{"da`}, nil},
		{"Splunk preview", `{"preview":true,"result":{"_raw":"a"}}` + "\n" + `{"preview":false,"result":{"_raw":"a"}}`,
			[]string{"exact:a", "exact:a"}, nil},
		{"HEC without event", `{"time":1,"host":"x","event":null,"fields":{}}`, []string{"exact:"}, nil},
		{"HEC, one after the other", `{"time":1,"event":"a"}{"time":2,"event":"b"}` + "\n" + `{"time":3,"event":"c"}`,
			[]string{"exact:a", "exact:b", "exact:c"}, nil},
		{"of no known format", `{"name":"x"}` + "\n" + `{"name":"y"}` + "\n", nil,
			[]finding.Code{finding.SourceNoRecord, finding.SourceNoRecord}},
		{"records of another service before", `{"name":"x"}` + "\n" + `{"name":"y"}` + "\n" + event + "\n",
			[]string{"exact:" + event}, []finding.Code{finding.SourceNoRecord, finding.SourceNoRecord}},
		{"records of another service behind", event + "\n" + `{"name":"x"}` + "\n", []string{"exact:" + event},
			[]finding.Code{finding.SourceNoRecord}},
		{"an event in another value", event + "\n" + `{"name":["svc.audit-event.v1"]}` + "\n", []string{"exact:" + event},
			[]finding.Code{finding.SourceUnparseable}},
		{"an event beside a body", `{"Body":"hello","ResourceAttributes":{"copy":` +
			strconv.Quote(`{"body":{"protocol":"svc.audit-event.v1"}}`) + `}}`, []string{"exact:hello"},
			[]finding.Code{finding.SourceUnparseable}},
	})
}

// TestBesidesEvidence: trust files and certificates, which people keep beside the
// evidence, are no evidence and no damage; what is almost one might be.
func TestBesidesEvidence(t *testing.T) {
	const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	const keys = `"audit_keys":{"a":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},` +
		`"protected_signer_keys":{"s":"PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw"},` +
		`"nodes":{"n":"_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU"},` +
		`"registries":{"1":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`
	event := string(dumps.Bodies(1)[0])
	rows(t, []row{
		{"certificates", certificate + "\n" + certificate, nil, []finding.Code{finding.SourceNoRecord}},
		{"a certificate and something else", certificate + "torn", nil, []finding.Code{finding.SourceNoRecord}},
		{"a torn certificate", certificate[:40], nil, []finding.Code{finding.SourceNoRecord}},
		{"text before a certificate", "a note\n" + certificate, nil, []finding.Code{finding.SourceNoRecord}},
		{"a certificate before a journal", certificate + event + "\n", []string{"exact:" + event},
			[]finding.Code{finding.SourceNoRecord}},
		{"a trust file", "{" + keys + "}", nil, []finding.Code{finding.SourceNoRecord}},
		{"a trust file with more in it", "{" + keys + `,"events":[]}`, nil, []finding.Code{finding.SourceNoRecord}},
		{"a trust file before a journal", "{" + keys + "}\n" + event + "\n", []string{"exact:" + event},
			[]finding.Code{finding.SourceNoRecord}},
	})
}

func TestJournalTraps(t *testing.T) {
	bodies := dumps.Bodies(3)
	a, b := string(bodies[0]), string(bodies[1])
	rows(t, []row{
		{"no line feed at the end", a + "\n" + b, []string{"exact:" + a, "exact:" + b},
			[]finding.Code{finding.SourcePartialTail}},
		{"torn", a + "\n" + b[:300], []string{"exact:" + a}, []finding.Code{finding.SourcePartialTail}},
		{"torn behind a bracket", a + "\n" + b[:strings.Index(b, `}]}`)+1], []string{"exact:" + a},
			[]finding.Code{finding.SourcePartialTail}},
		{"torn and appended to", a[:300] + b + "\n", []string{"exact:" + b}, []finding.Code{finding.SourceUnparseable}},
		{"zeros after a crash", a + "\n" + strings.Repeat("\x00", 100) + b + "\n", []string{"exact:" + a, "exact:" + b},
			[]finding.Code{finding.SourceUnparseable}},
		{"compressed in base64, without a line feed", `{"data":"` + base64.StdEncoding.EncodeToString([]byte(zipped(a))) +
			`"}`, []string{"exact:" + a}, nil},
		{"two on a line", a + b + "\n", []string{"exact:" + a, "exact:" + b}, nil},
		{"a space before it", " " + a + "\n", []string{"exact:" + a}, nil},
		{"not canonical", strings.Replace(a, `{"body"`, `{ "body"`, 1) + "\n", []string{"recanonicalised:" + a}, nil},
		{"over lines", strings.Replace(a, `,"hash"`, ",\n\"hash\"", 1) + "\n", []string{"recanonicalised:" + a}, nil},
		{"a list", "[\n" + a + ",\n" + b + "\n]\n", []string{"exact:" + a, "exact:" + b}, nil},
		{"a list that is not closed", "[" + a + "," + b, []string{"exact:" + a, "exact:" + b},
			[]finding.Code{finding.SourcePartialTail}},
		{"a torn beginning", a[210:] + "\n" + b + "\n", []string{"exact:" + b}, []finding.Code{finding.SourceUnparseable}},
		{"only white space", "\n \r\n", nil, []finding.Code{finding.SourceNoRecord}},
		{"nothing", "", nil, []finding.Code{finding.SourceNoRecord}},
		{"an empty list", "[]", nil, []finding.Code{finding.SourceNoRecord}},
		{"no evidence", "hello\nworld\n", nil, []finding.Code{finding.SourceNoRecord}},
		{"a database", "SQLite format 3\x00" + strings.Repeat("x", 5000), nil, []finding.Code{finding.SourceUnknownFormat}},
	})
}

// TestBlankInFront: whatever white space is in front of a journal, it is read. As
// a protobuf message a line feed begins a field.
func TestBlankInFront(t *testing.T) {
	line := string(dumps.Bodies(1)[0])
	var all []row
	fronts := []string{""}
	for range 5 {
		var longer []string
		for _, front := range fronts {
			for _, c := range "\n\r\t " {
				longer = append(longer, front+string(c))
				all = append(all, row{fmt.Sprintf("%q", front+string(c)), front + string(c) + line + "\n",
					[]string{"exact:" + line}, nil})
			}
		}
		fronts = longer
	}
	rows(t, all)
}

func TestDocuments(t *testing.T) {
	bundle := "{\n  \"protocol\": \"svc.evidence-bundle.v1\",\n  \"manifest\": {},\n  \"audit_path\": {}\n}"
	envelope := `{"key_id":"k","signature":"s","statement":{"protocol":"svc.audit-checkpoint.v1"}}`
	found := find(t, []byte(bundle+"\n"+envelope+"\n"), read.Options{})
	if len(found.Records) != 2 || len(found.Skips) != 0 {
		t.Fatalf("%+v", found)
	}
	for i, want := range []struct {
		kind read.Kind
		body string
	}{{read.Bundle, bundle}, {read.Envelope, envelope}} {
		if r := found.Records[i]; r.Kind != want.kind || string(r.Body) != want.body {
			t.Errorf("kind %d, body %q", r.Kind, r.Body)
		}
	}
}

// TestMailedProof: a proof in quoted-printable is read whole, with its events.
func TestMailedProof(t *testing.T) {
	proof := `{"audit_path":{"events":[` + string(bytes.Join(genuineEvents(3), []byte(","))) +
		`]},"manifest":{"files":[]},"protocol":"svc.evidence-bundle.v1"}`
	var mail bytes.Buffer
	mail.WriteString("Content-Transfer-Encoding: quoted-printable\r\n\r\n")
	w := quotedprintable.NewWriter(&mail)
	must.Get(w.Write([]byte(proof + "\r\n")))(t)
	must.Do(t, w.Close())
	for _, text := range []string{mail.String(), strings.ReplaceAll(mail.String(), "\r\n", "\n")} {
		found := find(t, []byte(text), read.Options{})
		if len(found.Records) != 1 || found.Records[0].Kind != read.Bundle || string(found.Records[0].Body) != proof {
			t.Errorf("%+v", found)
		}
	}
}

func TestRequests(t *testing.T) {
	bodies := dumps.Bodies(2)
	export := string(dumps.Named("s3-json").Write(bodies, dumps.Options{}))
	head := "POST /v1/logs HTTP/1.1\r\nHost: x\r\nx-svc-edge-audit-batch: id\r\n"
	whole := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(export), export)
	chunked := fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x;x=y\r\n%s\r\n%x\r\n%s\r\n0\r\nTrailer: x\r\n\r\n", head,
		100, export[:100], len(export)-100, export[100:])
	response := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}\r\n"
	for name, c := range map[string]struct {
		dump    string
		records int
		codes   []finding.Code
	}{
		"one":       {whole, 2, nil},
		"chunked":   {chunked, 2, nil},
		"no length": {head + "\r\n" + export, 2, nil},
		"two":       {whole + whole, 4, nil},
		"with response": {whole + response + chunked + response, 4,
			[]finding.Code{finding.SourceNoRecord, finding.SourceNoRecord}},
		"event between": {whole + strings.Repeat("x", 64<<10-100) + string(bodies[0]) + "\r\n" +
			whole, 4, []finding.Code{finding.NotRead}},
		"cut":          {whole[:len(whole)-500], 1, []finding.Code{finding.SourcePartialTail, finding.SourceTruncated}},
		"chunk cut":    {chunked[:len(chunked)-500], 1, []finding.Code{finding.SourcePartialTail, finding.SourceTruncated}},
		"endless head": {head, 0, []finding.Code{finding.SourceUnparseable}},
	} {
		a := sound(t, []byte(c.dump), read.Options{})
		if len(a.Records) != c.records || !slices.Equal(a.Codes(), c.codes) {
			t.Errorf("%s: %d records, %+v", name, len(a.Records), a.Skips)
		}
		for _, r := range a.Records {
			if want := []read.Batch{{ID: "id", Where: read.InHTTPHeader}}; !slices.Equal(r.Batches, want) {
				t.Errorf("%s: %v", name, r.Batches)
			}
		}
	}
}
