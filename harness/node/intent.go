package node

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// OpenIntent returns the statement of a rotation's intent, svc.rotation-intent.v1
// (service/docs/service.md), if a policy key has signed it for this node. The caller judges
// the binding of the rotation.
func (n *Node) OpenIntent(envelope seal.Object) (seal.Object, error) {
	statement, err := n.roster.Open(envelope, "svc.rotation-intent.v1", "node_id", n.id)
	if err != nil {
		return nil, fmt.Errorf("intent: %w", err)
	}
	return statement, nil
}
