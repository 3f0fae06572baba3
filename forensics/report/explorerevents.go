package report

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// eventPlace is a sequence of a log.
type eventPlace struct {
	facts.Log
	sequence uint64
}

func comparePlaces(a, b eventPlace) int {
	return cmp.Or(a.Log.Compare(b.Log), cmp.Compare(a.sequence, b.sequence))
}

// eventsNear returns at most so many sequences: those around the first and the last of each finding, the first finding
// first.
func eventsNear(all []finding.Finding, distance uint64, most int) map[eventPlace]bool {
	near := map[eventPlace]bool{}
	for i := range all {
		for _, at := range []uint64{all[i].Sequence, all[i].LastSequence} {
			if at == 0 {
				continue
			}
			for n := max(at, distance+1) - distance; n <= at+distance; n++ {
				if len(near) == most {
					return near
				}
				near[eventPlace{facts.LogOf(all[i]), n}] = true
			}
		}
	}
	return near
}

// addEvents adds a line for each event, or for those near findings and totals for all.
func (x *Explorer) addEvents(ctx context.Context, c *store.Case, found []finding.Finding) error {
	total, err := c.Count(ctx, store.Filter{})
	if err != nil {
		return err
	}
	x.Total = int64(total)
	var near map[eventPlace]bool // nil for all
	var totals *eventTotals
	if total > x.most.events {
		near, totals = eventsNear(found, farther, x.most.events), newEventTotals(x.most.buckets)
	}
	to, wanted := &x.Events, false
	for e, err := range c.SelectByTime(ctx, store.Filter{}) {
		if err != nil {
			return err
		}
		if e.Variant == 0 {
			if totals != nil {
				totals.countEvent(e.Log, e.Type, e.OccurredAt)
			}
			if wanted = near == nil || near[eventPlace{e.Log, e.Link.Sequence}]; wanted {
				to.Log, to.Sequence = append(to.Log, x.logPlace(e.Log)), append(to.Sequence, e.Link.Sequence)
				to.AtMS, to.Type = append(to.AtMS, e.OccurredAt), append(to.Type, x.namePlace(e.Type))
				to.Transaction = append(to.Transaction, x.namePlace(e.TransactionID))
				to.Copies, to.Deliveries = append(to.Copies, e.Copies), append(to.Deliveries, 0)
			}
		}
		if wanted {
			to.Deliveries[len(to.Deliveries)-1] += e.Deliveries
		}
	}
	x.addTotals(totals)
	return nil
}

// addShown adds the events at these places with all copies, until they are too large.
func (x *Explorer) addShown(ctx context.Context, c *store.Case, near map[eventPlace]bool) error {
	places, octets := slices.SortedFunc(maps.Keys(near), comparePlaces), 0
	for len(places) > 0 && octets < x.most.octets {
		first, n := places[0], 1
		for n < min(len(places), mostTogether) && places[n] == (eventPlace{first.Log, first.sequence + uint64(n)}) {
			n++
		}
		places = places[n:]
		shown, err := query.Show(ctx, c, nil, query.Search{Filter: store.Filter{TenantID: first.TenantID,
			LogID: first.LogID, First: first.sequence, Last: first.sequence + uint64(n) - 1}})
		if err != nil {
			return err
		}
		for _, e := range shown.Events {
			for i := range e.Copies {
				e.Copies[i].Deliveries, _ = answer.Cut(e.Copies[i].Deliveries, answer.MostDetails)
				if i > 0 {
					e.Copies[i].Event = nil // the differences say it
				}
			}
			doc, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if octets += len(doc); octets < x.most.octets {
				x.Shown = append(x.Shown, e)
			}
		}
	}
	return nil
}
