package cause

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// storeIndex has the comparison's answers about stores.
type storeIndex struct {
	Compared  *crosscheck.Result
	presence  map[facts.Log]crosscheck.Log
	storeOf   map[string]string // by the path of a file
	disclosed map[string]string // the transactions of bundles, by the source
}

func newStoreIndex(compared *crosscheck.Result) *storeIndex {
	x := &storeIndex{compared, map[facts.Log]crosscheck.Log{}, map[string]string{}, map[string]string{}}
	if compared == nil {
		return x
	}
	for _, l := range compared.Presence {
		x.presence[facts.Log{TenantID: l.TenantID, LogID: l.LogID}] = l
	}
	for _, b := range compared.Bundles {
		x.disclosed[b.Place.Source] = b.TransactionID
	}
	for _, s := range compared.Stores {
		for _, p := range s.Paths {
			delete(x.disclosed, p)
			x.storeOf[p] = s.Name
		}
	}
	return x
}

// sources returns the stores with the evidence of a finding, ascending.
func (x *storeIndex) sources(f finding.Finding) []string {
	var all []string
	for _, e := range f.Evidence {
		name := path.Clean(filepath.ToSlash(e.Source))
		if e.Container != "" {
			name += "/" + strings.ReplaceAll(e.Container, "!", "/")
		}
		all = append(all, cmp.Or(x.storeOf[name], e.Source))
	}
	return merged(all)
}

// holders returns the stores that are in a state somewhere in the range of a
// finding, ascending.
func (x *storeIndex) holders(f finding.Finding, state crosscheck.State) []string {
	var all []string
	for _, s := range x.presence[facts.LogOf(f)].Stretches {
		if s.First > f.LastSequence || s.Last < f.Sequence {
			continue
		}
		for i, is := range s.Stores {
			if is == state {
				all = append(all, x.Compared.Stores[i].Name)
			}
		}
	}
	return merged(all)
}

// comparedStores returns the stores, none if nothing was compared.
func (x *storeIndex) comparedStores() []crosscheck.Store {
	if x.Compared == nil {
		return nil
	}
	return x.Compared.Stores
}

// unreadIn returns the store of the first place of a finding: the others may be places
// of anchors.
func (x *storeIndex) unreadIn(f finding.Finding) []string {
	f.Evidence = f.Evidence[:min(1, len(f.Evidence))]
	return x.sources(f)
}

// cutIn returns the stores from which events of a range are missing or, if none is known,
// the stores of the evidence.
func (x *storeIndex) cutIn(f finding.Finding) []string {
	if all := x.lackersIn(f); len(all) > 0 {
		return all
	}
	return x.sources(f)
}

// lackersIn returns the stores that have some events of a range, and not all of it and its
// neighbours.
func (x *storeIndex) lackersIn(f finding.Finding) []string {
	var all []string
	for i, store := range x.comparedStores() {
		here, lacking := false, false
		for _, s := range x.presence[facts.LogOf(f)].Stretches {
			if s.First > f.LastSequence+1 || s.Last+1 < f.Sequence {
				continue
			}
			is := s.Stores[i] != crosscheck.Absent
			here, lacking = here || is, lacking || !is
		}
		if here && lacking {
			all = append(all, store.Name)
		}
	}
	return merged(all)
}

// lackOf returns the store that lacks events by a finding; may be "".
func (x *storeIndex) lackOf(f finding.Finding) string {
	switch {
	case hasProperty(f.Code, inStore):
		return f.Store
	case hasProperty(f.Code, inJournal): // the first place is the journal's
		return strings.Join(x.unreadIn(f), "")
	}
	return ""
}

// retained names a store that lacks the first events of each log, and nothing else.
func (x *storeIndex) retained(store int) string {
	s, cut := x.Compared.Stores[store], 0
	if s.Missing != nil || s.Altered > 0 || s.Differs > 0 {
		return ""
	}
	for _, l := range x.Compared.Presence {
		own, first := firstIn(l, store)
		if own > 0 && own == first {
			return ""
		}
		if own > 0 {
			cut++
		}
	}
	if cut < 2 {
		return ""
	}
	return fmt.Sprintf("it lacks the first events of all its %d logs, and none after them, as after a "+
		"retention time", cut)
}

// firstIn returns the first sequence of a log that a store has, and the first that some
// store has; 0 for none.
func firstIn(l crosscheck.Log, store int) (own, others uint64) {
	for _, s := range l.Stretches {
		if others == 0 {
			others = s.First
		}
		if s.Stores[store] != crosscheck.Absent {
			return s.First, others
		}
	}
	return 0, others
}
