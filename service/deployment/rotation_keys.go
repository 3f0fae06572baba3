package deployment

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/agent"
)

// RotateSigner gives the signer its next keys and collects them into the trust file.
// It returns the answer of the cloud.
func (c Customer) RotateSigner(ctx context.Context) (seal.Object, error) {
	answer, err := c.Operate(ctx, "ada", "/api/v1/signer/rotation", seal.Object{})
	if err != nil {
		return nil, err
	}
	keyID, generation := seal.Text(answer, "key_id"), seal.Integer(answer, "generation")
	keys, err := c.cloudKeys(ctx)
	if err != nil {
		return answer, fmt.Errorf("the signer has the key %s, and the trust file could not be collected: %w", keyID, err)
	}
	pin, err := seal.Unbase64(seal.Text(seal.Member(keys, "registries"), strconv.FormatInt(generation, 10)))
	if err != nil || keyID == "" || hex.EncodeToString(pin) != seal.Text(answer, "sha256") ||
		seal.Text(seal.Member(keys, "protected_signer_keys"), keyID) != seal.Text(answer, "public_key") {
		return answer, fmt.Errorf("the cloud announced the signer key %s in registry %d, and its list of keys does not have both",
			keyID, generation)
	}
	return answer, c.Collect(ctx)
}

// RotateIdentity has a node replace the key that it signs with, and waits until the
// node has done so and the cloud knows the new key. Then it collects the key into the
// trust file. It returns the id of the new key.
func (c Customer) RotateIdentity(ctx context.Context, nodeID string, tell Tell) (string, error) {
	f, err := c.fleet(ctx)
	if err != nil {
		return "", err
	}
	if f.disabled[nodeID] {
		return "", &Refused{"node_disabled", "the cloud accepts no key from " + nodeID + ", which is disabled"}
	}
	before, err := c.cloudKeys(ctx)
	if err != nil {
		return "", err
	}
	directory := filepath.Join(c.Node(nodeID), "state")
	if err := agent.OrderRotation(directory); err != nil {
		return "", err
	}
	w := &teller{tell: tell}
	for {
		what := nodeID + " has not carried out the order to rotate its identity"
		if !agent.RotationOrdered(directory) {
			keyID, err := c.newKey(ctx, nodeID, before)
			if err != nil || keyID != "" {
				return keyID, err
			}
			what = "the cloud does not know the new key of " + nodeID
		}
		if err := c.awaitNode(ctx, nodeID, what, w); err != nil {
			return "", err
		}
	}
}

// newKey returns the id of a node's newest key once it is in use: the cloud knows it
// now, and did not before. Then the trust file has it too.
func (c Customer) newKey(ctx context.Context, nodeID string, before seal.Object) (string, error) {
	own := seal.Object{}
	if err := c.collectNode(nodeID, own); err != nil {
		return "", err
	}
	now, err := c.cloudKeys(ctx)
	if err != nil {
		return "", err
	}
	newest := node.KeyID(nodeID, len(own))
	if public := seal.Text(seal.Member(now, "nodes"), newest); public == "" || public != seal.Text(own, newest) ||
		seal.Text(seal.Member(before, "nodes"), newest) != "" {
		return "", nil
	}
	return newest, c.Collect(ctx)
}
