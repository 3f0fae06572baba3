package read_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"mime/quotedprintable"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
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
		diff := cmp.Diff(r.bodies, bodies)
		check.That(t, diff == "", "bodies: %v", diff)
		codes := a.Codes()
		check.That(t, slices.Equal(codes, r.codes), "codes %v, want %v: %+v", codes, r.codes, a.Skips)
	})
}

func rows(t *testing.T, all []row) {
	for _, r := range all {
		r.run(t, read.Options{})
	}
}

// trapsIn reads the rows of an archive in testdata/traps. The lines of a row begin with "|"
// for a line of the dump, ">" for one without a line feed, "-" for a body and "!" for a code.
// Invisible characters are quoted as in Go, in the dump after a space. The file has «a» to «c»
// for the first bodies of package dumps, «"a"» for a quoted one, «'a» for one within quotes,
// and «a 2 9» for a part of one.
func trapsIn(t *testing.T, path string) (all []row) {
	t.Helper()
	for _, f := range must.Get(txtar.ParseFile(path))(t).Files {
		r := row{name: f.Name}
		for line := range strings.Lines(string(f.Data)) {
			kind, value := line[0], strings.TrimPrefix(strings.TrimSuffix(line[1:], "\n"), " ")
			if strings.HasPrefix(value, `"`) && (kind == ' ' || kind == '-') {
				value = must.Get(strconv.Unquote(value))(t)
			}
			value = inserted.ReplaceAllStringFunc(value, insertedBody)
			switch kind {
			case '|':
				r.dump += value + "\n"
			case '>', ' ':
				r.dump += value
			case '-':
				r.bodies = append(r.bodies, value)
			case '!':
				r.codes = append(r.codes, finding.Code(value))
			}
		}
		all = append(all, r)
	}
	return all
}

var inserted = regexp.MustCompile(`«(["']?)([abc])"?(?: ([0-9]+) ([0-9]+))?»`)

// insertedBody returns the replacement of a match of inserted.
func insertedBody(s string) string {
	match := inserted.FindStringSubmatch(s)
	body := string(dumps.Bodies(3)[match[2][0]-'a'])
	if from, err := strconv.Atoi(match[3]); err == nil {
		body = body[from:must.Have(strconv.Atoi(match[4]))]
	}
	switch match[1] {
	case `"`:
		return dumps.Quote(body)
	case "'":
		quoted := must.Have(json.Marshal(body))
		return string(quoted[1 : len(quoted)-1])
	}
	return body
}

// TestTraps runs the rows of testdata/traps. In kept.txtar are trust files and certificates,
// which people keep with the evidence: they are no evidence and no damage; a file that is
// almost one might be.
func TestTraps(t *testing.T) {
	for _, path := range must.Get(filepath.Glob(filepath.Join("testdata", "traps", "*.txtar")))(t) {
		rows(t, trapsIn(t, path))
	}
	rows(t, []row{
		{"deep nesting", strings.Repeat(`{"resourceLogs":[`, 300_000), nil, []finding.Code{finding.SourceUnparseable}},
		{"deep body", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":` +
			strings.Repeat(`{"arrayValue":{"values":[`, 2000) + strings.Repeat(`]}}`, 2000) + `}]}]}]}`,
			[]string{"lossy:" + strings.Repeat("[", 65) + "null" + strings.Repeat("]", 65)}, nil},
		{"a database", "SQLite format 3\x00" + strings.Repeat("x", 5000), nil, []finding.Code{finding.SourceUnknownFormat}},
	})
}

// The attributes of a resource count for records that stand before them.
func TestResourceBehindItsRecords(t *testing.T) {
	attributes := `{"attributes":[{"key":"X-SVC-Edge-Audit-Batch","value":{"stringValue":"id"}}]}`
	dump := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"}}],"scope":` + attributes +
		`}],"resource":` + attributes + `}]}`
	want := []read.Batch{{ID: "id", Where: read.InResource}, {ID: "id", Where: read.InScope}}
	got := valueAt(t, []byte(dump), read.Options{}).Records[0].Batches
	check.That(t, slices.Equal(got, want), "%v", got)
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
	found := valueAt(t, []byte(bundle+"\n"+envelope+"\n"), read.Options{})
	must.That(t, len(found.Records) == 2 && len(found.Skips) == 0, "%+v", found)
	for i, want := range []struct {
		kind read.Kind
		body string
	}{{read.Bundle, bundle}, {read.Envelope, envelope}} {
		r := found.Records[i]
		check.That(t, r.Kind == want.kind && string(r.Body) == want.body, "kind %d, body %q", r.Kind, r.Body)
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
		found := valueAt(t, []byte(text), read.Options{})
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
		check.That(t, len(a.Records) == c.records && slices.Equal(a.Codes(), c.codes),
			"%s: %d records, %+v", name, len(a.Records), a.Skips)
		for _, r := range a.Records {
			check.That(t, slices.Equal(r.Batches, []read.Batch{{ID: "id", Where: read.InHTTPHeader}}),
				"%s: %v", name, r.Batches)
		}
	}
}
