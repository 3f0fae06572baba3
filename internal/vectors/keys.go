package vectors

import (
	"encoding/base64"
	"fmt"
	"strings"

	"filippo.io/edwards25519"
)

// NodeKeys returns the nodes of a trust file with n node keys, as JSON: each node
// has so many generations, and names are as long as they can be. The keys are
// multiples of the base point, so that many are made fast; anyone can sign with
// them.
func NodeKeys(n, generations int) string {
	var b strings.Builder
	point := edwards25519.NewGeneratorPoint()
	for i := range n {
		name := fmt.Sprintf("%0100d", i/generations)
		if g := i % generations; g > 0 {
			name += fmt.Sprintf("/9%015d", g)
		}
		point.Add(point, edwards25519.NewGeneratorPoint())
		fmt.Fprintf(&b, `,"%s":"%s"`, name, base64.RawURLEncoding.EncodeToString(point.Bytes()))
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}
