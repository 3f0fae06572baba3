package otelcol

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReceiveFromExporter sends the logs of a scene straight to svc-verify
// receive, as a node's exporter would.
func TestReceiveFromExporter(t *testing.T) {
	bin := build(t)
	sent, keys := play(t, bin), t.TempDir()
	client := writeKeys(t, keys)
	file := filepath.Join(keys, "case.db")
	url, stop := receive(t, bin, file, keys)
	for i, b := range sent.batches {
		do(t, send(client, url, i, b))
	}
	stop()
	if b := checkCase(t, bin, file, sent); b.Redelivered != 1 {
		t.Errorf("%d batches were delivered again, expected one", b.Redelivered)
	}
}

// TestReceiveFromCollector lets a collector send on to svc-verify receive, once
// as JSON and once as protobuf: every batch arrives twice.
func TestReceiveFromCollector(t *testing.T) {
	bin := build(t)
	sent, keys := play(t, bin), t.TempDir()
	client := writeKeys(t, keys)
	file := filepath.Join(keys, "case.db")
	sink, stop := receive(t, bin, file, keys)
	address := freeAddress(t)
	stopCollector := start(t, forwardTo(t, strings.TrimSuffix(sink, "/v1/logs"), address, keys), "")
	url := "https://" + address + "/v1/logs"
	await(t, client, url)
	for i, b := range sent.batches {
		do(t, send(client, url, i, b))
	}
	stopCollector()
	stop()
	if b := checkCase(t, bin, file, sent); b.Redelivered != b.Distinct {
		t.Errorf("%d of %d batches were delivered again, expected all", b.Redelivered, b.Distinct)
	}
}

// receive starts svc-verify receive, and returns its URL and a function that stops it.
func receive(t *testing.T, bin, file, keys string) (url string, stop func()) {
	command := exec.Command(filepath.Join(bin, "svc-verify"), "receive", file, "--listen",
		"127.0.0.1:0", // #nosec G204 -- built by this test
		"--tls-cert", filepath.Join(keys, "server.pem"), "--tls-key", filepath.Join(keys, "server.key"), "--client-ca",
		filepath.Join(keys, "ca.pem"))
	faults := get(command.StderrPipe())(t)
	do(t, command.Start())
	t.Cleanup(func() { command.Process.Kill() })
	lines := bufio.NewScanner(faults)
	if !lines.Scan() {
		t.Fatal("it says nothing:", command.Wait())
	}
	_, url, _ = strings.Cut(lines.Text(), "receiving at ")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines.Scan() {
			t.Log(lines.Text())
		}
	}()
	return url, func() {
		do(t, command.Process.Signal(syscall.SIGTERM))
		<-ended
		if err := command.Wait(); err != nil {
			t.Fatal("the sink failed:", err)
		}
	}
}
