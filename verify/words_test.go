package verify

import (
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// TestWords: a report's words for nodes, for a status and for keys and registries that the
// trust file lacks.
func TestWords(t *testing.T) {
	must.Equal(t, nodesOfKeys([]trust.Key{{Node: "b"}, {Node: "a"}})[0], "a", "the first node")
	about := About{Status: "revoked"}
	must.Equal(t, about.Outcome(), "revoked", "a status without a time")
	about.RevokedAt = "2026"
	must.Equal(t, about.Outcome(), "revoked at 2026", "a status with its time")
	must.Equal(t, quoteKey(registryName(7)), ofRegistry+safetext.Quote("7"), "a generation")
	must.Equal(t, quoteKey("key\n"), safetext.Quote("key\n"), "a key")
}
