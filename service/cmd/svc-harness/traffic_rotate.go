package main

import (
	"context"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/workload"
)

// rotationCommands rotate certificates and keys, and make parts misbehave
// meanwhile.
func rotationCommands() []*cliapp.Command {
	return []*cliapp.Command{
		{
			Name: "rotate", Summary: "Rotate the certificate of an integration, or keys",
			Description: "Without --what, an adapter of a node gets a new certificate; the adapter is assigned first if necessary. The command waits until the certificate is promoted, or staged if the promotion is manual (svc-harness promote). A rollback can take as long as the rollback window.\n\n" +
				"The signer's keys and a node's identity can be rotated too. The command waits until the new key is in use, and enters it into the trust file. A node carries the order out when it can, even after the command gave up; svc-harness up and svc-harness prove enter the key then.",
			ExitCodes: []cliapp.ExitCode{{Code: 0, Meaning: "rotated"},
				{Code: exitRefused, Meaning: "the rotation was refused, denied or rolled back"}},
			Flags: []cliapp.Flag{dirFlag(),
				{Name: "what", Choices: []string{"certificate", "signer", "identity"}, Default: "certificate",
					Usage: "What to rotate"},
				{Name: "node", Value: "ID", Usage: "The node; the first one if not given"},
				{Name: "adapter", Choices: []string{adapterNginx, adapterStore}, Default: adapterNginx,
					Usage: "The adapter that gets the certificate"},
				{Name: "promotion", Choices: []string{"automatic", "manual"}, Default: "automatic",
					Usage: "How to promote the certificate"},
				timeoutFlag()},
			Examples: []string{"svc-harness rotate", "svc-harness rotate --adapter secret-store --promotion manual",
				"svc-harness rotate --what signer"}, Action: rotate,
		},
		{
			Name: "promote", Summary: "Verify and promote a staged certificate", Args: "TRANSACTION",
			Description: "Does what Verify & promote in the console does, and waits for the outcome as svc-harness rotate does.",
			Flags:       []cliapp.Flag{dirFlag(), timeoutFlag()},
			Examples:    []string{"svc-harness promote tx-1"}, Action: promote,
		},
		{
			Name: "break", Summary: "Make the collector, a node or the workload misbehave", Args: "[MODE]",
			Description: "MODE is a mode of the collector, where accept repairs it, or disable, which disables a node permanently. The workload of the secret store has its own modes: stuck keeps its certificate, down answers 503, follow repairs it.",
			Flags: []cliapp.Flag{dirFlag(), {Name: "node", Value: "ID", Usage: "The node to disable"},
				{Name: "workload", Choices: strings.Split(form.Joined(workload.Modes()), ", "),
					Usage: "The mode of the workload, instead of MODE"}},
			Examples: []string{"svc-harness break down", "svc-harness break accept",
				"svc-harness break disable --node mesh-oslo-1", "svc-harness break --workload stuck"},
			Action: breakPart,
		},
	}
}

// The adapters by the names that the command line has for them.
const (
	adapterNginx = "nginx"
	adapterStore = "secret-store"
)

func rotate(c *cliapp.Context) (int, error) {
	return waiting(c, func(ctx context.Context, d *deployment.Deployment) error {
		id, err := nodeOf(c, d)
		if err != nil {
			return err
		}
		switch c.Text("what") {
		case "signer":
			answer, err := d.RotateSigner(ctx)
			show(c.Stdout, answer, "key_id", "generation")
			return err
		case "identity":
			keyID, err := d.RotateIdentity(ctx, id)
			if err == nil {
				show(c.Stdout, seal.Object{"key_id": keyID}, "key_id")
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

func promote(c *cliapp.Context) (int, error) {
	return waiting(c, func(ctx context.Context, d *deployment.Deployment) error {
		t, err := d.Promote(ctx, c.Args[0])
		showRotation(c.Stdout, t)
		return err
	})
}

// showRotation prints what became of a rotation.
func showRotation(w io.Writer, t seal.Object) {
	show(w, t, "transaction_id")
	show(w, seal.Member(t, "rotation"), "status")
	show(w, t, "certificate_serial", "code", "detail")
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

func breakPart(c *cliapp.Context) (int, error) {
	if len(c.Args) == 0 != c.Given("workload") {
		return 0, cliapp.Usagef("expected either MODE or --workload")
	}
	return withDeployment(c, func(ctx context.Context, d *deployment.Deployment) error {
		if c.Given("workload") {
			return d.SetWorkloadMode(c.Text("workload"))
		}
		if c.Args[0] != "disable" {
			return d.SetCollectorMode(c.Args[0])
		}
		if !c.Given("node") {
			return cliapp.Usagef("--node says which node is disabled")
		}
		id, err := nodeOf(c, d)
		if err != nil {
			return err
		}
		_, err = d.Operate(ctx, "ada", "/api/v1/nodes/"+id+"/disablement", seal.Object{})
		return err
	})
}
