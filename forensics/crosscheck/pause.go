package crosscheck

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// pauses follows how issuance was paused and resumed in one tenant log
// (SPEC 4.4).
//
// A pause while issuance is paused changes nothing, and neither does a resumption while it is
// not, but it needs a request as well. Each request opens one chance to resume, which an
// expiry or a resumption closes.
type pauses struct {
	log       facts.Log
	paused    facts.Event // since when; its Ref is 0 if it is not
	requests  int         // open ones
	suspects  []suspect
	unlisted  int64 // suspects beyond the bound
	stretches []Pause
	further   int64 // pauses beyond the bound: they count for nothing but their number
}

// suspect is something that is a finding if the log is whole from since on.
type suspect struct {
	finding.Finding
	since uint64
	refs  []facts.Ref
	pause int // the pause in stretches that it is counted in; -1: none
}

// mostSuspects and mostPauses bound the memory for one log.
const (
	mostSuspects = 4096
	mostPauses   = 4096
)

// pausesByLog are the pauses of each tenant log.
type pausesByLog map[facts.Log]*pauses

// addEvent adds one event that bears on pauses.
func (all pausesByLog) addEvent(s *statement) {
	if !s.log.IsTenant() {
		return
	}
	p := all[s.log]
	if p == nil {
		p = &pauses{log: s.log}
		all[s.log] = p
	}
	switch s.Type {
	case event.IssuancePaused:
		p.addPause(s)
	case event.IssuanceResumed:
		p.resume(s)
	case event.ResumeRequested:
		p.requests++
	case event.ResumeExpired:
		p.requests = max(0, p.requests-1)
	case event.IssuanceCompleted:
		p.addIssuance(s)
	}
}

func (p *pauses) addPause(s *statement) {
	if !p.paused.Ref.IsZero() {
		return
	}
	p.paused = s.Event
	if len(p.stretches) >= mostPauses {
		p.further++
		return
	}
	p.stretches = append(p.stretches, Pause{TenantID: p.log.TenantID, LogID: p.log.LogID, Paused: s.Link.Sequence})
}

func (p *pauses) resume(s *statement) {
	if p.requests == 0 {
		p.suspect(suspect{since: 1, refs: []facts.Ref{s.Ref}, pause: -1,
			Finding: finding.Finding{Code: finding.ResumeWithoutRequest,
				Sequence: s.Link.Sequence, LastSequence: s.Link.Sequence,
				Expected: "an open " + event.ResumeRequested + " before it", Found: "none"}})
	}
	p.requests = max(0, p.requests-1)
	if i := p.current(); i >= 0 {
		p.stretches[i].Resumed = s.Link.Sequence
	}
	p.paused = facts.Event{}
}

func (p *pauses) addIssuance(s *statement) {
	if p.paused.Ref.IsZero() {
		return
	}
	since := p.paused.Link.Sequence
	p.suspect(suspect{since: since, refs: []facts.Ref{s.Ref, p.paused.Ref}, pause: p.current(),
		Finding: finding.Finding{Code: finding.IssuedWhilePaused,
			Sequence: s.Link.Sequence, LastSequence: s.Link.Sequence, Found: "the issuance of " + s.TransactionID,
			Expected: fmt.Sprintf("no issuance after the pause at %d before it is resumed", since)}})
}

// current is the pause that is on, -1 if it is none that is kept.
func (p *pauses) current() int {
	if i := len(p.stretches) - 1; i >= 0 && !p.paused.Ref.IsZero() && p.stretches[i].Paused == p.paused.Link.Sequence {
		return i
	}
	return -1
}

func (p *pauses) suspect(s suspect) {
	if len(p.suspects) >= mostSuspects {
		p.unlisted++
		return
	}
	p.suspects = append(p.suspects, s)
}

// nameSuspects names the suspects that nothing missing can explain: where an
// event is not there, or not genuine, it may have been the one that was lacking.
func (all pausesByLog) nameSuspects(ctx context.Context, x *exam) error {
	for _, log := range sortedLogs(all) {
		p, spine := all[log], x.spines[log]
		for _, s := range p.suspects {
			if !spine.isWhole(s.since, s.Sequence) {
				continue
			}
			s.TenantID, s.LogID = log.TenantID, log.LogID
			if err := x.addFinding(ctx, s.Finding, s.refs...); err != nil {
				return err
			}
			if s.pause >= 0 {
				p.stretches[s.pause].Issued++
			}
		}
		x.limit(log, fmt.Sprintf("at most %d events at odds with a pause", mostSuspects), p.unlisted)
		x.compared += int64(len(p.stretches)) + p.further
		x.result.FurtherPauses += p.further
		x.result.Pauses = append(x.result.Pauses, p.stretches...)
	}
	return nil
}

// limit reports that a log has more of something than is kept.
func (x *exam) limit(log facts.Log, most string, more int64) {
	if more > 0 {
		f := finding.Finding{Code: finding.LimitReached, TenantID: log.TenantID, LogID: log.LogID, Expected: most,
			Found: fmt.Sprintf("%d more", more)}
		x.result.Findings = append(x.result.Findings, f.Complete())
	}
}
