package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// storeGroup is stores that hold the same of a log.
type storeGroup struct {
	Holding
	names []string
}

// newStorePicture draws which store holds which log up to where, and its gaps. A log has a row for each
// group of stores that hold the same. It is nil if they were not compared.
func newStorePicture(r *Report) *picture {
	if len(r.Holdings) == 0 {
		return nil
	}
	last := map[facts.Log]uint64{}
	for _, l := range r.Logs {
		last[l.Log()] = l.Presence.Last
	}
	p := &picture{Title: "What each store holds of each log"}
	logs, groups := groupHoldings(r.Holdings)
	for i, log := range logs {
		if i >= mostFaulty {
			p.Left += len(groups[log])
			continue
		}
		p.addHoldings(log, last[log], groups[log])
	}
	p.Height += 4
	p.Desc = strings.Join(p.Words, " ")
	return p
}

// groupHoldings puts stores together that hold the same of a log. The logs are in the order of the
// first of their stores, those first that are not alike in all stores.
func groupHoldings(all []Holding) ([]facts.Log, map[facts.Log][]*storeGroup) {
	groups := map[facts.Log][]*storeGroup{}
	at := map[string]*storeGroup{}
	var order []facts.Log
	for _, h := range all {
		log := facts.Log{TenantID: h.TenantID, LogID: h.LogID}
		key := fmt.Sprintf("%q %q %d %d %v", h.TenantID, h.LogID, h.More, h.Lacks, h.Stretches)
		if at[key] == nil {
			if len(groups[log]) == 0 {
				order = append(order, log)
			}
			at[key] = &storeGroup{Holding: h}
			groups[log] = append(groups[log], at[key])
		}
		at[key].names = append(at[key].names, h.Store)
	}
	var several, alike []facts.Log
	for _, log := range order {
		if len(groups[log]) > 1 {
			several = append(several, log)
		} else {
			alike = append(alike, log)
		}
	}
	return append(several, alike...), groups
}

// addHoldings adds the rows of a log.
func (p *picture) addHoldings(log facts.Log, last uint64, groups []*storeGroup) {
	p.addName(log.LogID)
	for _, g := range groups {
		last = max(last, g.Last)
	}
	for i, g := range groups {
		if i == mostStoreRows {
			p.Left += len(groups) - i
			break
		}
		name, what := g.name(), fmt.Sprintf("%d to %d", g.First, g.Last)
		if g.Lacks > 0 {
			what += fmt.Sprintf(", lacks %d", g.Lacks)
		}
		p.Labels = append(p.Labels, label{X: "0", Y: p.Height + 12, Side: "start", Text: name, Tooltip: strings.Join(
			g.names[:min(len(g.names), mostItems)], ", ")}, label{X: "100%", Y: p.Height + 12, Side: "end", Text: what})
		p.Frames = append(p.Frames, box{X: "0", W: "100%", Y: p.Height + 17, H: 8})
		for _, s := range g.Stretches {
			if s.State == crosscheck.Absent && s.First > g.Last {
				continue // the frame alone shows where it ends
			}
			item := heldLegend[s.State]
			p.Bars = append(p.Bars, box{X: percentOf(float64(s.First-1), float64(last)),
				W: widthOf(float64(s.Last-s.First+1), float64(last)), Y: p.Height + 17, H: 8, Class: item.Kind,
				Text: rangeText(s.First, s.Last) + ": " + item.Text})
			if !slices.Contains(p.Legend, item) {
				p.Legend = append(p.Legend, item)
			}
		}
		p.Height += 30
		p.Words = append(p.Words, fmt.Sprintf("%s, %s: %s.", safetext.Quote(log.LogID), name, what))
	}
	p.Height += 6
}

// name is the store of a group, or how many it has.
func (g *storeGroup) name() string {
	if n := len(g.names); n > 1 {
		return fmt.Sprintf("%d stores alike", n)
	}
	return safetext.Line(shortPath(g.names[0], labelColumns-4).Text)
}

// heldLegend is the colour and the meaning of each state.
var heldLegend = map[crosscheck.State]legendItem{crosscheck.Present: {Kind: "there", Text: "here"},
	crosscheck.Absent:  {Kind: Missing, Text: "missing here, and not elsewhere"},
	crosscheck.Altered: {Kind: "altered", Text: "altered"},
	crosscheck.Differs: {Kind: "differs", Text: "others than elsewhere"},
	crosscheck.Lossy:   {Kind: "lossy", Text: "in part"}}
