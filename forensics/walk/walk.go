package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// Options are the options of a walk.
type Options struct {
	Workers   int      // how many sections to judge at once; 0 means 1
	Logs      []string // ids of the logs to walk, nil for all; logs that are not walked anchor nothing
	Collected []string // ids of logs that were collected by the user's word

	// LeftOut reports that files were left out of the evidence: missing events may be in them,
	// whatever was collected by the user's word.
	LeftOut bool

	// Until returns the time up to which the anchored events of a log must be here, by the
	// user's word, in milliseconds since 1970: 0 for none. It may be nil.
	Until func(facts.Log) int64

	Since      *State         // where an earlier walk ended; nil to start at the beginning
	Signatures Signatures     // the signature cache; may be nil
	Progress   func(Progress) // receives the progress of the walk; may be nil
	Facts      func(Facts)    // receives the facts at the end; may be nil
}

// Progress is the progress of a walk. It is reported after each section, in the
// goroutine that called Run.
type Progress struct {
	LogID     string // the log that is being walked
	Sequences uint64 // walked so far, over all logs
}

// walker is one walk over all logs.
type walker struct {
	reader    Reader
	judges    *Judge
	workers   int
	section   int // events of a section
	only      []string
	collected []string
	leftOut   bool // as Options.LeftOut
	until     func(facts.Log) int64
	since     map[facts.Log]LogState
	progress  func(Progress)
	walked    uint64 // sequences, over all logs

	trust     string // digest of the trust file, hex
	said      *statements
	concluded []*conclusion // of the logs that were walked
}

// Run walks the logs of the evidence under the pinned keys of a trust file. It returns the
// result, and the state from which the next walk can start. If the context ends early, the
// result has how far the walk came and is never verified. An error means that the evidence
// could not be read; it is no statement about the evidence itself.
func Run(ctx context.Context, reader Reader, root *trust.Root, options Options) (*Result, *State, error) {
	return newWalker(reader, root, options).runSince(ctx, options)
}

// runSince walks from where an earlier walk ended, if there was one.
func (w *walker) runSince(ctx context.Context, options Options) (*Result, *State, error) {
	if err := w.takeUp(options.Since); err != nil {
		return nil, nil, err
	}
	if err := w.walkAll(ctx); err != nil {
		return nil, nil, err
	}
	s := search{w.reader, w.said, w.concluded}
	if err := s.elsewhere(context.WithoutCancel(ctx)); err != nil {
		return nil, nil, err
	}
	inventory, err := w.reader.Inventory(context.WithoutCancel(ctx))
	if err != nil {
		return nil, nil, err
	}
	if options.Facts != nil {
		options.Facts(w.walkFacts())
	}
	return w.wholeResult(inventory), w.nextState(), nil
}

func newWalker(reader Reader, root *trust.Root, options Options) *walker {
	digest := root.SHA256()
	progress := options.Progress
	if progress == nil {
		progress = func(Progress) {}
	}
	until := options.Until
	if options.LeftOut {
		options.Collected, until = nil, nil
	}
	if until == nil {
		until = func(facts.Log) int64 { return 0 }
	}
	return &walker{
		reader: reader, judges: &Judge{root, newSignatures(options.Signatures)},
		workers: max(1, options.Workers), section: sectionEvents, only: options.Logs, collected: options.Collected, until: until,
		leftOut: options.LeftOut,
		since:   map[facts.Log]LogState{}, said: newStatements(root),
		trust: form.EncodeHex(digest[:]), progress: progress,
	}
}

// walkFacts returns the observations of the walk.
func (w *walker) walkFacts() Facts {
	f := Facts{Logs: map[facts.Log]LogFacts{}, Keys: w.said.uses.allUses()}
	for _, c := range w.concluded {
		f.Logs[c.result.Log()] = c.facts
	}
	return f
}

// takeUp restores the state of an earlier walk.
func (w *walker) takeUp(s *State) error {
	if s == nil {
		return nil
	}
	if s.TrustSHA256 != w.trust {
		return fmt.Errorf(
			"the earlier walk was under another trust file: expected %s, found %s; walk again from the beginning", w.trust,
			s.TrustSHA256)
	}
	for _, l := range s.Logs {
		w.since[l.Log] = l
		w.said.anchors[l.Log] = append(w.said.anchors[l.Log], l.Pending...)
	}
	return nil
}

// walkAll walks the tenants' logs first: they anchor the journals.
func (w *walker) walkAll(ctx context.Context) error {
	lasting := context.WithoutCancel(ctx)
	if err := w.said.documents(lasting, w.reader); err != nil {
		return err
	}
	present, err := w.reader.Logs(lasting)
	if err != nil {
		return err
	}
	for _, nodes := range []func(facts.Log) bool{func(l facts.Log) bool { return !ownerIsNode(l) }, ownerIsNode} {
		for _, log := range w.dueLogs(present, nodes) {
			if err := w.walkLog(ctx, log); err != nil {
				return err
			}
		}
	}
	return nil
}

// others returns the state of the logs that were not requested: the earlier state, and the
// present reports about them, since these are not read again.
func (w *walker) others() []LogState {
	others := map[facts.Log]LogState{}
	for log := range w.said.anchors {
		others[log] = LogState{Log: log}
	}
	maps.Copy(others, w.since)
	for _, c := range w.concluded {
		delete(others, c.result.Log())
	}
	var all []LogState
	for log, s := range others {
		s.Pending = w.said.anchors[log].sortedOnce().reports()
		all = append(all, s)
	}
	return all
}

func ownerIsNode(l facts.Log) bool {
	_, ok := l.Node()
	return ok
}

// dueLogs returns the logs of one kind that are to be walked, in order: logs with events, and logs
// that are requested or anchored.
func (w *walker) dueLogs(present []facts.Log, kind func(facts.Log) bool) []facts.Log {
	all := slices.Clone(present)
	for log := range w.said.anchors {
		all = append(all, log)
	}
	for log := range w.since {
		all = append(all, log)
	}
	for _, id := range slices.Concat(w.only, w.collected) {
		if !slices.ContainsFunc(all, func(l facts.Log) bool { return l.LogID == id }) {
			all = append(all, facts.Log{LogID: id})
		}
	}
	all = slices.DeleteFunc(all, func(l facts.Log) bool {
		return !kind(l) || w.only != nil && !slices.Contains(w.only, l.LogID)
	})
	slices.SortFunc(all, facts.Log.Compare)
	return slices.Compact(all)
}

// walkLog walks one log.
func (w *walker) walkLog(ctx context.Context, log facts.Log) error {
	lasting := context.WithoutCancel(ctx)
	judge := w.judgeOf(log)
	l, err := w.beginLine(lasting, judge)
	if err != nil {
		return err
	}
	at := l.begin.Sequence
	var failed error
	err = (&pipeline{judge, w.workers, w.section}).eachSection(ctx, at, func(s *section) error {
		if failed = l.joinSection(lasting, s); failed != nil {
			return failed
		}
		w.walked += s.last - at
		at = s.last
		w.progress(Progress{log.LogID, w.walked})
		return nil
	})
	l.partial = failed == nil && ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err()))
	if err != nil && !l.partial {
		return fmt.Errorf("walk of %s: %w", log.LogID, err)
	}
	c, err := l.concludeLog(lasting)
	if err == nil {
		w.concluded = append(w.concluded, c)
	}
	return err
}

// judgeOf returns the judge of one log, as far as its anchors are known by now.
func (w *walker) judgeOf(log facts.Log) *judge {
	g := judge{Judge: w.judges, reader: w.reader}
	return g.judgeOf(log, w.said.anchors[log].sortedOnce())
}
