package otelcol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asCollector, in the environment, makes the test binary a collector.
const asCollector = "RUN_AS_COLLECTOR"

func TestMain(m *testing.M) {
	if os.Getenv(asCollector) == "" {
		os.Exit(m.Run())
	}
	if err := Run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestCollectorFiles sends the logs of a scene through a collector that writes
// them in every way in which its file exporter can, and then reads each of the
// results: every event is there and holds, every batch is known by the id of its
// request, and each journal comes out of the case as it went into the exporter.
func TestCollectorFiles(t *testing.T) {
	bin := build(t)
	sent := play(t, bin)
	for name, gates := range map[string]string{"length-prefixed": "",
		"native-compression": "--feature-gates=exporter.file.nativeCompression"} {
		t.Run(name, func(t *testing.T) {
			for _, directory := range collect(t, gates, sent.batches) {
				t.Run(filepath.Base(filepath.Dir(directory))+"/"+filepath.Base(directory), func(t *testing.T) {
					checkFiles(t, bin, directory, sent)
				})
			}
		})
	}
}

// exported is everything that was sent: the last batch twice.
type exported struct {
	trust    string
	journals map[string][]byte // by log
	batches  []batch
}

// play plays a scene.
func play(t *testing.T, bin string) *exported {
	scene := t.TempDir()
	run(t, 0, filepath.Join(bin, "svc-harness"), "scene", "large", "--events", "12000", "--out", scene)
	paths, err := filepath.Glob(filepath.Join(scene, "journals", "*.ndjson"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no journals", err)
	}
	sent := &exported{trust: filepath.Join(scene, "trust.json"), journals: map[string][]byte{}}
	for _, path := range append(paths, filepath.Join(scene, "tenant.ndjson")) {
		sent.add(t, read(t, path))
	}
	sent.batches = append(sent.batches, sent.batches[len(sent.batches)-1])
	return sent
}

func (e *exported) add(t *testing.T, journal []byte) {
	batches := cut(t, journal, 64)
	e.journals[batches[0].log] = journal
	e.batches = append(e.batches, batches...)
}

// walked holds the members of a walk that are compared.
type walked struct {
	Verdict string
	Logs    []struct {
		LogID          string `json:"log_id"`
		Events         int
		SignatureValid int `json:"signature_valid"`
	}
	Batches batches
	Sources []struct{ Skipped int }
}

type batches struct{ Distinct, Redelivered, Conflicting, Absent int }

// checkFiles ingests and walks the files that one exporter wrote.
func checkFiles(t *testing.T, bin, directory string, sent *exported) {
	files := get(os.ReadDir(directory))(t)
	if strings.HasSuffix(directory, "-rotated") && len(files) < 2 {
		t.Fatalf("%d files: nothing was rotated", len(files))
	}
	file := filepath.Join(t.TempDir(), "case.db")
	run(t, 0, filepath.Join(bin, "svc-verify"), "ingest", file, "--quiet", directory)
	if b := checkCase(t, bin, file, sent); b.Redelivered != 1 {
		t.Errorf("%d batches were delivered again, expected one", b.Redelivered)
	}
}

// checkCase walks a case that is to hold all that was sent.
func checkCase(t *testing.T, bin, file string, sent *exported) batches {
	verify := filepath.Join(bin, "svc-verify")
	var result walked
	do(t, json.Unmarshal(run(t, 0, verify, "walk", file, "--trust", sent.trust, "--output", "json"), &result))
	if result.Verdict != "verified" || len(result.Logs) != len(sent.journals) {
		t.Errorf("found %s, %d logs; expected %d that hold", result.Verdict, len(result.Logs), len(sent.journals))
	}
	for _, log := range result.Logs {
		journal := sent.journals[log.LogID]
		if events := bytes.Count(journal, []byte("\n")); log.Events != events || log.SignatureValid != events {
			t.Errorf("found %+v; expected %d events that hold", log, events)
		}
		if out := run(t, 0, verify, "export", file, "--log", log.LogID); !bytes.Equal(out, journal) {
			t.Errorf("the exported %s is not the one that was sent", log.LogID)
		}
	}
	if b := result.Batches; b.Distinct != len(sent.batches)-1 || b.Conflicting != 0 || b.Absent != 0 {
		t.Errorf("found batches %+v; expected %d", b, len(sent.batches)-1)
	}
	for _, s := range result.Sources {
		if s.Skipped != 0 {
			t.Errorf("%d spans could not be read", s.Skipped)
		}
	}
	return result.Batches
}

// collect runs a collector, sends it batches, stops it, and returns where its
// exporters wrote.
func collect(t *testing.T, gates string, batches []batch) []string {
	out := t.TempDir()
	client := writeKeys(t, out)
	address := freeAddress(t)
	config, directories := writeConfig(t, address, out, out)
	stop := start(t, config, gates)
	url := "https://" + address + "/v1/logs"
	await(t, client, url)
	for i, b := range batches {
		do(t, send(client, url, i, b))
	}
	stop()
	return directories
}

// start starts a collector, and returns a function that stops it, after it has written
// everything.
func start(t *testing.T, config, gates string) (stop func()) {
	arguments := []string{"--config", config}
	if gates != "" {
		arguments = append(arguments, gates)
	}
	command := exec.Command(os.Args[0], arguments...) // #nosec G204 -- this very binary
	command.Env = append(os.Environ(), asCollector+"=1")
	var log bytes.Buffer
	command.Stderr = &log
	do(t, command.Start())
	t.Cleanup(func() {
		command.Process.Kill()
		if t.Failed() {
			t.Logf("the collector's log:\n%s", log.Bytes())
		}
	})
	return func() {
		do(t, command.Process.Signal(syscall.SIGTERM))
		if err := command.Wait(); err != nil {
			t.Fatal("the collector failed:", err)
		}
	}
}

// await waits until the collector answers.
func await(t *testing.T, client *http.Client, url string) {
	var err error
	for range 600 {
		var response *http.Response
		if response, err = client.Get(url); err == nil {
			response.Body.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("no collector:", err)
}

// freeAddress returns an address that no connection gets meanwhile: systems assign the ports
// from 32768 on to those.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12768))) // #nosec G404
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// build builds svc-verify and svc-harness, which are of two modules.
func build(t *testing.T) string {
	bin := t.TempDir()
	service := filepath.Join("..", "..")
	for dir, program := range map[string]string{filepath.Join(service, ".."): "svc-verify", service: "svc-harness"} {
		command := exec.Command("go", "build", "-o", bin+"/", "./cmd/"+program) // #nosec G204
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return bin
}

// run runs a program that is to end with an exit code, and returns its output.
func run(t *testing.T, code int, name string, arguments ...string) []byte {
	t.Helper()
	var out, faults bytes.Buffer
	command := exec.Command(name, arguments...) // #nosec G204 -- built by this test
	command.Stdout, command.Stderr = &out, &faults
	if err := command.Run(); command.ProcessState == nil || command.ProcessState.ExitCode() != code {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command.Args, " "), err, out.Bytes(), faults.Bytes())
	}
	return out.Bytes()
}

func read(t *testing.T, path string) []byte {
	b := get(os.ReadFile(path))(t)
	return b
}

// do ends the test if there is an error.
func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get returns the value of a call, or ends the test: get(os.ReadFile(name))(t).
func get[V any](value V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		do(t, err)
		return value
	}
}
