package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/workload"
)

func workloadCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "workload",
		Summary: "Run a workload that takes its certificate from the secret store",
		Commands: []*cliapp.Command{{
			Name:    "run",
			Summary: "Run a workload",
			Description: "Serves HTTPS at " +
				workload.HealthPath + " with the pair that the pointer in the secret store names. It looks for a new pair " +
				"every half second, keeps its pair while the store is unreachable, and refuses every handshake before it has " +
				"one.\n\n" +
				"The file of --mode-file says how it behaves, and may be changed at any time; without it the workload follows the pointer. The modes: " + workload.ModeNames() + ".",
			Flags: []cliapp.Flag{
				required("listen", "ADDR", "Where to listen, host:port"),
				required("store", "ORIGIN", "The secret store, https://host:port"),
				required("store-ca", "PEM", "The authorities of the store's server"),
				required("token-file", "FILE", "The consumer's token, read anew for each request"),
				required("mount", "NAME", "The mount of the secrets engine"),
				required("base", "PATH", "The base path below it"),
				{Name: "mode-file", Value: "FILE", Usage: "The file with the mode"},
			},
			Examples: []string{"svc-harness workload run --listen 127.0.0.1:8443 \\\n  --store https://127.0.0.1:8200 --store-ca ca.pem \\\n  --token-file consumer.token --mount kv --base edge/payments"},
			Action:   untilStopped(runWorkload),
		}},
	}
}

// storeTimeout is how long a workload waits for an answer of the store.
const storeTimeout = 5 * time.Second

func runWorkload(ctx context.Context, c *cliapp.Context) (int, error) {
	settings, err := consumerSettings(c)
	if err != nil {
		return 0, err
	}
	l, err := net.Listen("tcp", c.Text("listen"))
	if err != nil {
		return 0, err
	}
	return 0, workload.Serve(ctx, l, workload.Config{
		Store: secretstore.NewClient(settings), ModeFile: c.Text("mode-file"),
		Log: jsonLog(c),
	})
}

// consumerSettings are what the client of a node needs to read the secret store
// as a consumer.
func consumerSettings(c *cliapp.Context) (*nodeconfig.SecretStore, error) {
	origin, err := url.Parse(c.Text("store"))
	if err != nil || origin.Host == "" || "https://"+origin.Host != c.Text("store") {
		return nil, cliapp.Usagef("--store is https://host:port and nothing behind it")
	}
	authorities, err := certificates(c.Text("store-ca"))
	if err != nil {
		return nil, err
	}
	settings := &nodeconfig.SecretStore{
		Address: c.Text("store"), Mount: c.Text("mount"), BasePath: c.Text("base"), RequestTimeout: storeTimeout,
		TokenFile:   nodeconfig.File{Path: c.Text("token-file")},
		Authorities: nodeconfig.Authorities{File: nodeconfig.File{Path: c.Text("store-ca")}, Certificates: authorities},
	}
	if _, err := settings.Token(); err != nil {
		return nil, fmt.Errorf("the file of --token-file: %w", err)
	}
	return settings, nil
}

// certificates reads a file of certificates.
func certificates(file string) ([]*x509.Certificate, error) {
	rest, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []*x509.Certificate
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if block.Type != "CERTIFICATE" || err != nil {
			return nil, fmt.Errorf("%s: expected certificates in PEM", file)
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: expected certificates in PEM", file)
	}
	return list, nil
}
