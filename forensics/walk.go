package forensics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// Extent says from where a walk begins.
type Extent int

// The extents of a walk.
const (
	Whole     Extent = iota // from the beginning of every log
	SinceLast               // where the last walk under the same trust file ended; whole if there was none
)

// Options say how and what to walk.
type Options struct {
	Workers int      // how many stretches to examine at once; 0 is one
	Logs    []string // ids of the logs to walk, nil for all
	Extent  Extent
	Case    []store.Option // how the case is opened

	Remembered func(store.Standing, int64) // is told how far the case was believed, and how many signatures were not verified again
	Progress   func(Progress)              // is told how far the walk has come; nil for nobody
}

// Progress is how far a walk has come, and how many sequences it has to walk.
type Progress struct {
	walk.Progress
	Of uint64
}

// Walk walks the logs of a case under the pinned keys of a trust file, and
// keeps in the case what it found. When the context is done, the result says how
// far the walk came, and the next one can go on from there. What earlier walks
// found is used only as far as the key of the options vouches for it, and
// changes nothing but the time that a walk takes. An error means that the work
// could not be done; the result is then nil.
func Walk(ctx context.Context, path string, root *trust.Root, options Options) (_ *walk.Result, err error) {
	w, err := openExisting(path, options.Case)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	standing := w.Standing()
	w.Adopt()
	lasting := context.WithoutCancel(ctx)
	s, err := Open(lasting, w.Case)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.w = w
	since, err := lastState(lasting, w.Case, root, options.Extent)
	if err != nil {
		return nil, err
	}
	signatures := NewSignatures(w)
	run := walk.Options{Workers: options.Workers, Logs: options.Logs, Since: since, Signatures: signatures}
	if options.Progress != nil {
		of, err := s.toWalk(lasting, since, options.Logs)
		if err != nil {
			return nil, err
		}
		run.Progress = func(p walk.Progress) { options.Progress(Progress{p, of}) }
	}
	result, state, err := walk.Run(ctx, s, root, run)
	if err != nil {
		return nil, err
	}
	if options.Remembered != nil {
		options.Remembered(standing, signatures.known.Load())
	}
	return result, keep(w, root, result, state)
}

// toWalk returns how many sequences the logs have above those that were walked.
func (s *Source) toWalk(ctx context.Context, since *walk.State, only []string) (all uint64, err error) {
	walked := map[walk.Log]uint64{}
	if since != nil {
		for _, l := range since.Logs {
			walked[l.Log] = l.Sequence
		}
	}
	for log, in := range s.logs {
		if only != nil && !slices.Contains(only, log.LogID) {
			continue
		}
		last, err := s.c.Last(ctx, in)
		if err != nil {
			return 0, err
		}
		all += max(last, walked[log]) - walked[log]
	}
	return all, nil
}

// openExisting opens a case for writing, and makes none.
func openExisting(path string, options []store.Option) (*store.Writer, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return store.OpenWrite(path, options...)
}

// lastState returns where the last walk under a trust file ended, nil if the
// next one is to begin at the beginning: also if no key vouches for that walk.
func lastState(ctx context.Context, c *store.Case, root *trust.Root, extent Extent) (*walk.State, error) {
	if extent != SinceLast {
		return nil, nil
	}
	last, ok, err := c.LastWalk(ctx, chain.Hash(root.SHA256()))
	if err != nil || !ok || last.State == nil {
		return nil, err
	}
	state := &walk.State{}
	if err := json.Unmarshal(last.State, state); err != nil {
		return nil, fmt.Errorf("%w; walk again from the beginning", err)
	}
	return state, nil
}

// keep keeps a walk in the case; the findings in rows of their own.
func keep(w *store.Writer, root *trust.Root, result *walk.Result, state *walk.State) error {
	without := *result
	without.Findings = []finding.Finding{}
	doc, err := json.Marshal(without)
	if err != nil {
		return err
	}
	rest, err := json.Marshal(state)
	if err != nil {
		return err
	}
	findings := make([]store.Finding, len(result.Findings))
	for i, f := range result.Findings {
		one, err := json.Marshal(f)
		if err != nil {
			return err
		}
		findings[i] = store.Finding{Code: string(f.Code), Severity: string(f.Severity), LogID: f.LogID,
			Sequence: f.Sequence, LastSequence: f.LastSequence, JSON: one}
	}
	_, err = w.KeepWalk(store.Walk{TrustSHA256: chain.Hash(root.SHA256()), Verdict: string(result.Verdict), Result: doc, State: rest}, findings)
	return err
}
