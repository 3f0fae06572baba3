package dumps

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/seal"
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

// logs returns an export as the collector holds it.
func (e export) logs() plog.Logs {
	logs := plog.NewLogs()
	all := logs.ResourceLogs().AppendEmpty()
	all.Resource().Attributes().PutStr("service.name", "edge")
	e.putIDs(read.InResource, all.Resource().Attributes())
	scope := all.ScopeLogs().AppendEmpty()
	scope.Scope().SetName("audit")
	e.putIDs(read.InScope, scope.Scope().Attributes())
	for i, body := range e.bodies {
		record := scope.LogRecords().AppendEmpty()
		record.SetTimestamp(pcommon.Timestamp(e.time(i)))
		record.SetObservedTimestamp(pcommon.Timestamp(e.time(i) + 1))
		record.SetSeverityNumber(plog.SeverityNumberInfo)
		record.Attributes().PutInt("seq", int64(i))
		e.putIDs(read.InRecord, record.Attributes())
		if e.Structured {
			setValue(record.Body(), parseExport(body))
		} else {
			record.Body().SetStr(string(body))
		}
	}
	return logs
}

// putIDs puts the batch ids among the attributes of the place that has them.
func (e export) putIDs(where read.Where, attributes pcommon.Map) {
	switch {
	case !e.hasIDs(where):
	case e.Array:
		list := attributes.PutEmptySlice("x-svc-edge-audit-batch")
		for _, id := range e.Batches {
			list.AppendEmpty().SetStr(id)
		}
	default:
		attributes.PutStr("x-svc-edge-audit-batch", e.joinedIDs())
	}
}

func setValue(to pcommon.Value, v *ijson.Value) {
	switch v.Kind() {
	case ijson.Object:
		members := to.SetEmptyMap()
		for _, m := range v.Members() {
			setValue(members.PutEmpty(m.Name), m.Value)
		}
	case ijson.Array:
		list := to.SetEmptySlice()
		for _, element := range v.Elements() {
			setValue(list.AppendEmpty(), element)
		}
	case ijson.String:
		to.SetStr(v.Text())
	case ijson.Number:
		to.SetInt(v.Int())
	default:
		to.SetBool(v.Bool())
	}
}

func parseExport(body []byte) *ijson.Value {
	v, fault := ijson.Parse(body)
	if fault != nil {
		panic(fault)
	}
	return v
}

// jsonLine writes an export as the file exporter does.
func jsonLine(e export) []byte {
	return append(seal.Must((&plog.JSONMarshaler{}).MarshalLogs(e.logs())), '\n')
}

// Proto writes an export in protobuf.
func Proto(bodies [][]byte, o Options) []byte {
	return seal.Must((&plog.ProtoMarshaler{}).MarshalLogs(export{o, bodies}.logs()))
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
	w := seal.Must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)))
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
