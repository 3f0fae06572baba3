package pack_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"

	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/verify"
)

// TestManyFaults: a pack of many faults is not read to its end, so that it costs little memory.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	c := fleetCase(t, "")
	doc, _, _ := c.packOf(t, "", store.Filter{LogID: berlin, First: 3, Last: 4})
	claims, _, _ := bytes.Cut(doc, []byte("\n"))
	empty := fmt.Appendf(nil, "{\"history\":{\"log_id\":%q,\"tenant_id\":%q}}\n", berlin, harness.Tenant)
	r := pack.Verify(withEnd(append(append(claims, '\n'), bytes.Repeat(empty, 5000)...)), c.root)
	found := [3]int{len(r.Findings), r.More, len(r.Histories)}
	check.Equal(t, found, [3]int{64, 1000, 0}, "%s: findings, further ones, histories", r.Verdict)
}

// TestAltered: no pack verifies after a line was dropped, doubled, moved or altered, however the
// last line was made to fit. But a proof, a checkpoint, and an event at either end of a history can be
// left out: the rest is a pack of less.
func TestAltered(t *testing.T) {
	t.Parallel()
	c := fleetCase(t, "")
	doc, _, _ := c.packOf(t, `sequence % 4 == 2`, store.Filter{LogID: berlin, First: 3, Last: 9},
		store.Filter{TransactionID: transactionID, LogID: tenantLog})
	lines := bytes.SplitAfter(doc, []byte("\n"))
	lines = lines[:len(lines)-2] // without the last line
	refused := func(label string, i int, changed [][]byte) {
		t.Helper()
		r := pack.Verify(withEnd(bytes.Join(changed, nil)), c.root)
		check.That(t, r.Verdict != verify.Verified, "line %d %s: %s", i+1, label, lines[i])
	}
	history := []byte(`{"history"`)
	r := rand.New(rand.NewPCG(1, 2))
	for i, line := range lines {
		whole := bytes.HasPrefix(line, []byte(`{"proof"`)) || bytes.HasPrefix(line, []byte(`{"checkpoint"`))
		isHistory := bytes.HasPrefix(line, history)
		isEnd := bytes.HasPrefix(lines[i-min(i, 1)], history) || bytes.HasPrefix(append(lines, history)[i+1], history)
		if !whole && !isEnd {
			refused("dropped", i, slices.Delete(slices.Clone(lines), i, i+1))
		}
		if !isHistory {
			refused("doubled", i, slices.Insert(slices.Clone(lines), i, line))
		}
		if i > 0 {
			changed := slices.Clone(lines)
			changed[i-1], changed[i] = changed[i], changed[i-1]
			refused("moved", i, changed)
			for range 5 {
				changed := slices.Clone(lines)
				changed[i] = bytes.Clone(line)
				changed[i][r.IntN(len(line))] ^= 1 << r.IntN(7)
				refused("altered", i, changed)
			}
		}
	}
	for range 200 {
		altered := bytes.Clone(doc)
		altered[r.IntN(len(doc))] ^= 1 << r.IntN(8)
		check.That(t, pack.Verify(altered, c.root).Verdict != verify.Verified, "an altered octet")
	}
}

// withEnd returns lines with a last line that fits.
func withEnd(lines []byte) []byte {
	return fmt.Appendf(bytes.Clone(lines), "{\"end\":{\"sha256\":\"%x\"}}\n", sha256.Sum256(lines))
}
