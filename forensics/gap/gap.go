package gap

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Gap is a range of missing sequences of a log or, if Source is set, of one
// source. Before is nil at the beginning of a log, After at its end.
type Gap struct {
	TenantID   string             `json:"tenant_id"`
	LogID      string             `json:"log_id"`
	Source     string             `json:"source,omitempty"`
	First      uint64             `json:"first_sequence"`
	Last       uint64             `json:"last_sequence"`
	Count      uint64             `json:"count"`
	Before     *Neighbour         `json:"before,omitempty"`
	After      *Neighbour         `json:"after,omitempty"`
	CutBatches []string           `json:"cut_batches"` // with a neighbour here, and without some of their events
	Anchors    []string           `json:"anchors"`     // that show, by the walk, that the events existed
	Holders    []string           `json:"holders"`     // other sources that have the first or the last of them
	Unreadable []finding.Evidence `json:"unreadable"`  // spans between the neighbours

	// Known are the missing events whose hashes are known by the walk, and Transactions the
	// ones that lack a side in the log around that time, the first few of each.
	Known        []facts.KnownEvent `json:"known"`
	Transactions []OneSided         `json:"transactions"`
	Hypotheses   []Hypothesis       `json:"hypotheses"`
}

// Neighbour is an event next to a gap: the first of its copies.
type Neighbour struct {
	Sequence     uint64   `json:"sequence"`
	OccurredAt   string   `json:"occurred_at"`
	Hash         string   `json:"hash"`
	PreviousHash string   `json:"previous_hash"` // of After: the hash that the last missing event has
	Bytes        int64    `json:"bytes"`         // of its body; where copies differ, of the largest
	Batches      []string `json:"batches"`
	Sources      []string `json:"sources"`
}

// Hypothesis is a possible cause of a gap, with the facts of the case for and
// against it. Cause is a short, stable name.
type Hypothesis struct {
	Cause   string   `json:"cause"`
	Title   string   `json:"title"`
	For     []string `json:"for"`
	Against []string `json:"against"`
}

// Filter selects gaps: those that overlap with the logs, sequences and times of the filter of
// events. If Source is set, it selects the events that this source lacks and others have, in
// the logs with an event in the source.
type Filter struct {
	store.Filter
	Source int64
}

// Find yields the gaps of a case, by log and ascending. The result of a walk,
// which may be nil, shows where the logs should end. Memory does not grow with the
// number of gaps or events.
func Find(ctx context.Context, c *store.Case, result *verdict.Result, f Filter) iter.Seq2[Gap, error] {
	return evidence.Stream(func(yield func(Gap) error) error {
		in, err := Open(ctx, c, result)
		if err != nil {
			return err
		}
		logs, err := in.wantedLogs(ctx, f.LogID)
		if err != nil {
			return err
		}
		for _, log := range logs {
			if !f.Wants(log) {
				continue
			}
			for g, err := range in.Of(ctx, log, f) {
				if err == nil {
					err = yield(g)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// wantedLogs returns the logs of the case, in order. A log without events is among them
// if it is wanted, or if the walk found an anchor and something of it was given.
func (s *search) wantedLogs(ctx context.Context, wanted string) ([]facts.Log, error) {
	all, err := s.c.Logs(ctx)
	here := map[facts.Log]bool{}
	for _, l := range all {
		here[l] = true
	}
	for l, t := range s.tails {
		if !here[l] && t.missing > 0 && (t.given || l.LogID == wanted) {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b facts.Log) int {
		return cmp.Or(strings.Compare(a.TenantID, b.TenantID), strings.Compare(a.LogID, b.LogID))
	})
	return all, err
}

// Search finds the gaps of a case, log by log.
type Search struct{ search }

// Of yields the gaps of a log, ascending. It ignores the filter's logs.
func (s *Search) Of(ctx context.Context, log facts.Log, f Filter) iter.Seq2[Gap, error] {
	of := s.search
	of.filter = f
	return evidence.Stream(func(yield func(Gap) error) error {
		for hole, err := range of.holesOf(ctx, log) {
			if err != nil {
				return err
			}
			g, wanted, err := of.gapAt(ctx, log, hole)
			if err == nil && wanted {
				err = yield(g)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// search holds precomputed case data.
type search struct {
	c       *store.Case
	filter  Filter
	sources map[int64]facts.Source
	formats map[box]string // of the containers
	tails   map[facts.Log]tail
	sides   func(context.Context) (map[facts.Log][]sideOf, error) // read on first use
}

// box is a source, or a file in its archives.
type box struct {
	source int64
	path   string
}

// tail is the walk's result on the upper end of a log.
type tail struct {
	missing  uint64             // up to this event, by an anchor above the end, 0 for none
	beyond   string             // the anchor that shows it
	anchored uint64             // the highest sequence at which an anchor fits
	end      uint64             // the last event of the log, 0 without a walk
	strays   []evidence.Stretch // events above it for which no one vouches, ascending
	known    []facts.KnownEvent
	given    bool // the log has no event, and something was given of it
}

// Open prepares a search. The result is of the walk whose anchors count, nil if the case was
// not walked.
func Open(ctx context.Context, c *store.Case, result *verdict.Result) (*Search, error) {
	s := &Search{search{c: c, sources: map[int64]facts.Source{}, formats: map[box]string{},
		tails: map[facts.Log]tail{}}}
	sources, err := c.Sources(ctx)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		s.sources[source.Number] = source
	}
	containers, err := c.Containers(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range containers {
		s.formats[box{one.Source, one.Path}] = one.Format
	}
	var lacking map[facts.Log][]sideOf
	s.sides = func(ctx context.Context) (_ map[facts.Log][]sideOf, err error) {
		if lacking == nil {
			lacking, err = s.readSides(ctx)
		}
		return lacking, err
	}
	if result != nil {
		for _, l := range result.Logs {
			s.tails[l.Log()] = tailOf(l)
		}
	}
	return s, nil
}

// tailOf reads a tail out of a log's result.
func tailOf(l walk.LogResult) tail {
	t := tail{anchored: l.AnchoredSequence, end: l.LastSequence, known: l.Known, given: l.Collected != "" &&
		l.Collected != walk.NotCollected}
	if l.Fitting != nil {
		t.anchored = max(t.anchored, l.Fitting.Sequence)
	}
	if l.Beyond != nil {
		t.missing = l.Beyond.Sequence
		t.beyond = fmt.Sprintf("event %d, %s, by %s", l.Beyond.Sequence, l.Beyond.Hash, l.Beyond.Name)
	}
	for _, r := range l.Strays {
		t.strays = append(t.strays, evidence.Stretch(r))
	}
	return t
}
