package verdict

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/trust"
)

// kept is a result as a case keeps it. The findings have rows of their own.
type kept struct {
	Result
	Kept     *crosscheck.Result     `json:"comparison,omitempty"`
	From     []crosscheck.Prefix    `json:"given_stores,omitempty"`
	Declared []crosscheck.Collected `json:"collected,omitempty"`
}

// Keep keeps a result in a case, with the path of the trust file and the state from which the next
// walk can start.
func (r *Result) Keep(w *store.Writer, root *trust.Root, trustPath string, state []byte) error {
	k := kept{Result: *r, Kept: r.Comparison, From: r.Given, Declared: r.Collected}
	k.Findings = []finding.Finding{}
	doc, err := json.Marshal(k)
	if err != nil {
		return err
	}
	findings := make([]store.Finding, len(r.Findings))
	for i, f := range r.Findings {
		one, err := json.Marshal(f)
		if err != nil {
			return err
		}
		findings[i] = store.Finding{Code: string(f.Code), Severity: string(f.Severity), LogID: f.LogID,
			Sequence: f.Sequence, LastSequence: f.LastSequence, JSON: one}
	}
	_, err = w.KeepWalk(store.Walk{TrustSHA256: chain.Hash(root.SHA256()), TrustPath: trustPath,
		Verdict: string(r.Verdict), Result: doc, State: state}, findings)
	return err
}

// Last returns the newest result of a case under a trust file or, for the zero
// digest, under any. It returns nil if the case's key vouches for none. Evidence
// that was added since then counts as left out.
func Last(ctx context.Context, c *store.Case, trustSHA256 chain.Hash) (*Result, error) {
	last, ok, err := c.Kept().NewestWalk(ctx)
	if trustSHA256 != (chain.Hash{}) {
		last, ok, err = c.Kept().LastWalk(ctx, trustSHA256)
	}
	if err != nil || !ok {
		return nil, err
	}
	return readResult(ctx, c, last)
}

// Through returns the newest result of a case whose walk has at most a number, and that number,
// as [Last] does.
func Through(ctx context.Context, c *store.Case, most int64) (*Result, int64, error) {
	last, ok, err := c.Kept().WalkThrough(ctx, most)
	if err != nil || !ok {
		return nil, 0, err
	}
	r, err := readResult(ctx, c, last)
	return r, last.Number, err
}

func readResult(ctx context.Context, c *store.Case, w store.Walk) (*Result, error) {
	k := &kept{}
	if err := json.Unmarshal(w.Result, k); err != nil {
		return nil, fmt.Errorf("the last walk: %w", err)
	}
	if k.Schema != Schema || k.EndsEarly == nil || k.Incidents == nil {
		return nil, nil // it is of an earlier version of this program, with other content
	}
	r := &k.Result
	r.Comparison, r.Given, r.Collected, r.Findings = k.Kept, k.From, k.Declared, []finding.Finding{}
	for row, err := range c.Kept().Findings(ctx, w.Number) {
		if err != nil {
			return nil, err
		}
		var f finding.Finding
		if err := json.Unmarshal(row.JSON, &f); err != nil {
			return nil, fmt.Errorf("a finding of the last walk: %w", err)
		}
		r.Findings = append(r.Findings, f)
	}
	return r, r.addLater(ctx, c)
}

// addLater adds the sources that came into the case after the result, which does not cover
// them: then the result is no success.
func (r *Result) addLater(ctx context.Context, c *store.Case) error {
	later, err := r.laterSources(ctx, c)
	if err != nil {
		return err
	}
	unread, err := r.laterUnread(ctx, c)
	if later = append(later, unread...); err != nil || len(later) == 0 {
		return err
	}
	slices.Sort(later)
	r.LeftOut = append([]LeftOut{{What: Later, Text: "Sources that came into the case after it was examined:",
		Items: later}}, r.LeftOut...)
	r.limit()
	return nil
}

// laterSources names the sources that the result does not list.
func (r *Result) laterSources(ctx context.Context, c *store.Case) (later []string, err error) {
	known := map[string]bool{}
	for _, s := range r.Sources {
		known[s.SHA256] = true
	}
	sources, err := c.Sources(ctx)
	for _, s := range sources {
		if !known[s.SHA256.String()] {
			later = append(later, delivery.NameOf(s))
		}
	}
	return later, err
}

// laterUnread returns the paths that could not be read and that have no finding in the result.
func (r *Result) laterUnread(ctx context.Context, c *store.Case) (later []string, err error) {
	known := map[[2]string]bool{}
	for _, f := range r.Findings {
		if len(f.Evidence) == 1 {
			known[[2]string{string(f.Code), f.Evidence[0].Source}] = true
		}
	}
	unread, err := c.Unread(ctx)
	for _, u := range unread {
		if !known[[2]string{u.Code, u.Path}] {
			later = append(later, u.Path)
		}
	}
	return later, err
}
