package otelcol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestNodeExports lets a node's own exporter deliver to a collector. The node is killed on the
// way and started again; then every batch matches its id, and the journal comes out of the
// case byte for byte.
func TestNodeExports(t *testing.T) {
	bin, node, dir := build(t), buildNode(t), t.TempDir()
	client := writeKeys(t, dir)
	for _, name := range []string{"out", "state"} {
		do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	logs, journal, public := filepath.Join(dir, "out", "logs.jsonl"), filepath.Join(dir, "state", "journal.ndjson"),
		filepath.Join(dir, "node.pub")
	address := freeAddress(t)
	stop := start(t, writeWith(t, address, dir, "  file: {path: "+logs+", flush_interval: 100ms}\n",
		"    logs: {receivers: [otlp], processors: [attributes/batch], exporters: [file]}\n"), "")
	url := "https://" + address + "/v1/logs"
	await(t, client, url)

	kill := startNode(t, node, dir, url, -1)
	until(t, "the collector has a number of batches", func() bool { return bytes.Count(readIf(logs), []byte("\n")) > 20 })
	kill()
	written := read(t, public)
	do(t, os.Remove(public))
	kill = startNode(t, node, dir, url, 0)
	// The key is written when the journal is whole again.
	until(t, "the node runs again", func() bool { return bytes.Equal(readIf(public), written) })
	lines := bytes.Split(bytes.TrimSpace(read(t, journal)), []byte("\n"))
	until(t, "the collector has the last event",
		func() bool { return bytes.Contains(readIf(logs), []byte(hashOf(t, lines[len(lines)-1]))) })
	kill()
	stop()
	checkNode(t, bin, filepath.Dir(logs), string(written), read(t, journal))
}

// checkNode ingests and walks the files that a collector wrote for a node.
func checkNode(t *testing.T, bin, directory, public string, journal []byte) {
	dir := t.TempDir()
	trust, file, verify := filepath.Join(dir, "trust.json"), filepath.Join(dir, "case.db"),
		filepath.Join(bin, "svc-verify")
	// The other keys of a trust file, which nothing here is signed with.
	const one, two = "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
	doc := fmt.Appendf(
		nil, `{"audit_keys":{"a":"%s"},"minimum_audit_witnesses":1,"nodes":{"mesh-oslo-1":"%s"},`+
			`"protected_signer_keys":{"s":"%s"},"registries":{"1":"%s"}}`, one, public, two, one)
	do(t, os.WriteFile(trust, doc, 0o600))
	run(t, 0, verify, "ingest", file, "--quiet", directory)
	var result walked
	do(t, json.Unmarshal(run(t, 0, verify, "walk", file, "--trust", trust, "--output", "json"), &result))
	events := bytes.Count(journal, []byte("\n"))
	if b := result.Batches; result.Verdict != "verified" || len(result.Logs) != 1 ||
		result.Logs[0].SignatureValid != events || b.Distinct < 20 || b.Conflicting != 0 || b.Absent != 0 {
		t.Fatalf("found %+v; expected %d events that hold", result, events)
	}
	if !bytes.Equal(run(t, 0, verify, "export", file, "--log", result.Logs[0].LogID), journal) {
		t.Error("the exported journal is not the node's")
	}
}

// buildNode builds a node that does nothing but write and export: the test
// binary of the exporter.
func buildNode(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "node")
	command := exec.Command("go", "test", "-c", "-o", path, "./otlp") // #nosec G204
	command.Dir = filepath.Join("..", "..")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// startNode starts a node that writes so many events, or without end if there are fewer than
// none. It returns a function that kills it.
func startNode(t *testing.T, node, dir, url string, events int) (kill func()) {
	order := get(json.Marshal(map[string]any{"Dir": dir, "Endpoint": url, "Events": events}))(t)
	command := exec.Command(node) // #nosec G204 -- built by this test
	command.Env = append(os.Environ(), "RUN_AS_NODE="+string(order))
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	do(t, command.Start())
	t.Cleanup(func() { command.Process.Kill() })
	return func() {
		command.Process.Kill()
		command.Wait()
		if said.Len() > 0 {
			t.Errorf("the node said %s", said.Bytes())
		}
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, condition func() bool) {
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("in vain:", what)
		}
	}
}

// readIf returns the content of a file that may not be there yet.
func readIf(path string) []byte {
	b, err := os.ReadFile(path) // #nosec G304
	if err != nil {
		return nil
	}
	return b
}

func hashOf(t *testing.T, line []byte) string {
	var e struct{ Hash string }
	if err := json.Unmarshal(line, &e); err != nil || len(e.Hash) != 64 {
		t.Fatalf("no event: %v", err)
	}
	return e.Hash
}
