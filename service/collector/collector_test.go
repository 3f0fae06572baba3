package collector

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// bench is a collector, and a client that it knows.
type bench struct {
	testing.TB
	*Collector
	authority *testca.Authority
	client    *http.Client
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{TB: t, authority: testca.New("collector CA")}
	b.start(Config{
		Address: "127.0.0.1:0", Identity: b.authority.Server(), Clients: b.authority.Pool(),
		File: filepath.Join(t.TempDir(), "logs.jsonl"), Log: slog.New(slog.DiscardHandler),
	})
	b.client = b.clientOf(&tls.Config{Certificates: []tls.Certificate{b.authority.Client("exporter")}})
	return b
}

func (b *bench) start(c Config) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	collector := must.Get(Start(ctx, c))(b)
	b.Collector = collector
	b.Cleanup(cancel)
}

func (b *bench) clientOf(c *tls.Config) *http.Client {
	c.RootCAs = b.authority.Pool()
	transport := &http.Transport{TLSClientConfig: c, DisableKeepAlives: true}
	return &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// request is a request body of records with these bodies.
func request(t testing.TB, bodies ...string) []byte {
	t.Helper()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, body := range bodies {
		records.AppendEmpty().Body().SetStr(body)
	}
	return must.Get((&plog.ProtoMarshaler{}).MarshalLogs(logs))(t)
}

// post sends a body under a batch id. It returns status, media type and body of
// the answer, or "lost" and how.
func (b *bench) post(ctx context.Context, client *http.Client, id string,
	body []byte) (status int, kind, content string) {
	b.Helper()
	r := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, b.URL(), bytes.NewReader(body)))(b)
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set(batchHeader, id)
	answer, err := client.Do(r)
	if err != nil {
		return 0, "lost", err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return answer.StatusCode, "lost", err.Error()
	}
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(text)
}

// kept returns the bodies of the collector's file, each with its batch id.
func (b *bench) kept() []string {
	b.Helper()
	var all []string
	for line := range bytes.Lines(must.Get(os.ReadFile(b.File))(b)) {
		logs := must.Get((&plog.JSONUnmarshaler{}).UnmarshalLogs(line))(b)
		eachRecords(logs, func(records plog.LogRecordSlice) {
			for _, r := range records.All() {
				id, _ := r.Attributes().Get(batchHeader)
				all = append(all, id.Str()+" "+r.Body().Str())
			}
		})
	}
	return all
}

// TestRefusals: a request that is no export is refused, in every mode.
func TestRefusals(t *testing.T) {
	b := newBench(t)
	send := func(method, path, kind string, body []byte) int {
		r := must.Get(http.NewRequest(method, "https://"+b.Address+path, bytes.NewReader(body)))(b)
		r.Header.Set("Content-Type", kind)
		answer := must.Get(b.client.Do(r))(b)
		answer.Body.Close()
		return answer.StatusCode
	}
	good := request(t, "a")
	for name, c := range map[string]struct {
		method, path, kind string
		body               []byte
		want               int
	}{
		"in order":        {"POST", "/v1/logs", "application/x-protobuf; x=y", good, 200},
		"nothing in it":   {"POST", "/v1/logs", mediaType, nil, 200},
		"another path":    {"POST", "/v1/traces", mediaType, good, 404},
		"another method":  {"GET", "/v1/logs", mediaType, nil, 405},
		"JSON":            {"POST", "/v1/logs", "application/json", []byte("{}"), 415},
		"no media type":   {"POST", "/v1/logs", "", good, 415},
		"no protobuf":     {"POST", "/v1/logs", mediaType, []byte("hello"), 400},
		"cut":             {"POST", "/v1/logs", mediaType, good[:len(good)-1], 400},
		"as large as may": {"POST", "/v1/logs", mediaType, request(t, strings.Repeat("x", maxRequest-100)), 200},
		"too large":       {"POST", "/v1/logs", mediaType, request(t, strings.Repeat("x", maxRequest)), 413},
	} {
		check.Equal(t, send(c.method, c.path, c.kind, c.body), c.want, "%s", name)
	}
	n := b.Counts()
	check.That(t, n.Records == 2, "%+v", n)
}

// TestStrangers: only clients that the authorities vouch for, and TLS 1.3.
func TestStrangers(t *testing.T) {
	b := newBench(t)
	template := testca.ClientTemplate("exporter")
	known, stranger := b.authority.Issue(template), testca.New("collector CA").Issue(template)
	for name, c := range map[string]struct {
		config *tls.Config
		want   int
	}{
		"known":      {&tls.Config{Certificates: []tls.Certificate{known}}, 200},
		"nobody":     {&tls.Config{}, 0},
		"a stranger": {&tls.Config{Certificates: []tls.Certificate{stranger}}, 0},
		"a server":   {&tls.Config{Certificates: []tls.Certificate{b.authority.Server()}}, 0},
		"before TLS 1.3": {&tls.Config{Certificates: []tls.Certificate{known},
			MaxVersion: tls.VersionTLS12}, 0}, // #nosec G402 -- to be refused
	} {
		status, _, text := b.post(t.Context(), b.clientOf(c.config), "id", request(t, "a"))
		check.That(t, status == c.want, "%s: %d %s", name, status, text)
	}
	n := b.Counts()
	check.That(t, n.Records == 1, "%+v", n)
}
