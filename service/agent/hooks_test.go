package agent

import "github.com/svc-edge/svc-verify/service/adapter"

// Adapt replaces an adapter of a node that does not run yet.
func Adapt(a *Agent, kind string, by adapter.Adapter) { a.adapters.byKind[kind] = by }
