package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// Explorer is the values that the reader of a page can search and open: findings, events, and around each finding
// everything that the case knows of the events. Each list has a limit, and a count of the rest.
type Explorer struct {
	Logs          []exploredLog      `json:"logs"`
	Findings      []exploredFinding  `json:"findings"` // the worst first
	MoreFindings  int64              `json:"more_findings"`
	Gaps          []exploredGap      `json:"gaps"`
	MoreGaps      int                `json:"more_gaps"`
	Incidents     []exploredIncident `json:"incidents"` // the gravest first
	MoreIncidents int64              `json:"more_incidents"`

	Total  int64              `json:"total"`  // events of the case
	Most   int                `json:"most"`   // a case of more events is here in part
	Events exploredEvents     `json:"events"` // by time; all of them, or those near findings
	Totals *exploredTotals    `json:"totals"` // of all events; nil if all are here
	Shown  []query.ShownEvent `json:"shown"`  // the events around the findings, of a second copy without the event itself
	Names  []string           `json:"names"`  // of types and transactions, the first ""

	most  explorerBounds
	logs  map[facts.Log]int
	names map[string]int
}

// exploredLog is the name of a log, and the ID of its card on the page, if it has one.
type exploredLog struct {
	TenantID string `json:"tenant_id"`
	LogID    string `json:"log_id"`
	Card     string `json:"card,omitempty"`
}

// exploredFinding is a finding with the first of its places. Log is a place in the list of logs, -1 without a log, and
// Card the ID of the card on the page, if it has one.
type exploredFinding struct {
	finding.Finding
	Log        int    `json:"log"`
	Card       string `json:"card,omitempty"`
	MorePlaces int64  `json:"more_places"`
}

// exploredGap is missing sequences of a log.
type exploredGap struct {
	Log   int    `json:"log"`
	First uint64 `json:"first_sequence"`
	Last  uint64 `json:"last_sequence"`
}

// exploredIncident is an incident with the first of its findings, by their places in the list of findings, and of the
// transactions that it touches.
type exploredIncident struct {
	Name             string   `json:"name"`
	Severity         string   `json:"severity"`
	Summary          string   `json:"summary"`
	Card             string   `json:"card,omitempty"`
	Findings         []int    `json:"findings"`
	MoreFindings     int      `json:"more_findings"`
	Transactions     []string `json:"transactions"`
	MoreTransactions int64    `json:"more_transactions"`
}

// exploredEvents has a list for each property of an event, so that a page of many events is small. Logs are places in
// the list of logs, types and transactions in the list of names.
type exploredEvents struct {
	Log         []int    `json:"log"`
	Sequence    []uint64 `json:"sequence"`
	AtMS        []int64  `json:"at_ms"` // since 1970, by the clock of the log's owner
	Type        []int    `json:"type"`
	Transaction []int    `json:"transaction"`
	Copies      []int    `json:"copies"`
	Deliveries  []int64  `json:"deliveries"` // of all copies
}

// How far around a finding its page reaches, in events before and after it.
const (
	nearby  = 3  // with all copies
	farther = 50 // as a line, if the page has not all events
)

// explorerBounds bounds the content that a page lets its reader explore.
type explorerBounds struct {
	events  int // all of them are there, or else as many near findings
	copies  int // events that are shown with all copies
	octets  int // of these, as JSON
	buckets int // of totals
}

var usualBounds = explorerBounds{events: 20_000, copies: 1_000, octets: 8 << 20, buckets: 5_000}

// mostTogether bounds the events that are requested at once.
const mostTogether = 100

// exploreWithin reads the values for the page of a report. An error means that the case could not be read.
func exploreWithin(ctx context.Context, c *store.Case, r *Report, most explorerBounds) (*Explorer, error) {
	x := &Explorer{Most: most.events, most: most, logs: map[facts.Log]int{}, names: map[string]int{"": 0},
		Names: []string{""}}
	for i := range r.Logs[:min(len(r.Logs), answer.MostLogs)] {
		x.Logs[x.logPlace(r.Logs[i].Log())].Card = fmt.Sprintf("log-%d", i)
	}
	x.addFindings(r)
	x.addIncidents(r)
	x.addGaps(r)
	if err := x.addEvents(ctx, c, r.Findings); err != nil {
		return nil, err
	}
	return x, x.addShown(ctx, c, eventsNear(r.Findings, nearby, most.copies))
}

// logPlace returns the place of a log in the list.
func (x *Explorer) logPlace(log facts.Log) int {
	at, known := x.logs[log]
	if !known {
		at = len(x.Logs)
		x.logs[log], x.Logs = at, append(x.Logs, exploredLog{TenantID: log.TenantID, LogID: log.LogID})
	}
	return at
}

// namePlace returns the place of a name in the list.
func (x *Explorer) namePlace(name string) int {
	at, known := x.names[name]
	if !known {
		at = len(x.Names)
		x.names[name], x.Names = at, append(x.Names, name)
	}
	return at
}

func (x *Explorer) addFindings(r *Report) {
	cards := map[groupKey]string{}
	for _, g := range shownGroups(groupFindings(r.named, r.Findings)) {
		cards[g.groupKey] = g.id()
	}
	var shown []finding.Finding
	shown, x.MoreFindings = answer.Cut(r.Findings, answer.MostItems)
	for i := range shown {
		f := exploredFinding{Finding: shown[i], Log: -1}
		f.Card = cards[groupKey{f.Severity, f.Code, facts.LogOf(f.Finding)}]
		f.Evidence, f.MorePlaces = answer.Cut(f.Evidence, answer.MostDetails)
		if f.LogID != "" {
			f.Log = x.logPlace(facts.LogOf(f.Finding))
		}
		x.Findings = append(x.Findings, f)
	}
}

func (x *Explorer) addIncidents(r *Report) {
	shown, more := answer.Cut(r.Incidents, answer.MostDetails)
	x.MoreIncidents = more
	for i := range shown {
		one := exploredIncident{Name: shown[i].Name, Severity: string(shown[i].Severity), Summary: shown[i].Summary,
			Card: fmt.Sprintf("incident-%d", i+1)}
		for _, at := range shown[i].Findings {
			if at < len(x.Findings) {
				one.Findings = append(one.Findings, at)
			}
		}
		one.MoreFindings = len(shown[i].Findings) - len(one.Findings)
		touched := slices.Clone(shown[i].Transactions.IDs)
		for _, a := range r.Affected {
			for k := range a.Certificates {
				if a.Incident == one.Name {
					touched = append(touched, a.Certificates[k].TransactionID)
				}
			}
		}
		slices.Sort(touched)
		one.Transactions, one.MoreTransactions = answer.Cut(slices.Compact(touched), answer.MostRows)
		x.Incidents = append(x.Incidents, one)
	}
}

func (x *Explorer) addGaps(r *Report) {
	for i := range r.Logs {
		for _, m := range marksOfKind(r.Logs[i].Marks, Missing) {
			if len(x.Gaps) == answer.MostItems {
				x.MoreGaps++
				continue
			}
			x.Gaps = append(x.Gaps, exploredGap{x.logPlace(r.Logs[i].Log()), m.First, m.Last})
		}
	}
}
