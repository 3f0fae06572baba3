package ingest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// layout is a folder as a store, a runtime or a collector keeps it.
type layout struct {
	name  string
	files map[string]string
}

// layouts are folders with the same thirty events, and other files next to them.
func layouts(events [][]byte) []layout {
	wrap := func(from, to int, form func(line string) string) string {
		var b strings.Builder
		for _, line := range events[from:to] {
			b.WriteString(form(strings.TrimSpace(string(line))))
		}
		return b.String()
	}
	live := liveLogs()
	cri := func(line string) string { return live["CRI"]([]byte(line)) }
	docker := func(line string) string { return live["docker"]([]byte(line)) }
	bare := func(line string) string { return line + "\n" }
	azure := func(line string) string {
		return `{"time":"2026-03-02T09:00:00Z","resourceId":"/SUBSCRIPTIONS/1","category":"AppServiceConsoleLogs",` +
			`"properties":{"log":` + dumps.Quote(line) + `}}`
	}
	firehose := func(line string) string {
		return `{"attemptsMade":4,"arrivalTimestamp":1772442000000,"errorCode":"Splunk.AckTimeout","errorMessage":"x",` +
			`"attemptEndingTimestamp":1772442100000,"rawData":"` + base64.StdEncoding.EncodeToString([]byte(line)) + `"}` +
			"\n"
	}
	google := func(line string) string {
		return `{"insertId":"x","logName":"projects/p/logs/stdout","receiveTimestamp":"2026-03-02T09:00:00.5Z",` +
			`"resource":{"type":"k8s_container","labels":{}},"textPayload":` + dumps.Quote(line) +
			`,"timestamp":"2026-03-02T09:00:00Z"}` + "\n"
	}
	state := map[string]string{"State": "{}", "ID": `"c0ffee"`, "Config": "{}", "Image": `"sha256:1"`,
		"Driver": `"overlay2"`}
	var config []string
	for _, name := range []string{"State", "ID", "Config", "Image", "Driver"} {
		config = append(config, fmt.Sprintf("%q:%s", name, state[name]))
	}
	return []layout{
		{"S3", map[string]string{
			"logs/year=2026/month=03/day=02/hour=09/minute=00/edgelogs_1.json.gz": must.Gzip(wrap(0, 10,
				bare)),
			"logs/year=2026/month=03/day=02/hour=09/minute=01/edgelogs_2.json": wrap(10, 30, bare),
			"logs/_SUCCESS": "", "logs_$folder$": "", "logs/SHA256SUMS": strings.Repeat("a", 64) + "  edgelogs_2.json\n",
		}},
		{"Azure", map[string]string{
			"resourceId=/SUBSCRIPTIONS/1/y=2026/m=03/d=02/h=09/m=00/PT1H.json": wrap(0, 10,
				func(l string) string { return azure(l) + "\r\n" }),
			"resourceId=/SUBSCRIPTIONS/1/y=2026/m=03/d=02/h=10/m=00/PT1H.json": `{"records":[` +
				strings.TrimSuffix(wrap(10, 30, func(l string) string { return azure(l) + "," }), ",") + `]}`,
		}},
		{"Google", map[string]string{"stdout/2026/03/02/09:00:00_09:59:59_S0.json": wrap(0, 30, google)}},
		{"Firehose", map[string]string{"errors/2026/03/02/09/edge-1-2026-03-02": wrap(0, 30, firehose)}},
		{"kubelet", map[string]string{
			"pods/edge_edge-0_1/edge/0.log":                    wrap(20, 30, cri),
			"pods/edge_edge-0_1/edge/0.log.20260302-090000.gz": must.Gzip(wrap(0, 10, cri)),
			"pods/edge_edge-0_1/edge/0.log.20260302-091500":    wrap(10, 20, cri),
			"pods/edge_edge-0_1/sidecar/0.log":                 "2026-03-02T09:00:00Z stdout F ready\n",
		}},
		{"docker", map[string]string{
			"c0ffee/c0ffee-json.log": wrap(10, 30, docker), "c0ffee/c0ffee-json.log.1": wrap(0, 10, docker),
			"c0ffee/config.v2.json":  "{" + strings.Join(config, ",") + "}",
			"c0ffee/hostconfig.json": `{"Binds":null,"ContainerIDFile":"","LogConfig":{"Type":"json-file","Config":{}},"NetworkMode":"bridge"}`,
		}},
		{"collectors", map[string]string{
			"buffer/buffer.b1.log.meta": "\xc1\x00\x00\x00\x00\x05\x81\xa2id\x01",
			"pos/edge.pos":              "/var/log/edge.log\t0000000000001a2b\t00000000000003e7\n",
			"positions.yaml":            "positions:\n  /var/log/edge.log: \"123\"\n",
			"checkpoints.json":          `{"version":"1","checkpoints":[]}`,
			"rsyslog/queue.qi":          "<OPB:1:qqueue:1:\n+iQueueSize:2:1:3:\n>End\n.\n", "lock": "4711\n", "empty.lock": "",
			"__MACOSX/._journal": "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ",
			".DS_Store":          "\x00\x00\x00\x01Bud1\x00\x00\x10\x00",
			"journal":            wrap(0, 30, bare),
		}},
	}
}

// TestLayouts: all events of a folder as it is found are read, and its other content leaves
// nothing open.
func TestLayouts(t *testing.T) {
	events := journal(berlin, 30, 1)
	for _, l := range layouts(events) {
		dir := must.WriteFiles(t, t.TempDir(), l.files)
		path := newCase(t, Options{}, dir)
		if got := lines(t, path, berlin); !slices.EqualFunc(got, events, bytes.Equal) {
			t.Errorf("%s: %d events of %d, or others", l.name, len(got), len(events))
		}
		for s, err := range openRead(t, path).Skips(t.Context()) {
			must.Do(t, err)
			if s.Code != string(finding.SourceNoRecord) {
				t.Errorf("%s: %s %s %q", l.name, s.Code, s.Detail, s.Excerpt)
				break
			}
		}
	}
}

// database writes lines into a table of a database.
func database(t *testing.T, dir string, lines [][]byte) string {
	t.Helper()
	path := filepath.Join(dir, "logs.db")
	c := must.Get(sqlite.Open(path, sqlite.Create))(t)
	err := c.Exec(`CREATE TABLE logs ("Timestamp", "Body")`)
	for _, line := range lines {
		err = errors.Join(err, c.Run(`INSERT INTO logs VALUES ('2026-03-02 09:00:00', ?)`, string(bytes.TrimSpace(line))))
	}
	must.Do(t, errors.Join(err, c.Close()))
	return path
}

// TestDatabaseIsRead: the rows of a database are evidence, and the file stays as it was. Its
// interrupted ingest is not mistaken for the ingest of another file that begins alike.
func TestDatabaseIsRead(t *testing.T) {
	path := database(t, t.TempDir(), journal(berlin, 60, 1))
	before := must.Get(os.ReadFile(path))(t)
	made := newCase(t, Options{ChunkRecords: 20}, path)
	if got := len(lines(t, made, berlin)); got != 60 || len(unread(t, made)) > 0 {
		t.Errorf("%d events, not read %v", got, unread(t, made))
	}
	after, err := os.ReadFile(path)
	check.That(t, err == nil && bytes.Equal(before, after), "the file was changed %v", err)
}

// TestCountedBeforeItIsRead: the progress of a chunk includes all bytes of the source that its
// rows come from. So another file with the same beginning is another source.
func TestCountedBeforeItIsRead(t *testing.T) {
	b := must.Get(os.ReadFile(database(t, t.TempDir(), journal(berlin, 240, 1))))(t)
	in := &ingest{options: Options{ChunkRecords: 20}}
	chunks := 0
	err := in.readChunks(t.Context(), newCounted(bytes.NewReader(b)), facts.Progress{}, func(raw *rawChunk) error {
		if chunks++; raw.progress.Read != int64(len(b)) {
			t.Errorf("chunk %d: %d of %d bytes are read", chunks, raw.progress.Read, len(b))
		}
		return nil
	})
	check.That(t, err == nil && chunks >= 10, "%v %v", chunks, err)
}

// TestCaseIsNoEvidence: only a file that is marked as a case is refused.
func TestCaseIsNoEvidence(t *testing.T) {
	path := database(t, t.TempDir(), journal(berlin, 3, 1))
	b := must.Get(os.ReadFile(path))(t)
	binary.BigEndian.PutUint32(b[68:], 0x73766356)
	marked := write(t, t.TempDir(), "marked", b)
	made := newCase(t, Options{}, path, marked)
	if got := unread(t, made); len(got) != 1 || got["marked"] != string(finding.SourceNotEvidence) ||
		len(lines(t, made, berlin)) != 3 {
		t.Errorf("%v, %d events", got, len(lines(t, made, berlin)))
	}
}

// TestWriteAheadLogBeside: a log that was not given is named, and one that was given is
// searched.
func TestWriteAheadLogBeside(t *testing.T) {
	dir := t.TempDir()
	path := database(t, dir, journal(berlin, 3, 1))
	wal := write(t, dir, "logs.db-wal", append([]byte("pages "), journal(oslo, 1, 1)[0]...))
	made := newCase(t, Options{}, path)
	got := unread(t, made)
	check.That(t, len(got) == 1 && got["logs.db-wal"] == string(finding.SourceUnreadable), "%v", got)
	for _, paths := range [][]string{{path, wal}, {dir}} {
		made := newCase(t, Options{}, paths...)
		if got := unread(t, made); len(got) != 0 || len(lines(t, made, oslo)) != 1 || len(lines(t, made, berlin)) != 3 {
			t.Errorf("%v: %v", paths, got)
		}
	}
}

// unread returns the codes of the paths that were not read, by file name.
func unread(t *testing.T, path string) map[string]string {
	t.Helper()
	all := must.Get(openRead(t, path).Unread(t.Context()))(t)
	codes := map[string]string{}
	for _, u := range all {
		codes[filepath.Base(u.Path)] = u.Code
	}
	return codes
}
