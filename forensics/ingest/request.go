package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// Head describes a request: its format, and how it arrived.
type Head struct {
	Format  read.Format // of the body: read.OTLPProto or read.OTLPJSON
	Batches []string    // values of the header that names the batch (SPEC 9.2)
	Client  string      // who sent it
	Remote  string      // from which address
	At      time.Time   // when it had arrived
}

// Request is an OTLP/HTTP request with log records that was read but is not in a
// case yet. It refers to the body.
type Request struct {
	head    Head
	wire    []byte // the head as on the wire
	body    []byte
	chunks  []*rawChunk
	indexed int64 // records and skips
	reports int64 // the same, and containers
}

// Empty reports whether a request holds no log record: it is valid, and there
// is nothing to keep.
func (r *Request) Empty() bool { return r.indexed == 0 }

// NotOTLP reports a body that is not a request with log records.
type NotOTLP struct {
	Offset int64
	Detail string // printable ASCII
}

func (e *NotOTLP) Error() string {
	return fmt.Sprintf("at byte %d: expected a request with log records, found %s", e.Offset, e.Detail)
}

// ReadRequest reads the body of a request, without compression. It returns a
// [NotOTLP] if any part of the body is not in the format of the head: the sender
// must not believe that it was kept. Log records that are not events are no error.
func ReadRequest(ctx context.Context, head Head, body []byte) (*Request, error) {
	check := checkProto
	if head.Format == read.OTLPJSON {
		check = checkJSON
	}
	if err := check(body); err != nil {
		return nil, err
	}
	r := &Request{head: head, wire: head.asWritten(len(body)), body: body}
	source := newCounted(io.MultiReader(bytes.NewReader(r.wire), bytes.NewReader(body)))
	c := &strict{format: head.Format, collector: newCollector(source, func(raw *rawChunk) error {
		r.chunks = append(r.chunks, raw)
		return nil
	})}
	if err := read.Read(ctx, source, read.Options{Format: head.Format, Confinement: read.Undecoded}, c); err != nil {
		return nil, err
	}
	if err := c.endChunk(); err != nil {
		return nil, err
	}
	r.indexed, r.reports = c.indexed, c.progress.Reports
	if c.nothing != nil && !r.Empty() {
		return nil, c.nothing
	}
	return r, nil
}

// asWritten writes the head of a request as package read reads it from a capture. When it came and
// from whom is part of it, so that a request that comes again is another one.
func (h *Head) asWritten(length int) []byte {
	kind := "application/x-protobuf"
	if h.Format == read.OTLPJSON {
		kind = "application/json"
	}
	b := []byte("POST /v1/logs HTTP/1.1\r\ncontent-type: " + kind + "\r\n")
	for _, id := range h.Batches {
		b = append(b, read.BatchHeader+": "+id+"\r\n"...)
	}
	return fmt.Appendf(b,
		"x-svc-verify-client: %s\r\nx-svc-verify-remote: %s\r\nx-svc-verify-received: %s\r\ncontent-length: %d\r\n\r\n",
		strconv.QuoteToASCII(h.Client), strconv.QuoteToASCII(h.Remote), h.At.UTC().Format(time.RFC3339Nano), length)
}

// checkJSON checks the points on which the reader of dumps is lenient: that there is one
// object and nothing else, and that it is of logs.
func checkJSON(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	var request struct {
		ResourceLogs     []present `json:"resourceLogs"`
		ResourceSpans    present   `json:"resourceSpans"`
		ResourceMetrics  present   `json:"resourceMetrics"`
		ResourceProfiles present   `json:"resourceProfiles"`
	}
	err := json.Unmarshal(body, &request)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &NotOTLP{Offset: syntax.Offset, Detail: "no JSON document"}
	case err != nil || bytes.TrimLeft(body, " \t\r\n")[0] != '{':
		return &NotOTLP{Detail: "other JSON"}
	case bool(request.ResourceSpans || request.ResourceMetrics || request.ResourceProfiles):
		return &NotOTLP{Detail: "another signal than logs"}
	}
	return nil
}

// present is a value whose content does not matter.
type present bool

// UnmarshalJSON implements json.Unmarshaler.
func (p *present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}

// strict is a collector that accepts no damage to a request.
type strict struct {
	*collector
	format  read.Format
	nothing *NotOTLP // a part that holds no log record
}

// Format refuses records that are wrapped once more, or in another format.
func (s *strict) Format(container string, f read.Format, why string) error {
	if f != read.HTTPRequests && f != s.format {
		return &NotOTLP{Detail: string(f)}
	}
	return s.collector.Format(container, f, why)
}

// Skip keeps a fault of a record, and refuses a fault of the request around it.
func (s *strict) Skip(k read.Skip) error {
	fault := &NotOTLP{Offset: k.Place.Offset, Detail: k.Detail}
	switch k.Code {
	case finding.SourceAmbiguous, finding.SourceInvalidUTF8:
		return s.collector.Skip(k)
	case finding.SourceNoRecord:
		s.nothing = fault
		return nil
	}
	return fault
}

// releaseMemory gives the request's memory back.
func (r *Request) releaseMemory() {
	for _, raw := range r.chunks {
		raw.releaseMemory()
	}
	r.chunks = nil
}

// asArrival records in the case how the request came there.
func (r *Request) asArrival() string {
	return fmt.Sprintf("received %s from %s, body sha256 %x", r.head.At.UTC().Format(time.RFC3339Nano), r.head.Remote,
		sha256.Sum256(r.body))
}
