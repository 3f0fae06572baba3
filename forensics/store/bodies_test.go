package store

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestEndSize: the computed size of the end of a body is the size of the written end.
func TestEndSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return strings.Repeat("a", rapid.IntRange(0, 200).Draw(t, label)) }
		k := &keptBody{salt: make([]byte, event.SaltSize), transaction: []byte(text("transaction"))}
		log, c := facts.Log{TenantID: text("tenant"), LogID: text("log")}, &part.Copy{}
		c.Type, c.Sequence = text("type"), rapid.Uint64Range(0, 1<<62).Draw(t, "sequence")
		c.OccurredAt = rapid.Int64Range(0, 253_402_300_799_999).Draw(t, "time")
		check.Equal(t, k.endSize(log, c), len(k.appendEnd(nil, log, c)), "size of the end")
	})
}
