package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// span is the time for which something was pinned.
type span struct {
	Pinned
	from, until time.Time
}

// timeline follows the keys that versions pin.
type timeline struct {
	open map[trustfile.Fingerprint]*span // that the newest version pins
	all  []*span
}

func newTimeline() *timeline { return &timeline{open: map[trustfile.Fingerprint]*span{}} }

// add continues with the next version. Root is nil if its file is not known.
func (t *timeline) add(e *Entry, root *trust.Root) {
	pinned := map[trustfile.Fingerprint]bool{}
	if root != nil {
		for _, f := range trustfile.Fingerprints(root) {
			pinned[f] = true
		}
	}
	for f, s := range t.open {
		if !pinned[f] {
			s.until, s.Until, s.TakenIn, s.TakenBy = e.From, form.FormatTime(e.From), e.Number, e.By
			delete(t.open, f)
		}
	}
	for f := range pinned {
		if t.open[f] == nil {
			s := &span{Pinned{Role: f.Role, ID: f.ID, SHA256: f.SHA256, From: form.FormatTime(e.From), PutIn: e.Number,
				PutInBy: e.By}, e.From, time.Time{}}
			t.open[f] = s
			t.all = append(t.all, s)
		}
	}
}

// between returns the pins in the requested time.
func (t *timeline) between(q Question) []Pinned {
	list := []Pinned{}
	for _, s := range t.all {
		if q.overlaps(s.from, s.until) {
			list = append(list, s.Pinned)
		}
	}
	order := []string{string(trust.Audit), string(trust.Signer), string(trust.Node), "registry"}
	slices.SortFunc(list, func(a, b Pinned) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Role), slices.Index(order, b.Role)), idOrder(a, b),
			cmp.Compare(a.PutIn, b.PutIn), cmp.Compare(a.SHA256, b.SHA256))
	})
	return list
}

// idOrder compares key ids as text, and generations as numbers, which they are longer
// for if they are larger.
func idOrder(a, b Pinned) int {
	if a.Role == "registry" && len(a.ID) != len(b.ID) {
		return cmp.Compare(len(a.ID), len(b.ID))
	}
	return cmp.Compare(a.ID, b.ID)
}
