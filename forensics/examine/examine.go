package examine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// Extent defines where a walk begins.
type Extent int

// The extents of a walk.
const (
	Whole     Extent = iota // from the beginning of every log
	SinceLast               // where the last walk under the same trust file ended; whole if there was none
)

// Options say how and what to examine.
type Options struct {
	Workers    int                    // how many stretches to examine at once; 0 is one
	Logs       []string               // ids of the logs to walk, nil for all
	Collected  []crosscheck.Collected // collected by the user's word
	Extent     Extent                 // of the walk
	NoCompare  bool                   // leaves the comparison out
	Stores     []crosscheck.Prefix    // that are compared; nil for the ones of the last examination, or else to find them
	FindStores bool                   // finds the stores, whatever the last examination compared
	Strict     bool                   // lets listed parts leave the verdict open (SPEC 13.1)
	Case       []store.Option         // how the case is opened
	TrustPath  string                 // absolute path of the trust file, which the case remembers; "" if unknown

	// is called with how far the case was believed, and the number of signatures that were not
	// verified again
	Remembered func(store.Standing, int64)
	Progress   func(Progress) // is called with how far the walk has come; may be nil
	Kept       func()         // called when a cached comparison is reused; may be nil
}

// Progress is how far a walk has come, and how many sequences it has to walk.
type Progress struct {
	walk.Progress
	Of uint64
}

// Examine walks the logs of a case under the pinned keys of a trust file, compares its sources
// with each other, and keeps the results in the case. The comparison is made after a whole
// walk only. When the context is done, the result lists the parts that were left out, and the
// next walk can continue from there. Results of earlier walks are used only as far as the key
// of the options vouches for them, and save nothing but time. An error means that the work
// could not be done; the result is then nil.
func Examine(ctx context.Context, path string, root *trust.Root, options Options) (_ *verdict.Result, err error) {
	w, err := openExisting(path, options.Case)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	signatures := NewSignatures(w)
	c, err := w.Case(context.WithoutCancel(ctx), store.Judging{Judge: walk.RememberingJudge(root, signatures),
		Workers: options.Workers})
	if err != nil {
		return nil, err
	}
	x := &examination{r: c, w: w, c: c, signatures: signatures, root: root, options: options, standing: w.Standing()}
	w.Adopt()
	result, state, err := x.runExamination(ctx)
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return result, result.Keep(w, root, options.TrustPath, rest)
}

// Of does the same with any evidence, and keeps nothing: the options about cases have
// no effect. The same evidence gives the same result as in a case, but for the sources
// that had to be read again and could not: they are left out, and the rest is the same.
func Of(ctx context.Context, r evidence.Reader, root *trust.Root, options Options) (*verdict.Result, error) {
	in := newReach(r)
	x := &examination{r: in, root: root, options: options}
	result, _, err := x.runExamination(ctx)
	if err == nil {
		in.listUnreached(result)
	}
	return result, err
}

// examination is one examination of evidence.
type examination struct {
	verdict.Examined
	r evidence.Reader
	w *store.Writer // that keeps the results; nil if the evidence is in no case
	c *store.Case   // r, if it is one

	signatures *Signatures // that w remembers; nil without it
	root       *trust.Root
	options    Options
	standing   store.Standing
	names      []facts.Unread // that were left out
}

func (x *examination) runExamination(ctx context.Context) (*verdict.Result, *walk.State, error) {
	x.Root, x.Collected = x.root, x.options.Collected
	if err := x.stores(ctx); err != nil {
		return nil, nil, err
	}
	state, err := x.walkLogs(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := x.compareEvidence(ctx); err != nil {
		return nil, nil, err
	}
	x.leaveNames()
	result := verdict.Make(x.Examined)
	result.Incidents, err = incident.Find(context.WithoutCancel(ctx), incident.Facts{Reader: x.r, Logs: result.Logs,
		Saw: x.Saw, Compared: x.Comparison, Causes: result.Causes, Findings: result.Findings})
	return result, state, err
}

// stores returns the stores that were compared last, if no others are given.
func (x *examination) stores(ctx context.Context) error {
	x.Given = x.options.Stores
	if len(x.Given) > 0 || x.options.FindStores || x.w == nil {
		return nil
	}
	last, err := verdict.Last(context.WithoutCancel(ctx), x.c, chain.Hash{})
	if last != nil {
		x.Given = last.Given
	}
	return err
}

// walkLogs walks the logs.
func (x *examination) walkLogs(ctx context.Context) (*walk.State, error) {
	lasting := context.WithoutCancel(ctx)
	s, err := newReader(lasting, x.r, nil)
	if err != nil {
		return nil, err
	}
	s.strict = x.options.Strict
	x.names = s.leftOut
	run := walk.Options{Workers: x.options.Workers, Logs: x.options.Logs,
		Collected: crosscheck.CollectedLogs(x.Collected), LeftOut: len(x.names) > 0,
		Until: func(l facts.Log) int64 { return crosscheck.CollectedUntil(x.Collected, l) },
		Facts: func(saw walk.Facts) { x.Saw = saw }}
	if x.w != nil {
		s.memory, run.Signatures = memory{x.w}, x.signatures
		if run.Since, err = lastState(lasting, x.c, x.root, x.options.Extent); err != nil {
			return nil, err
		}
	}
	if x.options.Progress != nil {
		of, err := s.toWalk(lasting, run.Since, x.options.Logs)
		if err != nil {
			return nil, err
		}
		run.Progress = func(p walk.Progress) { x.options.Progress(Progress{p, of}) }
	}
	result, state, err := walk.Run(ctx, s, x.root, run)
	if err != nil {
		return nil, err
	}
	x.Walk = result
	if x.w != nil && x.options.Remembered != nil {
		x.options.Remembered(x.standing, x.signatures.known.Load())
	}
	x.leaveOut(ctx, s)
	return state, nil
}

// leaveOut lists the parts that the walk did not reach.
func (x *examination) leaveOut(ctx context.Context, s *reader) {
	var others, earlier []string
	for _, log := range s.logs {
		if x.options.Logs != nil && !slices.Contains(x.options.Logs, log.LogID) {
			others = append(others, log.LogID)
		}
	}
	for _, l := range x.Walk.Logs {
		if l.SinceSequence > 0 {
			earlier = append(earlier, fmt.Sprintf("%s up to event %d", l.LogID, l.SinceSequence))
		}
	}
	x.left(verdict.Logs, "Logs that were not requested, so that they anchor nothing either:", others)
	x.left(verdict.Earlier, "Events that an earlier walk had verified, and this one did not read again:", earlier)
	if ctx.Err() != nil {
		x.LeftOut = append(x.LeftOut, verdict.LeftOut{What: verdict.Rest,
			Text: "The rest of the walk, which was stopped before its end.", Items: []string{}})
	}
}

// leaveNames lists first the files that the user left out by name.
func (x *examination) leaveNames() {
	left := verdict.LeftOut{What: verdict.Names, Text: "What --only left out:"}
	for _, u := range x.names {
		left.Items = append(left.Items, u.Path+": "+u.Detail)
	}
	if len(left.Items) > 0 {
		x.LeftOut = slices.Insert(x.LeftOut, 0, left)
	}
}

// left adds omitted parts, if there are any.
func (x *examination) left(what verdict.What, text string, items []string) {
	if len(items) > 0 {
		slices.Sort(items)
		x.LeftOut = append(x.LeftOut, verdict.LeftOut{What: what, Text: text, Items: items})
	}
}

// compareEvidence compares the sources with each other, after a whole walk.
func (x *examination) compareEvidence(ctx context.Context) error {
	left := verdict.LeftOut{What: verdict.Comparison, Items: []string{}}
	reason := ""
	switch {
	case x.options.NoCompare:
		reason = "it was not requested."
	case len(x.LeftOut) > 0:
		reason = "the walk was not whole."
	default:
		options := crosscheck.Options{Stores: x.Given, Walked: x.walked(), Sound: x.Saw.IsSound}
		if len(x.names) == 0 {
			options.Collected = x.Collected
		}
		c, kept, err := x.comparison(ctx, options)
		switch {
		case err == nil:
			if x.Comparison = c; kept && x.options.Kept != nil {
				x.options.Kept()
			}
			return nil
		case ctx.Err() == nil:
			return err
		default:
			reason = "there was no time left."
		}
	}
	left.Text = "The comparison of the pieces of evidence with each other: " + reason
	x.LeftOut = append(x.LeftOut, left)
	return nil
}

// walked returns for the comparison how far each log is whole, and the anchors above its end.
func (x *examination) walked() func(facts.Log) (whole, beyond uint64) {
	above := map[facts.Log]uint64{}
	for _, l := range x.Walk.Logs {
		if l.Beyond != nil {
			above[l.Log()] = l.Beyond.Sequence
		}
	}
	return func(log facts.Log) (whole, beyond uint64) { return x.Saw.Logs[log].Whole, above[log] }
}

// comparison compares the sources with each other, or returns the comparison that a case kept.
func (x *examination) comparison(ctx context.Context, options crosscheck.Options) (_ *crosscheck.Result, kept bool,
	err error) {
	if x.w != nil {
		return compareSources(ctx, x.w, x.r, x.root, options, delivery.AnyChanged(x.Walk.Findings))
	}
	result, err := crosscheck.Run(ctx, x.r, x.root, options)
	return result, false, err
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
	last, ok, err := c.Kept().LastWalk(ctx, chain.Hash(root.SHA256()))
	if err != nil || !ok || last.State == nil {
		return nil, err
	}
	state := &walk.State{}
	if err := json.Unmarshal(last.State, state); err != nil {
		return nil, fmt.Errorf("%w; walk again from the beginning", err)
	}
	return state, nil
}

// toWalk returns how many sequences the logs have above those that were walked.
func (s *reader) toWalk(ctx context.Context, since *walk.State, only []string) (all uint64, err error) {
	walked := map[facts.Log]uint64{}
	if since != nil {
		for _, l := range since.Logs {
			walked[l.Log] = l.Sequence
		}
	}
	for _, log := range s.logs {
		if only != nil && !slices.Contains(only, log.LogID) {
			continue
		}
		last, err := s.r.Last(ctx, log)
		if err != nil {
			return 0, err
		}
		all += max(last, walked[log]) - walked[log]
	}
	return all, nil
}
