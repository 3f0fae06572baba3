package query

import (
	"context"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// sourceNames returns the names of the sources by number.
func sourceNames(ctx context.Context, c *store.Case) (map[int64]string, error) {
	all, err := c.Sources(ctx)
	names := map[int64]string{}
	for _, s := range all {
		names[s.Number] = delivery.NameOf(s)
	}
	return names, err
}

func evidenceOf(names map[int64]string, p facts.Place) finding.Evidence {
	return finding.Evidence{Source: names[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
}
