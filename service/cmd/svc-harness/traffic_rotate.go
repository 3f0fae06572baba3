package main

import (
	"context"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// rotateCommand rotates certificates and the keys of nodes.
func rotateCommand() *cliapp.Command {
	return &cliapp.Command{
		Name: "rotate", Summary: "Rotate the certificate of an integration, or the key of a node",
		Description: "Without --what, an adapter of a node gets a new certificate; the adapter is assigned first if necessary. The command waits until the certificate is promoted, or staged if the promotion is manual: an operator promotes it in the console, or by a call. A rollback can take as long as the rollback window.\n\n" +
			"A node's identity can be rotated too. The command waits until the new key is in use, and enters it into the trust file. A node carries the order out when it can, even after the command gave up; svc-harness up enters the key then.",
		ExitCodes: []cliapp.ExitCode{{Code: 0, Meaning: "rotated"},
			{Code: exitRefused, Meaning: "the rotation was refused, denied or rolled back"}},
		Flags: []cliapp.Flag{dirFlag(),
			{Name: "what", Choices: []string{"certificate", "identity"}, Default: "certificate",
				Usage: "What to rotate"},
			{Name: "node", Value: "ID", Usage: "The node; the first one if not given"},
			{Name: "adapter", Choices: []string{adapterNginx, adapterStore}, Default: adapterNginx,
				Usage: "The adapter that gets the certificate"},
			{Name: "promotion", Choices: []string{"automatic", "manual"}, Default: "automatic",
				Usage: "How to promote the certificate"},
			timeoutFlag()},
		Examples: []string{"svc-harness rotate", "svc-harness rotate --adapter secret-store --promotion manual",
			"svc-harness rotate --what identity"}, Action: rotateKey,
	}
}

// The adapters by the names that the command line has for them.
const (
	adapterNginx = "nginx"
	adapterStore = "secret-store"
)

func rotateKey(c *cliapp.Context) (int, error) {
	return withTimeout(c, func(ctx context.Context, d *deployment.Deployment) error {
		id, err := nodeOf(c, d)
		if err != nil {
			return err
		}
		if c.Text("what") == "identity" {
			keyID, err := d.RotateIdentity(ctx, id)
			if err == nil {
				showMembers(c.Stdout, seal.Object{"key_id": keyID}, "key_id")
			}
			return err
		}
		r := deployment.Rotation{Node: id, Adapter: adapter.Nginx, Promotion: adapter.PromotionManual}
		if c.Text("adapter") == adapterStore {
			r.Adapter = adapter.SecretStore
		}
		if c.Text("promotion") == "automatic" {
			r.Promotion = adapter.PromotionAutomatic
		}
		t, err := d.RotateCertificate(ctx, r)
		showRotation(c.Stdout, t)
		return err
	})
}

// showRotation prints the outcome of a rotation.
func showRotation(w io.Writer, t seal.Object) {
	showMembers(w, t, "transaction_id")
	showMembers(w, seal.Member(t, "rotation"), "status")
	showMembers(w, t, "certificate_serial", "code", "detail")
}

// nodeOf is the node that a command is about.
func nodeOf(c *cliapp.Context, d *deployment.Deployment) (string, error) {
	if !c.Given("node") {
		return d.Nodes[0], nil
	}
	if id := c.Text("node"); d.APIs[id] != "" {
		return id, nil
	}
	return "", cliapp.Usagef("no node %q; the nodes are %s", c.Text("node"), strings.Join(d.Nodes, ", "))
}
