package agent

import (
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
)

// Adapt replaces an adapter of a node that does not run yet.
func Adapt(a *Agent, kind string, by adapter.Adapter) { a.adapters.byKind[kind] = by }

// RotateIdentity rotates the key of a node at once. Operators order it,
// [OrderRotation].
func (a *Agent) RotateIdentity() error {
	return a.identity.rotate(seal.Base64(chance.Fresh().Stream("order").Bytes(16)))
}
