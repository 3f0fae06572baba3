package main

import (
	"context"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
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
		if c.Text("adapter") == "secret-store" {
			r.Adapter = adapter.SecretStore
		}
		if c.Text("promotion") == "automatic" {
			r.Promotion = adapter.PromotionAutomatic
		}
		t, err := d.RotateCertificate(ctx, r)
		showMembers(c.Stdout, t, "transaction_id")
		showMembers(c.Stdout, seal.Member(t, "rotation"), "status")
		showMembers(c.Stdout, t, "certificate_serial", "code", "detail")
		return err
	})
}

// nodeOf is the node that a command is about.
func nodeOf(c *cliapp.Context, d *deployment.Deployment) (string, error) {
	if !c.Given("node") {
		return d.Nodes[0], nil
	}
	if id := c.Text("node"); slices.Contains(d.Nodes, id) {
		return id, nil
	}
	return "", cliapp.Usagef("no node %q; the nodes are %s", c.Text("node"), strings.Join(d.Nodes, ", "))
}
