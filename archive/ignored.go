package archive

import (
	"github.com/svc-edge/svc-verify/archive/ledger"
)

// choosePatterns uses the patterns of the newest run, unless the caller gives others. The patterns of another
// user's ledger do not count.
func (c *check) choosePatterns() error {
	newest, err := c.ledger.Ignored()
	if err != nil || newest == nil || c.o.Ignore != nil {
		return err
	}
	if c.writes || c.result.expected {
		c.o.Ignore = newest.Patterns
	} else {
		c.result.disbelieved = *newest
	}
	return nil
}

// leavesLedger reports whether the patterns cover an object that the ledger has. Evidence stays in it: to let it go,
// the owner removes it and accepts that it is missing.
func (p *planner) leavesLedger(pair *ledger.Pair[*ledger.Object]) bool {
	if !pair.Known || !p.plan.ignored.Covers(pair.Path) {
		return false
	}
	if pair.Row.Judgement.Verdict != "" || pair.Row.Found.Judgement.Verdict != "" {
		p.plan.kept.Count(pair.Path)
		return false
	}
	if pair.There {
		p.plan.ignored.Count(pair.Path)
	}
	return true
}

// settleIgnored lets an object leave the ledger that the patterns cover.
func (c *check) settleIgnored(index uint32, it *item) error {
	row, err := c.row(it.path)
	if err != nil {
		return err
	}
	b := became{class: Classify(Observed{Known: true, Ignored: true})}
	return c.concludeObject(index, &ledger.Object{Path: it.path}, row, &b)
}
