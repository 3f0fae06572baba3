package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// mostShares bounds the shares of batches that are held at once. If there are more, the lowest
// ids are held, and the arrivals are read once more for the next ones.
const mostShares = 1 << 18

// BatchShares yields the shares of all batches, ascending by id, then by log and source.
func (q *Queries) BatchShares(ctx context.Context) iter.Seq2[BatchShare, error] {
	return evidence.Stream(func(yield func(BatchShare) error) error {
		logs, err := q.v.Logs(ctx)
		some := false
		for _, err = range q.f.Content.Batches(ctx) { // most stores have none
			some = err == nil
			break
		}
		for from := ""; err == nil && some; {
			s := shares{from: from, most: q.shares, of: map[shareName]BatchShare{}}
			if err = q.addShares(ctx, logs, &s); err != nil {
				break
			}
			for _, name := range slices.SortedFunc(maps.Keys(s.of), shareName.compare) {
				if err = yield(s.of[name]); err != nil {
					return err
				}
			}
			from, some = s.end, s.end != ""
		}
		return err
	})
}

// addShares adds the arrivals under batch ids to shares.
func (q *Queries) addShares(ctx context.Context, logs []facts.Log, s *shares) error {
	for i, log := range logs {
		for c, err := range q.f.Content.Copies(ctx, log, 0) {
			if err != nil {
				return err
			}
			for _, a := range c.Arrivals {
				if a.Batch == "" {
					continue
				}
				if err := s.parseIDs(a.Batch); err != nil {
					return err
				}
				for _, id := range s.ids {
					s.addArrival(shareName{id, i, q.v.PlaceOf(a.Place).Source}, log, c)
				}
			}
		}
	}
	return ctx.Err()
}

// shareName names a share: the log by its rank.
type shareName struct {
	id     string
	log    int
	source int64
}

func (n shareName) compare(o shareName) int {
	return cmp.Or(strings.Compare(n.id, o.id), cmp.Compare(n.log, o.log), cmp.Compare(n.source, o.source))
}

// shares are the shares of the lowest ids from one on.
type shares struct {
	from, end string // end, and all above it, have no room; "" if there is room for all
	most      int
	of        map[shareName]BatchShare

	text string // of ids that were parsed last
	ids  []string
}

// parseIDs reads the ids of an arrival. An id that is in two places of a record counts
// once.
func (s *shares) parseIDs(text string) error {
	if text == s.text {
		return nil
	}
	all, err := facts.ParseBatches(text)
	s.text, s.ids = text, nil
	for _, b := range all {
		s.ids = append(s.ids, b.ID)
	}
	slices.Sort(s.ids)
	s.ids = slices.Compact(s.ids)
	return err
}

// addArrival adds an arrival of a copy.
func (s *shares) addArrival(name shareName, log facts.Log, c *part.Copy) {
	if name.id < s.from || s.end != "" && name.id >= s.end {
		return
	}
	one, known := s.of[name]
	if !known {
		one = BatchShare{ID: name.id, TenantID: log.TenantID, LogID: log.LogID, Source: name.source,
			First: c.Sequence}
	}
	one.Deliveries++
	one.Last = c.Sequence
	s.of[name] = one
	if !known && len(s.of) > s.most {
		s.letGo()
	}
}

// letGo lets go of the higher half of the ids.
func (s *shares) letGo() {
	var ids []string
	for name := range s.of {
		ids = append(ids, name.id)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 1 {
		s.most *= 2 // one id that came with very many sources
		return
	}
	s.end = ids[(len(ids)+1)/2]
	maps.DeleteFunc(s.of, func(name shareName, _ BatchShare) bool { return name.id >= s.end })
}
