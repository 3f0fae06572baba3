package report

import "github.com/svc-edge/svc-verify/forensics/crosscheck"

// holdingsOf returns the holdings of each store, by log and store; nothing if the stores were
// not compared.
func holdingsOf(c *crosscheck.Result) (all []Holding) {
	if c == nil {
		return nil
	}
	for _, l := range c.Presence {
		of := make([]Holding, len(c.Stores))
		for _, s := range l.Stretches {
			for i, state := range s.Stores {
				of[i].takeStretch(HeldStretch{s.First, s.Last, state})
			}
		}
		for i, h := range of {
			if h.First > 0 {
				h.TenantID, h.LogID, h.Store = l.TenantID, l.LogID, c.Stores[i].Name
				all = append(all, h)
			}
		}
	}
	return all
}

// takeStretch adds the next stretch. Some store has its events.
func (h *Holding) takeStretch(s HeldStretch) {
	size := s.Last - s.First + 1
	switch {
	case s.State == crosscheck.Absent:
		h.Lacks += size
	case h.First == 0:
		h.First, h.Last = s.First, s.Last
	default:
		h.Last = s.Last
	}
	switch n := len(h.Stretches); {
	case n > 0 && h.More == 0 && h.Stretches[n-1].State == s.State && h.Stretches[n-1].Last+1 == s.First:
		h.Stretches[n-1].Last = s.Last
	case n == mostStretches:
		h.More++
	default:
		h.Stretches = append(h.Stretches, s)
	}
}
