//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// sinkProcess is svc-verify receive as people run it.
type sinkProcess struct {
	*process
	url string
}

func startSink(t *testing.T, args ...string) *sinkProcess {
	t.Helper()
	s := &sinkProcess{process: startProcess(t, args...)}
	s.stderr.Scan()
	url, ok := strings.CutPrefix(s.stderr.Text(), "svc-verify: receiving at ")
	must.That(t, ok, "it says %q", s.stderr.Text())
	s.url = url
	return s
}

// exportOf is an export request with the lines of a journal.
func exportOf(t *testing.T, journal []byte) []byte {
	t.Helper()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for line := range bytes.Lines(journal) {
		records.AppendEmpty().Body().SetStr(strings.TrimSuffix(string(line), "\n"))
	}
	return must.Get((&plog.ProtoMarshaler{}).MarshalLogs(logs))(t)
}

// TestReceive runs the sink, sends it a journal and something else, ends it, and walks its
// case.
func TestReceive(t *testing.T) {
	dir := sceneIn(t, "revoked")
	authority := testca.New("test")
	certificate, key, ca := authority.Files(dir)
	file := filepath.Join(dir, "case.db")
	s := startSink(t, "receive", file, "--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key,
		"--client-ca", ca, "--output", "json")
	journals := 0
	for _, name := range []string{"tenant", "journals/mesh-berlin-1", "journals/mesh-lisbon-1",
		"journals/mesh-oslo-1"} {
		journal := must.Get(os.ReadFile(filepath.Join(dir, name+".ndjson")))(t)
		journals += bytes.Count(journal, []byte("\n"))
		send(t, authority.HTTP(authority.Client("a\x1b[31m")), s.url, exportOf(t, journal), http.StatusOK)
	}
	send(t, authority.HTTP(authority.Client("a\x1b[31m")), s.url, []byte("junk"), http.StatusBadRequest)
	if code, out, _ := call(nil, "export", file, "--log", "node/mesh-oslo-1"); code != 0 || out == "" {
		t.Errorf("export while it receives: %d", code)
	}
	must.Do(t, s.Process.Signal(syscall.SIGTERM))
	var said []string
	for s.stderr.Scan() {
		said = append(said, s.stderr.Text())
	}
	check.Do(t, s.Wait())
	if len(said) != 1 || !strings.HasPrefix(said[0], `svc-verify: refused 400 from "CN=a\x1b[31m" at 127.0.0.1:`) {
		t.Errorf("said %q", said)
	}
	for _, fault := range faultsOf(s.stdout.Bytes()) {
		t.Error(fault)
	}
	var got query.Received
	must.Do(t, json.Unmarshal(s.stdout.Bytes(), &got))
	want := (query.Received{Schema: "svc-verify/receive/v1", Requests: 4, Refused: 1,
		Events: int64(journals)})
	check.That(t, got == want, "%+v, want %+v", got, want)
	code, out, _ := call(nil, "walk", file, "--trust", filepath.Join(dir, "trust.json"))
	at := unsafeAt(out)
	check.That(t, code == 0 && at < 0, "exit code %d, unsafe at %d: %s", code, at, out)
}

func send(t *testing.T, c *http.Client, url string, body []byte, want int) {
	t.Helper()
	answer := must.Get(c.Post(url, "application/x-protobuf", bytes.NewReader(body)))(t)
	answer.Body.Close()
	check.That(t, answer.StatusCode == want, "%d, want %d", answer.StatusCode, want)
}
