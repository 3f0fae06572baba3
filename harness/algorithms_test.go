//go:build heavy

package harness

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

func TestAlgorithms(t *testing.T) {
	want := map[string]string{
		"tx-2026-0001": "ecdsa-p256", "tx-2026-0002": "ecdsa-p384", "tx-2026-0003": "ed25519",
		"tx-2026-0004": "rsa-2048", "tx-2026-0005": "rsa-3072", "tx-2026-0006": "rsa-4096",
	}
	kinds, usages := map[string]bool{}, map[string]bool{}
	scene := build(t, "algorithms")
	for _, export := range scene.Exports {
		terms := seal.Member(seal.Member(export.Bundle, "manifest"), "terms")
		check.Equal(t, seal.Text(terms, "algorithm"), want[export.TransactionID], "%s is of algorithm", export.TransactionID)
		for _, name := range seal.Texts(terms, "names") {
			kind, _, _ := strings.Cut(name, ":")
			kinds[kind] = true
		}
		for _, usage := range seal.Texts(terms, "extended_key_usages") {
			usages[usage] = true
		}
	}
	check.That(t, len(scene.Exports) == 6 && len(kinds) == 4 && len(usages) == 5,
		"%d bundles, names %v, usages %v", len(scene.Exports), kinds, usages)
}
