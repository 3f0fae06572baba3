package pairs

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// File is the contradiction file of a pair that claims a code, SPEC 14.4.
func (p Pair) File(code string) []byte {
	parts := []seal.Object{part(p.A), part(p.B)}
	slices.SortFunc(parts, func(a, b seal.Object) int {
		return strings.Compare(seal.Text(a, "sha256"), seal.Text(b, "sha256"))
	})
	return seal.Line(seal.Object{
		"protocol": "svc.contradiction.v1",
		"code":     code,
		"bundles":  seal.Objects(parts),
	})
}

func part(doc []byte) seal.Object {
	sum := sha256.Sum256(doc)
	return seal.Object{"document": seal.Base64(doc), "sha256": hex.EncodeToString(sum[:])}
}
