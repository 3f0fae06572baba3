package conclude

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/trust"
)

// Options say how parts are concluded from.
type Options struct {
	Examine examine.Options // those about cases have no effect
	Plan    *plan.Plan      // that the parts were made by; nil if that is not known
	Digest  chain.Hash      // of the plan
	Proven  bool            // the parts were found to hold under the user's key
}

// Other is the error for parts that were made under other conditions than they are
// concluded from.
type Other struct{ What, Expected, Found string }

func (e *Other) Error() string {
	return fmt.Sprintf("the parts were made under another %s: expected %s, found %s", e.What, e.Expected, e.Found)
}

// Conclude returns the verdict on the content of parts, as [examine.Of] does.
func Conclude(ctx context.Context, c part.Content, root *trust.Root, o Options) (*verdict.Result, error) {
	header := c.Header()
	if err := checkHeader(header, root, o); err != nil {
		return nil, err
	}
	read, err := ingest.HowOf(header.Read)
	if err != nil {
		return nil, err
	}
	var lost []Missing
	if o.Plan != nil {
		if lost, err = missingShares(o.Plan, c); err != nil {
			return nil, err
		}
	}
	view, err := partview.New(ctx, c, partview.Options{Read: read, Again: ingest.Again})
	if err != nil {
		return nil, err
	}
	result, err := examine.Of(ctx, view, root, o.Examine)
	if err != nil {
		return nil, err
	}
	reportMissing(result, lost)
	result.Assumed = append(result.Assumed, assumptionsOf(o)...)
	return result, nil
}

// checkHeader returns an error unless parts were made under the rules of this program, and
// under the trust file and the plan of the caller.
func checkHeader(h part.Header, root *trust.Root, o Options) error {
	trusted := chain.Hash(root.SHA256())
	switch {
	case h.Rules != share.Rules:
		return &Other{"version of the rules", share.Rules, h.Rules}
	case h.TrustSHA256 != trusted:
		return &Other{"trust file", trusted.String(), h.TrustSHA256.String()}
	case o.Plan != nil && h.Plan == chain.Hash{}:
		return &Other{"plan", o.Digest.String(), "none"}
	case o.Plan != nil && h.Plan != o.Digest:
		return &Other{"plan", o.Digest.String(), h.Plan.String()}
	}
	return nil
}

// assumptionsOf returns the assumptions.
func assumptionsOf(o Options) (all []verdict.Assumption) {
	if !o.Proven {
		all = append(all, verdict.Assumption{What: verdict.Parts,
			Text: "The parts are believed as they are given: no part key shows who made them."})
	}
	if o.Plan == nil {
		all = append(all, verdict.Assumption{What: verdict.Input,
			Text: "Whether the parts are all of the evidence was not examined: no plan was given."})
	}
	return all
}

// reportMissing reports which shares are missing.
func reportMissing(r *verdict.Result, lost []Missing) {
	if len(lost) == 0 {
		return
	}
	left := verdict.LeftOut{What: verdict.Shares, Text: "Shares of the plan without a part:"}
	for i := range lost {
		left.Items = append(left.Items, lost[i].Text()...)
	}
	r.Leave(left)
}
