package receive

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// journal is the tenant log of a scene: canonical lines without line feed.
var journal = sync.OnceValue(func() [][]byte {
	var log bytes.Buffer
	must.Have(harness.Build("large", 1, harness.Options{Events: 3000, TenantLog: &log}))
	return bytes.Split(bytes.TrimSuffix(log.Bytes(), []byte("\n")), []byte("\n"))
})

func logs(bodies ...[]byte) plog.Logs {
	l := plog.NewLogs()
	records := l.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, b := range bodies {
		records.AppendEmpty().Body().SetStr(string(b))
	}
	return l
}

func proto(bodies ...[]byte) []byte {
	return must.Have((&plog.ProtoMarshaler{}).MarshalLogs(logs(bodies...)))
}

func asJSON(bodies ...[]byte) []byte {
	return must.Have((&plog.JSONMarshaler{}).MarshalLogs(logs(bodies...)))
}

// status is a google.rpc.Status, or the partial success of an acknowledgement.
type status struct {
	number  uint64
	message string
}

// decode reads the body of a reply by its content type.
func decode(t *testing.T, r reply) status {
	t.Helper()
	switch r.header.Get("Content-Type") {
	case typeJSON:
		var v struct {
			Code    uint64
			Message string
			Partial struct {
				Rejected uint64 `json:"rejectedLogRecords,string"`
				Message  string `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		check.OK(t, json.Unmarshal(r.body, &v), "%s", r.body)
		return status{v.Code + v.Partial.Rejected, v.Message + v.Partial.Message}
	case typeProto:
		b := r.body
		if r.status == http.StatusOK && len(b) > 0 {
			must.That(t, b[0] == 1<<3|2, "% x: not a partial_success", b)
			b, _ = protowire.ConsumeBytes(b[1:])
		}
		return decodeProto(t, b)
	}
	return status{0, string(r.body)}
}

func decodeProto(t *testing.T, b []byte) (s status) {
	t.Helper()
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		var size int
		switch {
		case number == 1 && wire == protowire.VarintType:
			s.number, size = protowire.ConsumeVarint(b[n:])
		case number == 2 && wire == protowire.BytesType:
			s.message, size = protowire.ConsumeString(b[n:])
		default:
			t.Fatalf("% x: field %d", b, number)
		}
		b = b[n+size:]
	}
	return s
}

// TestRequests: the answer to each request.
func TestRequests(t *testing.T) {
	s := start(t, options(t.TempDir()))
	lines := journal()
	good, text := proto(lines[:3]...), asJSON(lines[:3]...)
	stray, large := []byte("hello"), bytes.Repeat([]byte("x"), facts.ExcerptSize)
	bomb := must.Gzip(make([]byte, 8<<20))
	for name, test := range map[string]struct {
		message
		status int
		kind   string
		number uint64 // the code, or how many were rejected
		says   string // part of the message
	}{
		"protobuf":            {message{kind: typeProto, body: good}, 200, typeProto, 0, ""},
		"JSON":                {message{kind: typeJSON, body: text}, 200, typeJSON, 0, ""},
		"JSON with a charset": {message{kind: "application/json; charset=utf-8", body: text}, 200, typeJSON, 0, ""},
		"gzip":                {message{kind: typeProto, encoding: "gzip", body: must.Gzip(good)}, 200, typeProto, 0, ""},
		"gzip members": {message{kind: typeProto, encoding: "gzip",
			body: slices.Concat(must.Gzip(good[:9]), must.Gzip(good[9:]))}, 200, typeProto, 0, ""},
		"identity":        {message{kind: typeJSON, encoding: "identity", body: text}, 200, typeJSON, 0, ""},
		"nothing":         {message{kind: typeProto}, 200, typeProto, 0, ""},
		"nothing as JSON": {message{kind: typeJSON, body: []byte("{}")}, 200, typeJSON, 0, ""},
		"no events": {message{kind: typeProto, body: proto(stray, lines[0])}, 200, typeProto, 0,
			"1 log records are no events of an audit log; 0 of them"},
		"no events in JSON": {message{kind: typeJSON, body: asJSON(stray, stray)}, 200, typeJSON, 0,
			"2 log records are no events"},
		"too large for a stray": {message{kind: typeProto, body: proto(large, stray, lines[1])}, 200, typeProto, 1,
			"2 log records are no events of an audit log; 1 of them"},
		"the same in JSON": {message{kind: typeJSON, body: asJSON(large, large)}, 200, typeJSON, 2,
			"2 of them are larger"},
		"not protobuf": {message{kind: typeProto, body: text}, 400, typeProto, 3,
			"expected a request with log records"},
		"not JSON": {message{kind: typeJSON, body: good}, 400, typeJSON, 3,
			"expected a request with log records"},
		"cut off": {message{kind: typeProto, body: good[:len(good)-1]}, 400, typeProto, 3, "at byte"},
		"no gzip": {message{kind: typeProto, encoding: "gzip", body: good}, 400, typeProto, 3,
			"no gzip data"},
		"gzip cut off": {message{kind: typeProto, encoding: "gzip", body: must.Gzip(good)[:40]}, 400, typeProto, 3,
			"no gzip data"},
		"gzip with a tail": {message{kind: typeProto, encoding: "gzip", body: append(must.Gzip(good), "tail"...)}, 400,
			typeProto, 3, "no gzip data"},
		"undeclared gzip": {message{kind: typeProto, body: must.Gzip(good)}, 400, typeProto, 3, "expected a request"},
		"another path":    {message{path: "/v1/traces", kind: typeProto, body: good}, 404, typeProto, 5, logsPath},
		"a path below":    {message{path: "/v1/logs/", kind: typeJSON, body: text}, 404, typeJSON, 5, logsPath},
		"another method":  {message{method: "GET", kind: typeJSON}, 405, typeJSON, 12, "POST"},
		"another type": {message{kind: "text/plain", body: text}, 415, "text/plain; charset=utf-8", 0,
			"Content-Type"},
		"no type":          {message{body: text}, 415, "text/plain; charset=utf-8", 0, "Content-Type"},
		"another encoding": {message{kind: typeJSON, encoding: "zstd", body: text}, 415, typeJSON, 3, "gzip"},
		"two encodings":    {message{kind: typeJSON, encoding: "gzip, gzip", body: text}, 415, typeJSON, 3, "gzip"},
		"too large": {message{kind: typeProto, body: make([]byte, 1<<20+1)}, 413, typeProto, 3,
			"1048576 bytes"},
		"a gzip bomb": {message{kind: typeProto, encoding: "gzip", body: bomb}, 413, typeProto, 3,
			"also after decompression"},
		"too large to decompress": {message{kind: typeJSON, encoding: "gzip", body: make([]byte, 1<<20+1)}, 413, typeJSON, 3,
			"1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(s.post(oslo(), test.message))(t)
			got := decode(t, r)
			if r.status != test.status || r.header.Get("Content-Type") != test.kind || got.number != test.number ||
				!strings.Contains(got.message, test.says) || test.says == "" && len(got.message) > 0 {
				t.Errorf("%d %s %+v", r.status, r.header.Get("Content-Type"), got)
			}
			check.That(t, r.header.Get("Retry-After") == "", "asks for the same again")
		})
	}
	for _, line := range s.logged.all() {
		check.That(t, strings.HasPrefix(line, "refused 4") && strings.Contains(line, "from CN=oslo at 127.0.0.1:"),
			"logged %q", line)
	}
	n := len(s.logged.all())
	check.That(t, n == 17, "%d lines for 17 refused requests: %q", n, s.logged.all())
	want := Counts{Requests: 12, Refused: 17, Events: 3*6 + 2, Others: 7, Rejected: 3}
	got := s.stop()
	check.That(t, got == want, "%+v, want %+v", got, want)
}

// TestUnknownLength: a body without a length is held to the limit as well.
func TestUnknownLength(t *testing.T) {
	s := start(t, options(t.TempDir()))
	for size, want := range map[int]int{1 << 20: 400, 1<<20 + 1: 413} {
		r := must.Have(http.NewRequest(http.MethodPost, s.base+logsPath,
			struct{ *bytes.Reader }{bytes.NewReader(make([]byte, size))}))
		r.Header.Set("Content-Type", typeProto)
		answer := must.Get(oslo().Do(r))(t)
		answer.Body.Close()
		check.That(t, answer.StatusCode == want, "%d bytes: %d, want %d", size, answer.StatusCode, want)
	}
}

// TestMemory: a request that exceeds the limit on all bodies together must come again.
func TestMemory(t *testing.T) {
	s := start(t, options(t.TempDir()))
	s.memory.left = firstShare - 1
	m := message{kind: typeProto, body: proto(journal()[0])}
	r, err := s.post(oslo(), m)
	must.That(t, err == nil && r.status == 429 && r.header.Get("Retry-After") == "5" && decode(t, r).number == 8,
		"%+v, %v", r, err)
	s.memory.left = firstShare
	for range 3 { // reserved memory is released
		r, err := s.post(oslo(), m)
		must.That(t, err == nil && r.status == 200, "%+v, %v", r, err)
	}
}

// TestClients: who is let in.
func TestClients(t *testing.T) {
	s := start(t, options(t.TempDir()))
	expired, unused := testca.ClientTemplate("oslo"), testca.ClientTemplate("oslo")
	expired.NotAfter, unused.ExtKeyUsage = time.Now().Add(-time.Minute), nil
	old := client(ours().Client("oslo"))
	old.Transport.(*http.Transport).TLSClientConfig.MaxVersion = tls.VersionTLS12
	for name, test := range map[string]struct {
		*http.Client
		in bool
	}{
		"a certificate of ours":          {client(ours().Client("oslo")), true},
		"no certificate":                 {client(), false},
		"a certificate of somebody else": {client(theirs().Client("oslo")), false},
		"one for servers":                {client(ours().Server()), false},
		"one for nothing in particular":  {client(ours().Issue(unused)), false},
		"one that has expired":           {client(ours().Issue(expired)), false},
		"TLS 1.2":                        {old, false},
	} {
		r, err := s.post(test.Client, message{kind: typeProto, body: proto(journal()[0])})
		in := err == nil && r.status == 200
		check.That(t, in == test.in, "%s: let in %t, want %t: %v", name, in, test.in, err)
	}
	for _, line := range s.logged.all() {
		check.That(t, strings.HasPrefix(line, "http: TLS handshake error from 127.0.0.1:"), "logged %q", line)
	}
	got := s.stop()
	check.That(t, got.Events == 1, "%+v", got)
}

// TestConcurrentClients: many clients at once, and every batch more than once.
func TestConcurrentClients(t *testing.T) {
	s := start(t, options(t.TempDir()))
	const clients, batch = 8, 25
	lines := journal()[:1000]
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			own := client(ours().Client(fmt.Sprintf("node-%d", i)))
			for at := i % 2 * batch; at < len(lines); at += 2 * batch {
				r, err := s.post(own, message{kind: typeProto, batch: fmt.Sprint(at), body: proto(lines[at : at+batch]...)})
				check.That(t, err == nil && r.status == 200, "%+v, %v", r, err)
			}
		})
	}
	group.Wait()
	c := s.reader() // while it is open for writing
	batches := 0
	for b, err := range c.Batches(t.Context()) {
		batches++
		if err != nil || b.Events != batch || b.Deliveries != batch*clients/2 || b.Redelivered != batch || b.Conflicting() {
			t.Errorf("%+v, %v", b, err)
		}
	}
	sources := must.Have(c.Sources(t.Context()))
	check.That(t, batches == len(lines)/batch && len(sources) == clients,
		"%d batches from %d sources", batches, len(sources))
	for _, source := range sources {
		check.That(t, source.Complete && source.Format == "http-requests" && len(source.Paths) == 1 &&
			strings.HasPrefix(source.Paths[0], "receive:CN=node-"), "%+v", source)
	}
}
