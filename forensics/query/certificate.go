package query

import (
	"bytes"
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// TransactionsOf returns the transactions of the bundles of a case that have a certificate, given
// as DER, as their leaf. No bundle is verified.
func TransactionsOf(ctx context.Context, c *store.Case, leaf []byte) (ids []string, err error) {
	for d, err := range c.Documents(ctx) {
		if err != nil {
			return nil, err
		}
		if d.Kind != facts.KindBundle {
			continue
		}
		b := bundle.OpenClaimed(d.Bytes).Bundle
		if b != nil && bytes.Equal(b.Leaf.Raw, leaf) && !slices.Contains(ids, b.Manifest.TransactionID) {
			ids = append(ids, b.Manifest.TransactionID)
		}
	}
	return ids, nil
}
