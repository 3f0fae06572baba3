package crosscheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestPauses plays events of a tenant log, by letters: P pauses, R resumes, Q
// requests, X is a request that expired, I issues. Suspects are "since-sequence",
// and "+" with the pause that it is counted in.
func TestPauses(t *testing.T) {
	types := map[rune]string{'P': event.IssuancePaused, 'R': event.IssuanceResumed, 'Q': event.ResumeRequested,
		'X': event.ResumeExpired, 'I': event.IssuanceCompleted}
	for played, want := range map[string]struct{ suspects, pauses string }{
		"I":          {"", ""},
		"P":          {"", "1-0"},
		"PI":         {"1-2+0", "1-0"},
		"PII":        {"1-2+0 1-3+0", "1-0"},
		"PQRI":       {"", "1-3"},
		"PQIR":       {"1-3+0", "1-4"},
		"PPI":        {"1-3+0", "1-0"},
		"PPQRI":      {"", "1-4"},
		"QR":         {"", ""},
		"R":          {"1-1", ""},
		"PR":         {"1-2", "1-2"},
		"PQXR":       {"1-4", "1-4"},
		"PQQXR":      {"", "1-5"},
		"PQRR":       {"1-4", "1-3"},
		"PQRPR":      {"1-5", "1-3 4-5"},
		"PQRPQR":     {"", "1-3 4-6"},
		"PQRPI":      {"4-5+1", "1-3 4-0"},
		"XPQR":       {"", "2-4"},
		"XXPQR":      {"", "3-5"},
		"RQR":        {"1-1", ""},
		"RPQR":       {"1-1", "2-4"},
		"RRPQR":      {"1-1 1-2", "3-5"},
		"PQRIPIQRI":  {"5-6+1", "1-3 5-8"},
		"PRPI":       {"1-2 3-4+1", "1-2 3-0"},
		"PQQRRPQRQR": {"", "1-4 6-8"},
	} {
		p := &pauses{log: facts.Log{TenantID: "acme-corp", LogID: theLog}}
		all := pausesByLog{p.log: p}
		for i, c := range played {
			s := statement{log: p.log, Event: facts.Event{Ref: facts.Ref{Log: 1}, Header: event.Header{Type: types[c]}}}
			s.Link.Sequence = uint64(i + 1)
			all.addEvent(&s)
		}
		var suspects, stretches []string
		for _, s := range p.suspects {
			said := fmt.Sprintf("%d-%d", s.since, s.Sequence)
			if s.pause >= 0 {
				said += fmt.Sprintf("+%d", s.pause)
			}
			suspects = append(suspects, said)
		}
		for _, s := range p.stretches {
			stretches = append(stretches, fmt.Sprintf("%d-%d", s.Paused, s.Resumed))
		}
		slices.Sort(suspects)
		check.Equal(t, strings.Join(suspects, " "), want.suspects, "%s: suspects", played)
		check.Equal(t, strings.Join(stretches, " "), want.pauses, "%s: pauses", played)
	}
}

// TestPausesAreTheTenantLogs: the events of a journal pause nothing.
func TestPausesAreTheTenantLogs(t *testing.T) {
	all := pausesByLog{}
	all.addEvent(&statement{log: facts.Log{TenantID: "acme-corp", LogID: berlinLog},
		Event: facts.Event{Header: event.Header{Type: event.IssuancePaused}}})
	check.That(t, len(all) == 0, "a journal pauses issuance")
}

// TestPauseFindings: a suspect is named where the log is whole from its pause up to itself,
// and not where an event is missing in between.
func TestPauseFindings(t *testing.T) {
	for name, tt := range map[string]struct {
		stretches []stretch
		want      int
	}{
		"whole":                  {[]stretch{{first: 1, last: 9}}, 1},
		"from the pause on":      {[]stretch{{first: 1, last: 1}, {first: 3, last: 5}}, 1},
		"from just above":        {[]stretch{{first: 4, last: 9}}, 0},
		"up to just below":       {[]stretch{{first: 1, last: 4}}, 0},
		"without one in between": {[]stretch{{first: 1, last: 3}, {first: 5, last: 9}}, 0},
	} {
		log := facts.Log{TenantID: "acme-corp", LogID: theLog}
		p := &pauses{log: log}
		x, all := newExam(placeless{fill(t, nil)}, nil, nil), pausesByLog{log: p}
		x.spines[log] = &spine{stretches: tt.stretches}
		for n, kind := range map[uint64]string{3: event.IssuancePaused} {
			s := statement{log: log, Event: facts.Event{Ref: facts.Ref{Log: 1}, Header: event.Header{Type: kind}}}
			s.Link.Sequence = n
			all.addEvent(&s)
		}
		issued := statement{log: log, Event: facts.Event{Ref: facts.Ref{Log: 2},
			Header: event.Header{Type: event.IssuanceCompleted}}}
		issued.Link.Sequence = 5
		all.addEvent(&issued)
		must.Do(t, all.nameSuspects(t.Context(), x))
		got := len(x.result.Findings)
		check.That(t, got == tt.want && x.result.Pauses[0].Issued == int64(tt.want),
			"%s: %d findings, %+v", name, got, x.result.Pauses)
	}
}

// TestPauseBeyondTheBounds: a pause beyond those that are kept changes none of
// them, and of the suspects exactly as many are kept as there may be.
func TestPauseBeyondTheBounds(t *testing.T) {
	p := &pauses{log: facts.Log{TenantID: "acme-corp", LogID: theLog}, stretches: make([]Pause, mostPauses),
		suspects: make([]suspect, mostSuspects-1)}
	last := Pause{Paused: 1, Resumed: 2}
	p.stretches[mostPauses-1] = last
	all := pausesByLog{p.log: p}
	for i, kind := range []string{event.IssuancePaused, event.IssuanceCompleted, event.IssuanceCompleted,
		event.ResumeRequested, event.IssuanceResumed} {
		s := statement{log: p.log, Event: facts.Event{Ref: facts.Ref{Log: 1}, Header: event.Header{Type: kind}}}
		s.Link.Sequence = uint64(i + 5)
		all.addEvent(&s)
	}
	if len(p.stretches) != mostPauses || p.stretches[mostPauses-1] != last || p.further != 1 {
		t.Errorf("%d pauses, the last %+v, and %d more", len(p.stretches), p.stretches[len(p.stretches)-1], p.further)
	}
	if len(p.suspects) != mostSuspects || p.unlisted != 1 || p.suspects[mostSuspects-1].pause != -1 {
		t.Errorf("%d suspects, the last %+v, and %d more", len(p.suspects), p.suspects[len(p.suspects)-1], p.unlisted)
	}
}

// TestEveryExaminationCounts leaves out one examination after the other. For each there is a
// scenario in which all of them report more than the others.
func TestEveryExaminationCounts(t *testing.T) {
	counted := readScenarios(t, "examinations.txtar")
	check.That(t, len(counted) == len(examinations),
		"%d cases for %d examinations", len(counted), len(examinations))
	for i, left := range examinations {
		t.Run(left.name, func(t *testing.T) {
			c, s := counted[left.name], newStage(t)
			filled := fill(t, s.play(c.steps))
			options := Options{}
			if left.name == "ends" {
				options.Collected = []Collected{{LogID: "tenant/acme-corp"}}
				options.Walked = func(facts.Log) (whole, beyond uint64) { return 0, 0 }
			}
			whole := must.Get(examineEvidence(t.Context(), filled, s.root(), options, examinations))(t)
			if got := spoken(whole); walktest.VerdictOf(whole.Findings) != c.verdict || !slices.Equal(got, c.findings) {
				t.Errorf("with all: %s %q, want %q", walktest.VerdictOf(whole.Findings), got, c.findings)
			}
			rest := slices.Delete(slices.Clone(examinations), i, i+1)
			partial := must.Get(examineEvidence(t.Context(), filled, s.root(), options, rest))(t)
			check.That(t, walktest.VerdictOf(partial.Findings) != c.verdict, "without it: %q", spoken(partial))
		})
	}
}
