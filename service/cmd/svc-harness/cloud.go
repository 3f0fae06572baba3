package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/service/server"
)

func cloudCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "cloud",
		Summary: "The cloud of a tenant, with its protected signer",
		Commands: []*cliapp.Command{{
			Name:    "run",
			Summary: "Run the cloud of a tenant",
			Description: "Answers nodes, workloads and operators over TLS 1.3, each by the SPIFFE id in its client certificate, and publishes CRLs and OCSP answers to all. Keys and state are in the directory, which must be private; a cloud that is started again in it continues.\n\n" +
				"It ends with an error if a decision cannot be made durable.",
			Flags: []cliapp.Flag{
				required("dir", "DIR", "The state directory"),
				required("listen", "ADDR", "Where to listen, host:port"),
				required("tenant", "ID", "The tenant"),
				required("tls-cert", "PEM", "The server's certificate"),
				required("tls-key", "PEM", "Its private key"),
				required("client-ca", "PEM", "The authorities of the callers"),
				{Name: "witnesses", Kind: cliapp.Number, Value: "N", Default: "2", Least: "1",
					Usage: "How many nodes must witness a checkpoint"},
				{Name: "poll", Kind: cliapp.Seconds, Value: "D", Default: "10s", Least: "1s",
					Usage: "The poll interval of the nodes"},
				{Name: "expiry", Kind: cliapp.Seconds, Value: "D", Default: "10m", Least: "1s",
					Usage: "How long a transaction may stay undecided"},
			},
			Examples: []string{"svc-harness cloud run --dir state --listen 127.0.0.1:8444 --tenant acme-corp \\\n  --tls-cert server.pem --tls-key server.key --client-ca ca.pem"},
			Action:   untilStopped(runCloud),
		}},
	}
}

func runCloud(ctx context.Context, c *cliapp.Context) (int, error) {
	identity, err := tls.LoadX509KeyPair(c.Text("tls-cert"), c.Text("tls-key"))
	if err != nil {
		return 0, err
	}
	callers, err := authorities(c.Text("client-ca"))
	if err != nil {
		return 0, err
	}
	cloud, err := server.New(server.Config{
		TenantID: c.Text("tenant"), Dir: c.Text("dir"), RequiredWitnesses: int64(c.Number("witnesses")),
		Poll: c.Duration("poll"), Expiry: c.Duration("expiry"), Log: jsonLog(c),
	})
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", c.Text("listen"))
	if err != nil {
		return 0, errors.Join(err, cloud.Close())
	}
	fmt.Fprintf(c.Stderr, "svc-harness: the cloud of %s answers at https://%s\n", c.Text("tenant"), listener.Addr())
	return 0, errors.Join(cloud.Serve(ctx, listener, server.TLS(identity, callers)), cloud.Close())
}
