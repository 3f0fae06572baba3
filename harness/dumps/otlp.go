package dumps

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// otlpFormats are the formats that hold whole exports.
func otlpFormats() []Format {
	return []Format{
		otlp("file-json", read.OTLPJSON, lines, func(e export) []byte { return e.each(jsonLine) }),
		otlp("json-array", read.OTLPJSON, 0, func(e export) []byte {
			lines := bytes.Split(bytes.TrimSpace(e.each(jsonLine)), []byte("\n"))
			return fmt.Appendf(nil, "[%s]", bytes.Join(lines, []byte(",")))
		}),
		otlp("file-proto", read.OTLPFrames, framed, func(e export) []byte { return e.each(protoFrame) }),
		otlp("file-zstd-json", read.OTLPJSON, framed, func(e export) []byte {
			return e.each(func(e export) []byte { return frame(compress(bytes.TrimSpace(jsonLine(e)))) })
		}),
		otlp("file-zstd-proto", read.OTLPProto, framed, func(e export) []byte {
			return e.each(func(e export) []byte { return frame(compress(Proto(e.bodies, e.Options))) })
		}),
		otlp("native-zstd-json", read.OTLPJSON, framed, func(e export) []byte {
			return e.each(func(e export) []byte { return compress(jsonLine(e)) })
		}),
		otlp("native-zstd-proto", read.OTLPFrames, framed, func(e export) []byte { return compress(e.each(protoFrame)) }),
		otlp("s3-json", read.OTLPJSON, 0, func(e export) []byte { return bytes.TrimSpace(jsonLine(e)) }),
		otlp("s3-json-gzip", read.OTLPJSON, framed, func(e export) []byte { return Gzip(bytes.TrimSpace(jsonLine(e))) }),
		otlp("s3-proto", read.OTLPProto, framed, func(e export) []byte { return Proto(e.bodies, e.Options) }),
		{
			Name: "request-proto", Reads: read.OTLPProto, Text: read.Exact, Structure: read.Recanonicalised,
			Batch: read.InHTTPHeader,
			write: func(e export) []byte { return e.each(asRequest) },
		},
	}
}

type shape int

const (
	lines shape = iota + 1
	framed
)

func otlp(name string, reads read.Format, s shape, write func(export) []byte) Format {
	return Format{
		Name: name, Reads: reads, Text: read.Exact, Structure: read.Recanonicalised, Batch: read.InRecord, Resource: true,
		Lines: s == lines, write: write,
	}
}

// jsonLine writes an export as the file exporter does.
func jsonLine(e export) []byte {
	var b strings.Builder
	b.WriteString(`{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"edge"}}`)
	b.WriteString(e.jsonAttribute(read.InResource, ","))
	b.WriteString(`]},"scopeLogs":[{"scope":{"name":"audit","attributes":[` + e.jsonAttribute(read.InScope, "") +
		`]},"logRecords":[`)
	for i, body := range e.bodies {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(
			&b, `{"timeUnixNano":"%d","observedTimeUnixNano":"%d","severityNumber":9,"body":%s,"attributes":[{"key":"seq",`+
				`"value":{"intValue":"%d"}}%s]}`,
			e.time(i), e.time(i)+1, e.jsonBody(body), i, e.jsonAttribute(read.InRecord, ","))
	}
	b.WriteString("]}]}]}\n")
	return []byte(b.String())
}

func (e export) jsonBody(body []byte) string {
	if e.Structured {
		return jsonValue(parseExport(body))
	}
	return `{"stringValue":` + Quote(string(body)) + `}`
}

func (e export) jsonAttribute(where read.Where, before string) string {
	if !e.hasIDs(where) {
		return ""
	}
	value := `{"stringValue":` + Quote(e.joinedIDs()) + `}`
	if e.Array {
		value = `{"arrayValue":{"values":[{"stringValue":"` + strings.Join(e.Batches, `"},{"stringValue":"`) + `"}]}}`
	}
	return before + `{"key":"x-svc-edge-audit-batch","value":` + value + `}`
}

// Quote writes a JSON string with the fewest escapes, as the collector does.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func parseExport(body []byte) *ijson.Value {
	v, fault := ijson.Parse(body)
	if fault != nil {
		panic(fault)
	}
	return v
}

// jsonValue writes an AnyValue.
func jsonValue(v *ijson.Value) string {
	var parts []string
	switch v.Kind() {
	case ijson.Object:
		for _, m := range v.Members() {
			parts = append(parts, `{"key":`+Quote(m.Name)+`,"value":`+jsonValue(m.Value)+`}`)
		}
		return `{"kvlistValue":{"values":[` + strings.Join(parts, ",") + `]}}`
	case ijson.Array:
		for _, element := range v.Elements() {
			parts = append(parts, jsonValue(element))
		}
		return `{"arrayValue":{"values":[` + strings.Join(parts, ",") + `]}}`
	case ijson.String:
		return `{"stringValue":` + Quote(v.Text()) + `}`
	case ijson.Number:
		return `{"intValue":"` + strconv.FormatInt(v.Int(), 10) + `"}`
	}
	return `{"boolValue":` + strconv.FormatBool(v.Bool()) + `}`
}

// Proto writes an export in protobuf, with the fields of each message in
// descending order, as the collector does.
func Proto(bodies [][]byte, o Options) []byte {
	e := export{o, bodies}
	var records []byte
	for i, body := range bodies {
		records = writeField(records, 2, e.protoRecord(i, body))
	}
	scope := writeField(nil, 1, []byte("audit"))
	if e.hasIDs(read.InScope) {
		scope = writeField(scope, 3, e.protoAttribute())
	}
	resource := writeField(nil, 1, writePair("service.name", writeField(nil, 1, []byte("edge"))))
	if e.hasIDs(read.InResource) {
		resource = writeField(resource, 1, e.protoAttribute())
	}
	scoped := writeField(records, 1, scope)
	return writeField(nil, 1, writeField(writeField(nil, 2, scoped), 1, resource))
}

func (e export) protoRecord(i int, body []byte) []byte {
	b := protowire.AppendTag(nil, 11, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, uint64(e.time(i)+1))
	if e.hasIDs(read.InRecord) {
		b = writeField(b, 6, e.protoAttribute())
	}
	value := writeField(nil, 1, body)
	if e.Structured {
		value = protoValue(parseExport(body))
	}
	b = writeField(b, 5, value)
	b = protowire.AppendTag(b, 2, protowire.VarintType)
	b = protowire.AppendVarint(b, 9)
	b = protowire.AppendTag(b, 1, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, uint64(e.time(i)))
}

func (e export) protoAttribute() []byte {
	value := writeField(nil, 1, []byte(e.joinedIDs()))
	if e.Array {
		var list []byte
		for _, id := range e.Batches {
			list = writeField(list, 1, writeField(nil, 1, []byte(id)))
		}
		value = writeField(nil, 5, list)
	}
	return writePair("x-svc-edge-audit-batch", value)
}

func protoValue(v *ijson.Value) []byte {
	var list []byte
	switch v.Kind() {
	case ijson.Object:
		for _, m := range v.Members() {
			list = writeField(list, 1, writePair(m.Name, protoValue(m.Value)))
		}
		return writeField(nil, 6, list)
	case ijson.Array:
		for _, element := range v.Elements() {
			list = writeField(list, 1, protoValue(element))
		}
		return writeField(nil, 5, list)
	case ijson.String:
		return writeField(nil, 1, []byte(v.Text()))
	case ijson.Number:
		return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), uint64(v.Int()))
	}
	return protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), protowire.EncodeBool(v.Bool()))
}

func writePair(key string, value []byte) []byte {
	return writeField(writeField(nil, 2, value), 1, []byte(key))
}

func writeField(b []byte, num protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), value)
}

// frame puts its length before a message.
func frame(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func protoFrame(e export) []byte { return frame(Proto(e.bodies, e.Options)) }

// asRequest writes an export as it is sent, with the batch in its header.
func asRequest(e export) []byte {
	header := ""
	if len(e.Batches) > 0 {
		header = "X-Svc-Edge-Audit-Batch: " + e.joinedIDs() + "\r\n"
	}
	o := e.Options
	o.Batches = nil
	body := Gzip(Proto(e.bodies, o))
	return fmt.Appendf(
		nil, "POST /v1/logs HTTP/1.1\r\nHost: collector:4318\r\nContent-Type: application/x-protobuf\r\n"+
			"Content-Encoding: gzip\r\nContent-Length: %d\r\n%s\r\n%s",
		len(body), header, body)
}

func compress(b []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// Gzip compresses contents, each as a member of its own.
func Gzip(members ...[]byte) []byte {
	var out bytes.Buffer
	for _, member := range members {
		w := gzip.NewWriter(&out)
		// A buffer accepts everything.
		_, _ = w.Write(member)
		_ = w.Close()
	}
	return out.Bytes()
}
