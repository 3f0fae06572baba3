package examine

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/trust"
)

// compareSources compares the sources of a case with each other, and keeps the result in
// the case. If it was kept before, of the very same evidence, under the same
// trust file, options and rules, and if the user's key vouches for it, it is
// returned as it was, unless it is to be made anew: kept is then true.
func compareSources(ctx context.Context, w *store.Writer, r evidence.Reader, root *trust.Root,
	options crosscheck.Options,
	anew bool) (_ *crosscheck.Result, kept bool, err error) {
	pass, err := comparisonPass(root, options)
	if err != nil {
		return nil, false, err
	}
	doc, kept, err := w.Kept().Pass(ctx, pass)
	if err != nil {
		return nil, false, err
	}
	if kept && !anew {
		result := &crosscheck.Result{}
		if err := json.Unmarshal(doc, result); err != nil {
			return nil, false, fmt.Errorf("the comparison that the case keeps: %w", err)
		}
		return result, true, nil
	}
	result, err := crosscheck.Run(ctx, r, root, options)
	if err != nil {
		return nil, false, err
	}
	if doc, err = json.Marshal(result); err != nil {
		return nil, false, err
	}
	if err := w.Keep(pass, doc); err != nil {
		return nil, false, err
	}
	return result, false, w.Commit()
}

// comparisonPass is the pass whose result a case keeps: one for each trust file.
func comparisonPass(root *trust.Root, options crosscheck.Options) (store.Pass, error) {
	given := struct {
		Rules    int
		Trust    string
		Stores   []crosscheck.Prefix
		Logs     []crosscheck.Collected
		Evidence [][2]string // name and digest
	}{Rules: crosscheck.Rules, Trust: chain.Hash(root.SHA256()).String(), Stores: options.Stores, Logs: options.Collected}
	for _, e := range options.Evidence {
		given.Evidence = append(given.Evidence, [2]string{e.Name, chain.Hash(sha256.Sum256(e.Bytes)).String()})
	}
	doc, err := json.Marshal(given)
	return store.Pass{Name: "comparison under " + given.Trust, About: sha256.Sum256(doc)}, err
}
