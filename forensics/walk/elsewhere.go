package walk

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// mostLookups bounds the events that are looked up in other logs.
const mostLookups = 20_000

// search looks in other logs for the hashes that logs contain, once all were walked.
type search struct {
	reader Reader
	said   *statements
	walked []*conclusion
}

// elsewhere looks for the hashes that are written in the events of each log, and
// that their content does not give, in all other logs and their anchors.
func (s *search) elsewhere(ctx context.Context) error {
	lookups := 0
	for _, c := range s.walked {
		for _, other := range s.orderedLogs() {
			if len(c.misfits) == 0 || other == c.result.Log() {
				continue
			}
			if lookups += mostMisfits; lookups > mostLookups {
				return nil
			}
			e, err := s.sameHashes(ctx, c, other)
			if err != nil {
				return err
			}
			if best := c.facts.Elsewhere; e.Same > 0 && (best == nil || e.Same > best.Same) {
				c.facts.Elsewhere = &e
			}
		}
	}
	return nil
}

// orderedLogs returns the logs that were walked or are anchored, in order.
func (s *search) orderedLogs() []facts.Log {
	var all []facts.Log
	for _, c := range s.walked {
		all = append(all, c.result.Log())
	}
	for log := range s.said.anchors {
		all = append(all, log)
	}
	slices.SortFunc(all, facts.Log.Compare)
	return slices.Compact(all)
}

// sameHashes compares the misfits of a log with another log: with its events, or,
// where it has none, the anchors of that log with the events of the first one.
func (s *search) sameHashes(ctx context.Context, c *conclusion, other facts.Log) (Elsewhere, error) {
	e := Elsewhere{Log: other}
	look := func(in facts.Log, at chain.Anchor) error {
		there, same, err := s.records(ctx, in, at)
		if there {
			e.Looked++
		}
		if same {
			e.Same++
		}
		return err
	}
	for _, m := range c.misfits {
		if err := look(other, m); err != nil {
			return e, err
		}
	}
	if e.Looked > 0 {
		return e, nil
	}
	claims := s.said.anchors[other].sortedOnce()
	for _, x := range claims[:min(len(claims), mostMisfits)] {
		if err := look(c.result.Log(), chain.Anchor{Sequence: x.Sequence, Hash: x.Hash}); err != nil {
			return e, err
		}
	}
	return e, nil
}

// records reports whether there is an event of a sequence, and whether a hash is
// written in one of its copies.
func (s *search) records(ctx context.Context, log facts.Log, at chain.Anchor) (there, same bool, err error) {
	copies := 0
	for e, err := range s.reader.Events(ctx, log, at.Sequence-1) {
		if err != nil {
			return there, false, err
		}
		if copies++; e.Sequence != at.Sequence || copies > mostCopies {
			break
		}
		there = true
		if e.Recorded == at.Hash {
			return true, true, nil
		}
	}
	return there, false, nil
}
