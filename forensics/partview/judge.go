package partview

import (
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// judgedSeries remembers the series that were judged: later passes do not judge them again.
type judgedSeries struct {
	mu   sync.Mutex
	held map[seriesName]bool
}

// seriesName names a series of a content.
type seriesName struct {
	log         facts.Log
	first, last uint64
	hash        chain.Hash // of the last event
}

// judging is who judges the series of a log.
func (v *View) judging(log facts.Log) part.Judging {
	if v.options.Judge == nil {
		return part.Judging{}
	}
	return part.Judging{Workers: max(1, v.options.Workers), Judge: func(s *part.Series) error { return v.holdAll(log, s) }}
}

// holdAll finds out whether all signatures of a series hold.
func (v *View) holdAll(log facts.Log, s *part.Series) error {
	name := seriesName{log, s.First, s.Last, s.Hash(s.Last)}
	v.judged.mu.Lock()
	held, known := v.judged.held[name]
	v.judged.mu.Unlock()
	if !known {
		var err error
		held, err = v.options.Judge.Holds(walk.Signed{Log: log, KeyID: s.KeyID, Count: int(s.Last - s.First + 1),
			Hash:      func(i int) chain.Hash { return s.Hash(s.First + uint64(i)) },
			Signature: func(i int) *[event.SignatureSize]byte { return s.Signature(s.First + uint64(i)) }})
		if err != nil {
			return err
		}
		v.judged.mu.Lock()
		if v.judged.held == nil {
			v.judged.held = map[seriesName]bool{}
		}
		v.judged.held[name] = held
		v.judged.mu.Unlock()
	}
	s.Held = held
	return nil
}
