package forensics

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Last returns what the newest walk of a case said, with its findings: that
// under a trust file, or, for the zero digest, under any. It is nil if there was
// none.
func Last(ctx context.Context, c *store.Case, trustSHA256 chain.Hash) (*walk.Result, error) {
	last, ok, err := c.NewestWalk(ctx)
	if trustSHA256 != (chain.Hash{}) {
		last, ok, err = c.LastWalk(ctx, trustSHA256)
	}
	if err != nil || !ok {
		return nil, err
	}
	r := &walk.Result{}
	if err := json.Unmarshal(last.Result, r); err != nil {
		return nil, fmt.Errorf("the last walk: %w", err)
	}
	r.Findings = []finding.Finding{}
	for row, err := range c.Findings(ctx, last.Number) {
		if err != nil {
			return nil, err
		}
		var f finding.Finding
		if err := json.Unmarshal(row.JSON, &f); err != nil {
			return nil, fmt.Errorf("a finding of the last walk: %w", err)
		}
		r.Findings = append(r.Findings, f)
	}
	return r, nil
}
