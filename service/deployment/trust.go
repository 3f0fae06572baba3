package deployment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/agent"
)

// Collect writes trust.json as the customer would: the cloud's keys as its
// operators hand them over, and each node's keys from the node's own directory.
func (c Customer) Collect(ctx context.Context) error {
	trust, err := c.collected(ctx)
	if err != nil {
		return err
	}
	return c.writeTrust(trust)
}

// collected returns the trust file that the deployment should have now.
func (c Customer) collected(ctx context.Context) ([]byte, error) {
	keys, err := c.cloudKeys(ctx)
	if err != nil {
		return nil, err
	}
	nodes := seal.Object{}
	for _, id := range c.Nodes {
		if err := c.collectNode(id, nodes); err != nil {
			return nil, err
		}
	}
	return seal.Line(seal.Object{
		"audit_keys": keys["audit_keys"], "protected_signer_keys": keys["protected_signer_keys"],
		"registries": keys["registries"],
		"nodes":      nodes, "minimum_audit_witnesses": c.Witnesses(),
	}), nil
}

// cloudKeys asks the cloud for all keys that it knows.
func (c Customer) cloudKeys(ctx context.Context) (seal.Object, error) {
	cloud, err := c.CallCloud("operator", "ada")
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	keys, err := cloud.Do(ctx, http.MethodGet, "/api/v1/keys", nil)
	return keys, refused(err)
}

// writeTrust replaces the trust file, if its content differs.
func (c Customer) writeTrust(trust []byte) error {
	if old, err := os.ReadFile(c.TrustFile()); err == nil && bytes.Equal(old, trust) {
		return nil
	}
	return pki.WriteFile(c.TrustFile(), trust, 0o644)
}

// collectInterval is how often [Customer.KeepTrust] looks for new keys.
const collectInterval = time.Second

// KeepTrust collects the trust file again whenever the keys of the deployment have
// changed, until the context ends. A command may have given up on an order that is
// carried out later, and operators can also rotate keys without these commands. A
// file that was edited by hand stays as it is until the keys change.
func (c Customer) KeepTrust(ctx context.Context, tell Tell) {
	w := &teller{tell: tell}
	last, _ := os.ReadFile(c.TrustFile())
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(collectInterval):
		}
		trust, err := c.collected(ctx)
		if err != nil || bytes.Equal(trust, last) {
			continue // the keys do not change while the cloud is away
		}
		if err := c.writeTrust(trust); err != nil {
			w.say("the trust file could not be brought up to date: " + err.Error())
			continue
		}
		last = trust
		w.last = ""
		w.say(fmt.Sprintf("keys have changed; they are in %q", c.TrustFile()))
	}
}

// collectNode enters every key generation of a node.
func (c Customer) collectNode(id string, nodes seal.Object) error {
	for generation := int64(1); ; generation++ {
		key, err := agent.ReadKey(filepath.Join(c.Node(id), "state"), id, generation)
		if errors.Is(err, fs.ErrNotExist) && generation > 1 {
			return nil
		}
		if err != nil {
			return err
		}
		nodes[key.ID] = seal.Base64(key.Public())
	}
}

// TrustFile is where the pinned keys are.
func (l *Layout) TrustFile() string { return l.path("trust.json") }

// Witnesses is how many nodes must witness a checkpoint: more than half of
// them, so that no two halves can witness two histories.
func (l *Layout) Witnesses() int64 { return int64(len(l.Nodes)/2 + 1) }
