package crosscheck

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Lacked describes the common traits of the events that a store lacks, between its first and
// its last event of a log, and other stores have. Known counts the ones whose transaction is
// known, and Transactions are the first two of these. Untold counts the ones about a
// transaction that is not read, because nothing is compared with them. Acting counts the ones
// whose node is known, and Actors are the first two of these. Of every Period events the store
// lacks Lost, throughout; 0 if the events that it lacks are not spaced evenly.
type Lacked struct {
	Events       int64        `json:"events"`
	Places       int64        `json:"places"` // ranges
	Known        int64        `json:"known"`
	Untold       int64        `json:"untold"`
	Transactions []string     `json:"transactions"`
	Acting       int64        `json:"acting"`
	Actors       []string     `json:"actors"`
	Types        []LackedType `json:"types"` // ascending; the first 64
	Period       int          `json:"period"`
	Lost         int          `json:"lost"`
}

// LackedType counts the events of one type that a store lacks, and those that it has.
type LackedType struct {
	Type    string `json:"type"`
	Missing int64  `json:"missing"`
	Here    int64  `json:"here"`
}

// untold are the types of events about a transaction that are no statements.
var untold = []string{"approval.denied", "decision.signed", "issuance.denied", "issuance.requested",
	"revocation.requested"}

const (
	mostLackedTypes = 64
	longestPeriod   = 64
	leastPeriods    = 12 // fewer may be even by chance
)

// missing contains the counts of one store.
type missing struct {
	Lacked
	types   map[string]*LackedType
	periods [longestPeriod + 1]int64
	losses  [longestPeriod + 1]int64

	// Of this log: the length of the last run that it has, and of the one that it lacks
	// since then. These events are between two that it has once another one is here.
	here, lost   int
	began        bool // the run that it has was counted from its beginning
	lostTypes    map[string]int64
	lostKnown    int64
	transactions []string // the first two of them
	lostActing   int64
	actors       []string // likewise
}

// countMissing returns the common traits of the events that stores lack. It reads the logs
// again if there is such a store.
func (h *holdings) countMissing(ctx context.Context) error {
	if h.gapped.count() == 0 {
		return nil
	}
	all := make([]missing, len(h.stores.stores))
	for _, log := range sortedLogs(h.logs) {
		if err := h.countMissingIn(ctx, log, all); err != nil {
			return err
		}
		for i := range all {
			all[i].endRun(false)
		}
	}
	for i := range all {
		h.result.Stores[i].Missing = all[i].summary()
	}
	return nil
}

func (h *holdings) countMissingIn(ctx context.Context, log facts.Log, all []missing) error {
	m := &matrix{h: h, log: log, stores: make([]holding, len(all))}
	next, stop := iter.Pull2(h.in.Events(ctx, log, 1, math.MaxInt64))
	defer stop()
	typed, stopTyped := iter.Pull2(h.in.Chosen(ctx, log, statementsOf(log)))
	defer stopTyped()
	t, broken, ok := typed()
	// about returns the transaction and the node that the statements of a sequence name.
	about := func(sequence uint64) (transaction, node string, err error) {
		for ; ok && broken == nil && t.Link.Sequence <= sequence; t, broken, ok = typed() {
			if t.Link.Sequence < sequence {
				continue
			}
			said, err := h.actorOf(ctx, log, t, m.states)
			if err != nil {
				return "", "", err
			}
			transaction, node = cmp.Or(transaction, t.TransactionID), cmp.Or(node, said)
		}
		return transaction, node, broken
	}
	e, err, more := next()
	owner, ofNode := log.Node()
	if !ofNode {
		owner = ""
	}
	for one, failed := range h.spansAgain(ctx, log) {
		if failed != nil {
			return failed
		}
		m.noteStates(one.makeup)
		for more && err == nil && e.Link.Sequence <= one.last {
			sequence := e.Link.Sequence
			transaction, node, failed := about(sequence)
			if failed != nil {
				return failed
			}
			at := lackable{e.Type, transaction, cmp.Or(owner, node)}
			for i := range all {
				if h.gapped.has(i) {
					all[i].see(at, m.states[i], m.genuine.count() > 0)
				}
			}
			for more && err == nil && e.Link.Sequence == sequence { // its other copies
				e, err, more = next()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// actorOf returns the node that an event of the tenant log is about and a store lacks, "" if
// it names none.
func (h *holdings) actorOf(ctx context.Context, log facts.Log, t *evidence.Typed, states []State) (string, error) {
	lacking := false
	for i, is := range states {
		lacking = lacking || h.gapped.has(i) && is == Absent
	}
	if !lacking || !log.IsTenant() || t.Type != event.ApprovalRecorded && t.Type != event.NodeReported {
		return "", nil
	}
	s, ok, err := h.exam.readStatement(ctx, log, t)
	if !ok || err != nil {
		return "", err
	}
	return strings.Clone(s.said.Node), nil
}

// lackable is an event of a log. Its transaction and its actor are "" if they are not known.
type lackable struct{ eventType, transaction, actor string }

// see counts an event, which some stores have as genuine.
func (s *missing) see(e lackable, is State, held bool) {
	switch {
	case is != Absent:
		s.countPresent(e)
	case held && (s.here > 0 || s.lost > 0):
		s.lacks(e)
	}
}

// lacks counts an event that is lacking, if another one of the log follows that is here.
func (s *missing) lacks(e lackable) {
	if s.lostTypes == nil {
		s.lostTypes = map[string]int64{}
	}
	if _, known := s.lostTypes[e.eventType]; known || len(s.lostTypes) <= mostLackedTypes {
		s.lostTypes[e.eventType]++
	}
	if s.lost++; e.transaction != "" {
		s.lostKnown++
		s.transactions = firstTwo(s.transactions, e.transaction)
	}
	if e.actor != "" {
		s.lostActing++
		s.actors = firstTwo(s.actors, e.actor)
	}
}

// firstTwo adds the names that are not among two yet.
func firstTwo(to []string, names ...string) []string {
	for _, name := range names {
		if len(to) < 2 && !slices.Contains(to, name) {
			to = append(to, strings.Clone(name))
		}
	}
	return to
}

// countPresent counts an event that is here, and those that were lacking before it.
func (s *missing) countPresent(e lackable) {
	if s.lost > 0 {
		if s.began {
			s.periods[min(s.here+s.lost, longestPeriod)]++
			s.losses[min(s.lost, longestPeriod)]++
		}
		s.Places++
		s.Events, s.Known = s.Events+int64(s.lost), s.Known+s.lostKnown
		for eventType, n := range s.lostTypes {
			if slices.Contains(untold, eventType) {
				s.Untold += n
			}
			s.countLacking(eventType, n, 0)
		}
		s.Transactions = firstTwo(s.Transactions, s.transactions...)
		s.Acting, s.Actors = s.Acting+s.lostActing, firstTwo(s.Actors, s.actors...)
		s.endRun(true)
	}
	s.here++
	s.countLacking(e.eventType, 0, 1)
}

func (s *missing) countLacking(eventType string, lacking, here int64) {
	t := s.types[eventType]
	if t == nil {
		if s.types == nil {
			s.types = map[string]*LackedType{}
		}
		if len(s.types) > mostLackedTypes {
			return
		}
		t = &LackedType{Type: strings.Clone(eventType)}
		s.types[t.Type] = t
	}
	t.Missing, t.Here = t.Missing+lacking, t.Here+here
}

// endRun begins a run of events that are here. It is counted from its beginning if it
// follows one that is lacking.
func (s *missing) endRun(began bool) {
	clear(s.lostTypes)
	s.here, s.lost, s.lostKnown, s.transactions, s.began = 0, 0, 0, s.transactions[:0], began
	s.lostActing, s.actors = 0, s.actors[:0]
}

// summary returns the counts, nil if nothing is missing.
func (s *missing) summary() *Lacked {
	if s.Events == 0 {
		return nil
	}
	out := s.Lacked
	out.Transactions, out.Actors = append([]string{}, out.Transactions...), append([]string{}, out.Actors...)
	for _, t := range slices.SortedFunc(maps.Values(s.types), func(a, b *LackedType) int {
		return cmp.Compare(a.Type, b.Type)
	}) {
		out.Types = append(out.Types, *t)
	}
	out.Types = out.Types[:min(len(out.Types), mostLackedTypes)]
	out.Period, out.Lost = s.even()
	return &out
}

// even reports whether the places are spaced as when a store keeps every n-th event, or all
// others: most periods have one length, and none is much longer. A log that comes in batches
// between other logs' batches shifts some of them.
func (s *missing) even() (period, lost int) {
	all, longest := int64(0), 0
	for n, count := range s.periods {
		if all += count; count > 0 {
			longest = n
		}
		if count > s.periods[period] {
			period = n
		}
	}
	if all < leastPeriods || 3*s.periods[period] < all || longest > 3*period || longest == longestPeriod {
		return 0, 0
	}
	for n, count := range s.losses {
		if count > s.losses[lost] {
			lost = n
		}
	}
	return period, lost
}
