package dumps

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/seal"
)

//go:embed stores.txt
var stores string

// storeFormats are the formats of stores.txt.
var storeFormats = sync.OnceValue(func() (all []Format) {
	templates := template.New("").Delims("«", "»")
	for _, section := range strings.Split(stores, "\n[")[1:] {
		header, text, _ := strings.Cut(section, "\n")
		name, values, _ := strings.Cut(header, "]")
		template.Must(templates.New(name).Parse(strings.TrimSuffix(text, "\n")))
		if words := strings.Fields(values); len(words) > 0 {
			all = append(all, readFormat(templates.Lookup(name), words))
		}
	}
	return all
})

// readFormat is the format of a header.
func readFormat(t *template.Template, words []string) Format {
	fidelity := func(word string) read.Fidelity {
		for f := read.Exact; f < read.Lossy; f++ {
			if f.String() == word {
				return f
			}
		}
		return 0
	}
	return Format{
		Name: t.Name(), Reads: read.Format(words[0]), Text: fidelity(words[1]), Structure: fidelity(words[2]),
		Batch: read.Where(strings.Trim(words[3], "-")), Lines: slices.Contains(words, "lines"),
		Resource: slices.Contains(words, "resource"),
		write: func(e export) []byte {
			var b bytes.Buffer
			seal.Do(t.Execute(&b, e)) // an error is a fault of stores.txt
			return b.Bytes()
		},
	}
}

// entry is one record of an export, for a template.
type entry struct {
	export
	I    int
	Body string
}

// Entries are the records of an export.
func (e export) Entries() []entry {
	all := make([]entry, len(e.bodies))
	for i, body := range e.bodies {
		all[i] = entry{e, i, string(body)}
	}
	return all
}

// withoutIDs is the export without batch ids, where these go elsewhere.
func (e export) withoutIDs() export {
	e.Batches = nil
	return e
}

// JSON is the export as the value of a message.
func (e export) JSON() string { return string(bytes.TrimSpace(jsonLine(e.withoutIDs()))) }

// Base64 is the export in protobuf as the value of a message.
func (e export) Base64() string {
	return base64.StdEncoding.EncodeToString(Proto(e.bodies, e.withoutIDs().Options))
}

// Kafka is a message of Kafka.
func (e export) Kafka(payload string) string {
	headers := ""
	if len(e.Batches) > 0 {
		headers = `,"headers":["other","x","x-svc-edge-audit-batch",` + Quote(e.joinedIDs()) + `]`
	}
	return fmt.Sprintf(
		`{"topic":"otlp_logs","partition":0,"offset":7,"tstype":"create","ts":%d,"broker":1%s,"key":null,"payload":%s}`,
		e.Time/1_000_000, headers, Quote(payload))
}

// IDs writes the ids as a member of a flat object.
func (e export) IDs(name, before string) string {
	if !e.hasIDs(read.InRecord) {
		return ""
	}
	if e.Array {
		return before + `"` + name + `":["` + strings.Join(e.Batches, `","`) + `"]`
	}
	return before + `"` + name + `":` + Quote(e.joinedIDs())
}

// IDsAt writes the ids, if they are attributes at that place of the record.
func (e export) IDsAt(where read.Where) string {
	if e.Where != where {
		return ""
	}
	e.Array, e.Where = false, read.InRecord
	return e.IDs("x-svc-edge-audit-batch", ",")
}

// Labels are the labels of Loki.
func (e export) Labels() string {
	e.Array = false
	return `{"service_name":"edge"` + e.IDs("x_svc_edge_audit_batch", ",") + `}`
}

// Escaped is the body as Go's encoder writes a string.
func (r entry) Escaped() string { return escapeString(r.Body) }

func escapeString(s string) string {
	return string(seal.Must(json.Marshal(s)))
}

// Raw is the raw encoding: a string is quoted, a map is not.
func (r entry) Raw() string {
	if r.Structured {
		return r.Body
	}
	return r.Escaped()
}

// Slashed is the body as ClickHouse writes a string.
func (r entry) Slashed() string { return strings.ReplaceAll(Quote(r.Body), "/", `\/`) }

// Legacy is a line of the older exporter to Loki.
func (r entry) Legacy() string {
	return escapeString(fmt.Sprintf(`{"body":%s,"severity":"INFO","attributes":{"seq":%d%s}}`, r.Raw(), r.I,
		r.IDs("x-svc-edge-audit-batch", ",")))
}

// Nano is the time of the record in nanoseconds.
func (r entry) Nano() int64 { return r.time(r.I) }

// At is the time of the record in a layout.
func (r entry) At(layout string) string { return time.Unix(0, r.Nano()).UTC().Format(layout) }

// Date is the time of the record in RFC 3339.
func (r entry) Date() string { return r.At(time.RFC3339Nano) }

// Milliseconds is the time of the record in milliseconds, and the nanoseconds above.
func (r entry) Milliseconds() string { return fmt.Sprintf("%d.%d", r.Nano()/1e6, r.Nano()%1e6) }

// Seconds is the time of the record in seconds, with milliseconds.
func (r entry) Seconds() string { return fmt.Sprintf("%d.%03d", r.Nano()/1e9, r.Nano()/1e6%1000) }
