package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/service/collector"
)

func collectorCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "collector",
		Summary: "Run a collector of OTLP logs that writes files",
		Description: "Takes OTLP/HTTP over TLS 1.3 from clients with certificates, and writes each request as a line of OTLP/JSON to logs.jsonl, on disk before it answers. Full files are put away beside it.\n\n" +
			"The file of --mode-file says how it behaves, and may be changed at any time; without it the collector accepts. The modes: " + collector.ModeNames() + ".",
		Flags: []cliapp.Flag{
			required("dir", "DIR", "Where to write"),
			required("listen", "ADDR", "Where to listen, host:port"),
			required("tls-cert", "PEM", "The server's certificate"),
			required("tls-key", "PEM", "Its private key"),
			required("client-ca", "PEM", "The authorities of the clients"),
			{Name: "mode-file", Value: "FILE", Usage: "The file with the mode"},
			{Name: "max-bytes", Kind: cliapp.Number, Value: "N", Default: "16777216", Least: "1",
				Usage: "The largest size of a file"},
		},
		Examples: []string{"svc-harness collector --dir dumps --listen 127.0.0.1:4318 \\\n  --tls-cert server.pem --tls-key server.key --client-ca ca.pem"},
		Action:   untilStopped(runCollector),
	}
}

func runCollector(ctx context.Context, c *cliapp.Context) (int, error) {
	identity, err := tls.LoadX509KeyPair(c.Text("tls-cert"), c.Text("tls-key"))
	if err != nil {
		return 0, err
	}
	clients, err := authorities(c.Text("client-ca"))
	if err != nil {
		return 0, err
	}
	running, err := collector.Start(ctx, collector.Config{
		Address: c.Text("listen"), Identity: identity, Clients: clients,
		File: filepath.Join(c.Text("dir"), "logs.jsonl"), MaxBytes: int64(c.Number("max-bytes")),
		Log: jsonLog(c),
	})
	if err != nil {
		return 0, err
	}
	return 0, errors.Join(obeyMode(ctx, running, c.Text("mode-file"), c.Stderr), running.Close())
}

// modePoll is how often the file with the mode is looked at.
const modePoll = 100 * time.Millisecond

// obeyMode keeps the collector in the mode that a file names, until the context
// ends. A file that names none changes nothing.
func obeyMode(ctx context.Context, running *collector.Collector, file string, stderr io.Writer) error {
	complained := ""
	for {
		name := string(collector.Accept)
		b, err := os.ReadFile(file)
		if err == nil {
			name = strings.TrimSpace(string(b))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		mode, err := collector.ParseMode(name)
		switch {
		case err == nil && mode != running.Mode():
			if err := running.SetMode(mode); err != nil {
				return err
			}
		case err != nil && name != complained:
			fmt.Fprintf(stderr, "svc-harness: %s: %v\n", file, err)
			complained = name
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(modePoll):
		}
	}
}

// authorities reads a file of CA certificates.
func authorities(file string) (*x509.CertPool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s: expected certificates in PEM", file)
	}
	return pool, nil
}
