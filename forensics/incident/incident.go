// Package incident groups the findings of a case into incidents.
//
// An incident is one attack or fault. It answers the first questions of a responder: what
// happened, when, where, who can have done it, and which transactions are affected. Incidents
// are made of values only: findings, their causes, and the results and facts of the
// examinations. They change no verdict.
package incident

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Incident is one attack or fault, with all findings that follow from it.
type Incident struct {
	// Name is the kind and some hexadecimal digits of a digest over the code, the subject and
	// the range. It does not change while these stay, so that others can refer to it.
	Name     string           `json:"name"`
	Kind     Kind             `json:"kind"`
	Severity finding.Severity `json:"severity"`
	Effect   finding.Effect   `json:"effect"`
	Code     finding.Code     `json:"code"`            // of the gravest finding
	Cause    finding.Code     `json:"cause,omitempty"` // that explains the findings
	Summary  string           `json:"summary"`
	Ranges   []Range          `json:"ranges"` // of events, the gravest first; the first [MostRanges]
	More     int              `json:"more_ranges,omitempty"`
	Store    string           `json:"store,omitempty"` // that is blamed

	When         When              `json:"when"`
	Sides        []Side            `json:"sides"`
	Candidates   []cause.Candidate `json:"candidates"`
	Transactions Transactions      `json:"transactions"`

	document string // that it is about, if it is about no events

	Findings []int  `json:"findings"` // their places in the list that was given to Find
	Next     string `json:"next"`

	Notes []custody.Entry `json:"notes,omitempty"` // that people made, see [AddNotes]
}

// Explained reports whether the incident is explained by a note.
func (i *Incident) Explained() bool {
	return slices.ContainsFunc(i.Notes, func(e custody.Entry) bool { return e.Note.Explained })
}

// AddNotes adds people's notes to incidents, which changes nothing else.
func AddNotes(all []Incident, j *custody.Journal) {
	for i := range all {
		all[i].Notes = j.Notes(custody.Subject{Kind: custody.OfIncident, Name: all[i].Name})
	}
}

// Range is events of one log, from the first to the last.
type Range struct {
	TenantID string `json:"tenant_id"`
	LogID    string `json:"log_id"`
	First    uint64 `json:"first_sequence"`
	Last     uint64 `json:"last_sequence"`
}

// Log is the log of the events.
func (r Range) Log() facts.Log { return facts.Log{TenantID: r.TenantID, LogID: r.LogID} }

// String names the log and the events, safe to show.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("%s %d", safetext.Quote(r.LogID), r.First)
	}
	return fmt.Sprintf("%s %d to %d", safetext.Quote(r.LogID), r.First, r.Last)
}

// When bounds the time of an incident. After is the last event before it that others
// vouch for, nil if there is none. ClaimedFirst and ClaimedLast are the earliest and the
// latest time in the copies of the first and the last event: the log's own clock, which
// its owner sets. Each is "" if unknown.
type When struct {
	After        *Bound `json:"after,omitempty"`
	ClaimedFirst string `json:"claimed_first,omitempty"`
	ClaimedLast  string `json:"claimed_last,omitempty"`
}

// Bound is an event that others vouch for, and when they did.
type Bound struct {
	Sequence uint64           `json:"sequence"`
	At       string           `json:"at"`
	By       facts.AnchorKind `json:"by"`
}

// Side is where one state or history of the events is. Label is A or B for the branches of a
// fork, and "" for others.
type Side struct {
	Label   string             `json:"label,omitempty"`
	State   crosscheck.State   `json:"state,omitempty"`
	Events  uint64             `json:"events,omitempty"`   // of a branch
	NamedBy []facts.AnchorKind `json:"named_by,omitempty"` // statements of others that name the branch
	Places  []string           `json:"places"`             // stores or sources, ascending
}

// Transactions counts the transactions that have a statement among the events, and names
// the first of them. With AtLeast there can be more.
type Transactions struct {
	Count   int      `json:"count"`
	AtLeast bool     `json:"at_least,omitempty"`
	IDs     []string `json:"ids"`
}

// Limits of one incident, and of all.
const (
	MostRanges       = 16
	mostIDs          = 8
	mostTransactions = 1 << 16 // that are distinguished
	mostDetailed     = 64      // incidents whose events are read; the others have no times and no transactions
)

// Facts are the input from which incidents are made.
type Facts struct {
	Reader   evidence.Reader
	Logs     []walk.LogResult
	Saw      walk.Facts
	Compared *crosscheck.Result // nil if the sources were not compared
	Causes   []cause.Cause
	Findings []finding.Finding
}

// Find returns the incidents of a case, the gravest first. Findings that have no effect on
// the verdict make none. An error means that the evidence could not be read.
func Find(ctx context.Context, f Facts) ([]Incident, error) {
	x := newFinder(f)
	all := x.groupFindings()
	for i := range all {
		all[i].Transactions.IDs = []string{}
		x.findSides(&all[i])
		x.findWitness(&all[i])
	}
	detailed := all[:min(len(all), mostDetailed)]
	if err := x.readClocks(ctx, detailed); err != nil {
		return nil, err
	}
	return all, x.countTransactions(ctx, detailed)
}
