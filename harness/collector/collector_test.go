package collector

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/svc-edge/svc-verify/internal/nodeconfig"
	"github.com/svc-edge/svc-verify/internal/nodeconfig/configtest"
)

// bench is a collector, and a client that it knows.
type bench struct {
	testing.TB
	*Collector
	authority *configtest.Issued
	client    *http.Client
}

func newBench(t testing.TB, maxBytes int64) *bench {
	t.Helper()
	b := &bench{TB: t, authority: configtest.Issue(t, fresh(configtest.Authority()), nil)}
	leaf := fresh(configtest.Leaf(x509.ExtKeyUsageServerAuth))
	leaf.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	b.start(Config{
		Address: "127.0.0.1:0", Identity: pair(configtest.Issue(t, leaf, b.authority)), Clients: b.pool(),
		File: filepath.Join(t.TempDir(), "logs.jsonl"), MaxBytes: maxBytes, Log: slog.New(slog.DiscardHandler),
	})
	b.client = b.clientOf(&tls.Config{Certificates: []tls.Certificate{pair(configtest.Issue(t, fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth)), b.authority))}})
	return b
}

func (b *bench) start(c Config) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	collector, err := Start(ctx, c)
	b.must(err)
	b.Collector = collector
	b.Cleanup(func() {
		cancel()
		_ = collector.Close()
	})
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func fresh(template *x509.Certificate) *x509.Certificate {
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	return template
}

func pair(i *configtest.Issued) tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{i.Certificate.Raw}, PrivateKey: i.Key}
}

func (b *bench) pool() *x509.CertPool {
	return nodeconfig.Authorities{Certificates: []*x509.Certificate{b.authority.Certificate}}.Pool()
}

func (b *bench) clientOf(c *tls.Config) *http.Client {
	c.RootCAs = b.pool()
	transport := &http.Transport{TLSClientConfig: c, DisableKeepAlives: true}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// request is a request body of records with these bodies.
func request(t testing.TB, bodies ...string) []byte {
	t.Helper()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, body := range bodies {
		records.AppendEmpty().Body().SetStr(body)
	}
	b, err := (&plog.ProtoMarshaler{}).MarshalLogs(logs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// post sends a body under a batch id. It returns status, media type and body of
// the answer, or "lost" and how.
func (b *bench) post(client *http.Client, id string, body []byte) (status int, kind, content string) {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, b.URL(), bytes.NewReader(body))
	b.must(err)
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

// kept returns the bodies of the collector's files, in the order in which they
// were written, each with its batch id.
func (b *bench) kept() []string {
	b.Helper()
	names, err := filepath.Glob(strings.TrimSuffix(b.File, ".jsonl") + "*")
	b.must(err)
	// The file that is being written sorts behind those that are full.
	if last := len(names) - 1; names[last] != b.File {
		b.Fatalf("the files are %q", names)
	}
	var all []string
	for _, name := range names {
		content, err := os.ReadFile(name)
		b.must(err)
		for line := range bytes.Lines(content) {
			logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
			b.must(err)
			eachRecords(logs, func(records plog.LogRecordSlice) {
				for _, r := range records.All() {
					id, _ := r.Attributes().Get(batchHeader)
					all = append(all, id.Str()+" "+r.Body().Str())
				}
			})
		}
	}
	return all
}

// TestModes: what a client sees of each mode, and what is kept of its request.
func TestModes(t *testing.T) {
	for mode, c := range map[Mode]struct {
		status int
		answer string // media type and body
		kept   int
	}{
		Accept:       {200, "application/x-protobuf ", 3},
		Down:         {0, "lost", 0},
		Reject400:    {400, "text/plain; charset=utf-8 told to\n", 0},
		Reject429:    {429, "text/plain; charset=utf-8 told to\n", 0},
		Reject503:    {503, "text/plain; charset=utf-8 told to\n", 0},
		Partial:      {200, "application/x-protobuf \x0a\x0b\x08\x02\x12\x07told to", 1},
		GarbageBody:  {200, "application/x-protobuf \x0a\xff", 3},
		GarbageType:  {200, "text/html; charset=utf-8 <!doctype html>", 3},
		GarbageLarge: {200, "application/x-protobuf \x7a\x80\x80\x40   ", 3},
		GarbageCut:   {200, "application/x-protobuf \x0a\x04\x08", 3},
		Torn:         {200, "lost unexpected EOF", 3},
		Lost:         {0, "lost", 3},
		Slow:         {0, "lost", 3},
		Redirect:     {307, " ", 0},
		RedirectGet:  {302, " ", 0},
	} {
		t.Run(string(mode), func(t *testing.T) {
			b := newBench(t, 1<<20)
			b.must(b.SetMode(mode))
			if b.Mode() != mode {
				t.Errorf("the mode is %s", b.Mode())
			}
			client := *b.client
			if mode == Slow {
				client.Timeout = 100 * time.Millisecond
			}
			status, kind, content := b.post(&client, "id", request(t, "a", "b", "c"))
			if got := kind + " " + content; status != c.status || !strings.HasPrefix(got, c.answer) {
				t.Errorf("expected %d %q, found %d %.60q", c.status, c.answer, status, got)
			}
			if kept := b.kept(); fmt.Sprint(kept) != fmt.Sprint([]string{"id a", "id b", "id c"}[:c.kept]) {
				t.Errorf("kept %q", kept)
			}
			if n := b.Counts(); n.Records != int64(c.kept) || (n.Requests == 0) != (mode == Down) {
				t.Errorf("%+v", n)
			}
			// And back at the same address.
			address := b.Address
			b.must(b.SetMode(Accept))
			if status, _, _ := b.post(b.client, "id", request(t, "d")); status != 200 || b.Address != address {
				t.Errorf("afterwards: %d at %s", status, b.Address)
			}
		})
	}
	if n := len(Modes()); n != 15 {
		t.Errorf("%d modes", n)
	}
}

func TestParseMode(t *testing.T) {
	for _, m := range Modes() {
		if got, err := ParseMode(string(m)); err != nil || got != m {
			t.Errorf("%s: %s, %v", m, got, err)
		}
	}
	b := newBench(t, 1<<20)
	for _, name := range []string{"", "Accept", "accept ", "\x1b[m"} {
		if _, err := ParseMode(name); err == nil || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%q: %v", name, err)
		}
		if err := b.SetMode(Mode(name)); err == nil || b.Mode() != Accept {
			t.Errorf("%q became the mode", name)
		}
	}
}

// TestRefusals: what is no export is refused, in every mode.
func TestRefusals(t *testing.T) {
	b := newBench(t, 1<<20)
	send := func(method, path, kind string, body []byte) int {
		r, err := http.NewRequest(method, "https://"+b.Address+path, bytes.NewReader(body))
		b.must(err)
		r.Header.Set("Content-Type", kind)
		answer, err := b.client.Do(r)
		b.must(err)
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
		"another method":  {"GET", "/v1/logs", mediaType, nil, 404},
		"JSON":            {"POST", "/v1/logs", "application/json", []byte("{}"), 415},
		"no media type":   {"POST", "/v1/logs", "", good, 415},
		"no protobuf":     {"POST", "/v1/logs", mediaType, []byte("hello"), 400},
		"cut":             {"POST", "/v1/logs", mediaType, good[:len(good)-1], 400},
		"as large as may": {"POST", "/v1/logs", mediaType, request(t, strings.Repeat("x", maxRequest-100)), 200},
		"too large":       {"POST", "/v1/logs", mediaType, request(t, strings.Repeat("x", maxRequest)), 413},
	} {
		if got := send(c.method, c.path, c.kind, c.body); got != c.want {
			t.Errorf("%s: expected %d, found %d", name, c.want, got)
		}
	}
	if n := b.Counts(); n.Records != 2 {
		t.Errorf("%+v", n)
	}
}

// TestStrangers: only clients that the authorities vouch for, and TLS 1.3.
func TestStrangers(t *testing.T) {
	b := newBench(t, 1<<20)
	leaf := fresh(configtest.Leaf(x509.ExtKeyUsageClientAuth))
	stranger := configtest.Issue(t, leaf, configtest.Issue(t, fresh(configtest.Authority()), nil))
	known := configtest.Issue(t, leaf, b.authority)
	server := configtest.Issue(t, fresh(configtest.Leaf(x509.ExtKeyUsageServerAuth)), b.authority)
	for name, c := range map[string]struct {
		config *tls.Config
		want   int
	}{
		"known":          {&tls.Config{Certificates: []tls.Certificate{pair(known)}}, 200},
		"nobody":         {&tls.Config{}, 0},
		"a stranger":     {&tls.Config{Certificates: []tls.Certificate{pair(stranger)}}, 0},
		"a server":       {&tls.Config{Certificates: []tls.Certificate{pair(server)}}, 0},
		"before TLS 1.3": {&tls.Config{Certificates: []tls.Certificate{pair(known)}, MaxVersion: tls.VersionTLS12}, 0}, // #nosec G402 -- to be refused
	} {
		if status, _, text := b.post(b.clientOf(c.config), "id", request(t, "a")); status != c.want {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if n := b.Counts(); n.Records != 1 {
		t.Errorf("%+v", n)
	}
}

// TestRotation: files are put away before they become too large, also after a
// restart, and a line that a crash has torn is cut off.
func TestRotation(t *testing.T) {
	b := newBench(t, 1000)
	var want []string
	send := func(n int) {
		for range n {
			body := fmt.Sprint(len(want), strings.Repeat("x", 100))
			want = append(want, "id "+body)
			if status, _, text := b.post(b.client, "id", request(t, body)); status != 200 {
				t.Fatal(status, text)
			}
		}
	}
	send(20)
	b.must(b.Close())
	torn, err := os.OpenFile(b.File, os.O_APPEND|os.O_WRONLY, 0)
	b.must(err)
	_, err = torn.WriteString(`{"resourceLogs":[{`)
	b.must(errors.Join(err, torn.Close()))
	b.start(b.Config)
	send(20)
	if got := b.kept(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("kept %q", got)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(b.File), "*"))
	b.must(err)
	if len(names) < 5 {
		t.Errorf("only the files %q", names)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		b.must(err)
		if info.Size() > 1000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, %s", name, info.Size(), info.Mode())
		}
	}
}

// TestLineLargerThanAFile has a file of its own.
func TestLineLargerThanAFile(t *testing.T) {
	b := newBench(t, 10)
	for i := range 3 {
		if status, _, _ := b.post(b.client, "id", request(t, fmt.Sprint(i))); status != 200 {
			t.Fatal(status)
		}
	}
	if got := fmt.Sprint(b.kept()); got != "[id 0 id 1 id 2]" {
		t.Error(got)
	}
	if _, err := os.Stat(strings.TrimSuffix(b.File, ".jsonl") + "-000002.jsonl"); err != nil {
		t.Error(err)
	}
}

// TestDiskFails: what could not be written is not acknowledged.
func TestDiskFails(t *testing.T) {
	b := newBench(t, 1<<20)
	b.must(b.file.f.Close())
	if status, _, _ := b.post(b.client, "id", request(t, "a")); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
	if n := b.Counts(); n.Records != 0 {
		t.Errorf("%+v", n)
	}
}

// TestEndsWithItsContext: a collector that was told to end leaves nothing
// waiting.
func TestEndsWithItsContext(t *testing.T) {
	b := newBench(t, 1<<20)
	b.must(b.SetMode(Slow))
	answered := make(chan string)
	go func() {
		_, kind, _ := b.post(b.client, "id", request(t, "a"))
		answered <- kind
	}()
	for b.Counts().Records == 0 {
		time.Sleep(time.Millisecond)
	}
	b.must(b.Close())
	if kind := <-answered; kind != "lost" {
		t.Errorf("it was answered with %q", kind)
	}
}

// TestModesUnderLoad: what was acknowledged is kept, whatever the mode becomes
// in between.
func TestModesUnderLoad(t *testing.T) {
	b := newBench(t, 20_000)
	var senders sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	for s := range 4 {
		senders.Go(func() {
			for i := range 50 {
				id := fmt.Sprintf("%d-%d", s, i)
				client := *b.client
				client.Timeout = 2 * time.Second
				if status, kind, text := b.post(&client, id, request(t, "x")); status == 200 && kind == mediaType && text == "" {
					mu.Lock()
					acknowledged[id+" x"] = true
					mu.Unlock()
				}
			}
		})
	}
	for _, m := range []Mode{Lost, Down, Accept, Reject503, Accept, Torn, Down, Accept} {
		b.must(b.SetMode(m))
	}
	senders.Wait()
	for _, k := range b.kept() {
		delete(acknowledged, k)
	}
	if len(acknowledged) > 0 {
		t.Errorf("acknowledged and not kept: %v", acknowledged)
	}
}
