package conclude

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Missing is the content of a share of a plan that no part holds.
type Missing struct {
	Share  int
	Pieces []plan.Piece
	Unread []facts.Unread // paths that are not read, which belong to share 0
}

// missingShares returns the shares of a plan that a content does not hold, ascending. An empty share
// is never missing. The error is a *Foreign if the content holds anything outside the plan.
func missingShares(p *plan.Plan, c part.Content) (all []Missing, err error) {
	held := make(map[chain.Hash][]part.Share, len(p.Sources))
	for _, s := range c.Shares() {
		held[s.Source] = append(held[s.Source], s)
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		own := held[s.SHA256]
		delete(held, s.SHA256)
		for _, h := range own {
			if !isPlanned(s, &h) {
				return nil, &Foreign{h}
			}
		}
		for _, r := range s.Ranges {
			if !slices.ContainsFunc(own, func(h part.Share) bool { return h.Range.From <= r.From && r.To <= h.Range.To }) {
				at := placeOfShare(&all, r.Share)
				all[at].Pieces = append(all[at].Pieces, plan.Piece{Source: s, Range: r})
			}
		}
	}
	for _, foreign := range held {
		return nil, &Foreign{foreign[0]}
	}
	for _, u := range p.Unread {
		if !slices.Contains(c.Unread(), u) {
			at := placeOfShare(&all, 0)
			all[at].Unread = append(all[at].Unread, u)
		}
	}
	return all, nil
}

// isPlanned reports whether a share is one of a plan's source, or neighbours of them.
func isPlanned(s *plan.Source, held *part.Share) bool {
	begins := slices.ContainsFunc(s.Ranges, func(r plan.Range) bool { return r.From == held.Range.From })
	ends := slices.ContainsFunc(s.Ranges, func(r plan.Range) bool { return r.To == held.Range.To })
	return begins && ends && held.Size == s.Size && held.Complete
}

// placeOfShare returns the place of a share in a list, which gets it if it has not.
func placeOfShare(all *[]Missing, share int) int {
	at, ok := slices.BinarySearchFunc(*all, share, func(m Missing, share int) int { return cmp.Compare(m.Share, share) })
	if !ok {
		*all = slices.Insert(*all, at, Missing{Share: share})
	}
	return at
}

// Foreign is the error for parts that hold content outside their plan.
type Foreign struct{ Held part.Share }

func (e *Foreign) Error() string {
	return fmt.Sprintf("the parts hold octets %s of the source with SHA-256 %s, which the plan does not have so",
		e.Held.Range, e.Held.Source)
}

// Text returns the missing data, an item for each file.
func (m *Missing) Text() (items []string) {
	for _, p := range m.Pieces {
		text := fmt.Sprintf("share %d: %s", m.Share, safetext.PathText(p.Names[0].Given))
		if len(p.Ranges) > 1 {
			text += fmt.Sprintf(", octets %d to %d of %d", p.From, p.To, p.Size)
		}
		items = append(items, text)
	}
	for _, u := range m.Unread {
		items = append(items, fmt.Sprintf("share %d: %s, which is not read", m.Share, safetext.PathText(u.Path)))
	}
	return items
}
