package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// lackingIn returns the findings about events that a store lacks and that no cause explains
// yet, the batches that are cut there, and the gaps of a log in its own journal.
func (w missing) lackingIn(store string) []int {
	var of []int
	for _, i := range w.left(inStore, inJournal) {
		f := w.Findings[i]
		if w.lackOf(f) == store {
			of = append(of, i)
			of = append(of, w.findAbout(facts.LogOf(f), max(f.Sequence, 2)-1, f.LastSequence+1, inBatch)...)
			if hasProperty(f.Code, inJournal) {
				of = append(of, w.findAbout(facts.LogOf(f), f.Sequence, f.LastSequence,
					withLack(finding.EventsBetween).and(deletion))...)
			}
		}
	}
	if len(of) > 0 {
		for _, i := range w.left(inBatch) {
			if slices.Equal(w.cutIn(w.Findings[i]), []string{store}) {
				of = append(of, i)
			}
		}
	}
	return merged(slices.DeleteFunc(of, func(i int) bool { return w.taken[i] }))
}

// selected names stores that lack the events of one transaction, or of one type, and nothing
// else. The same of several stores is one cause.
func (w missing) selected() {
	drafts := map[selector]*draft{}
	var order []selector
	for _, s := range w.comparedStores() {
		by, fact := lackedSelection(s.Missing)
		of := w.lackingIn(s.Name)
		if by.name == "" || len(of) == 0 {
			continue
		}
		d := drafts[by]
		if d == nil {
			d = &draft{code: EventsDeleted, what: by.selectedEvents()}
			drafts[by], order = d, append(order, by)
		}
		d.stores, d.findings = append(d.stores, s.Name), merged(d.findings, of)
		d.speaksFor(fmt.Sprintf("all %d events that %s lacks between those that it has are %s", s.Missing.Events,
			s.Name, fact))
	}
	for _, by := range order {
		d := drafts[by]
		d.logs, d.sequence, d.sources = w.logsOf(d.findings), w.firstOf(d.findings), w.journalsOf(d.findings)
		if by.kind == byNode && slices.Equal(d.logs, []string{"node/" + by.name}) {
			d.what = "" // the log shows it
		}
		d.speaksFor("another source has them")
		if len(d.reasons) > mostNamed {
			d.reasons = append(d.reasons[:mostNamed], fmt.Sprintf("the same is missing from %s",
				safetext.Count(len(d.stores), "store")))
		}
		if by.kind == byType {
			d.speaksAgainst("a filter on the way can leave out a type")
		}
		w.addCause(d, d.findings)
	}
}

// selector has in common all events that a store lacks: one transaction, node or type. The
// name of the zero selector is empty.
type selector struct{ kind, name string }

// selectedEvents names the events.
func (s selector) selectedEvents() string {
	return "events of " + s.kind + " " + safetext.Quote(s.name)
}

// The kinds of selectors.
const byTransaction, byNode, byType = "transaction", "node", "type"

// journalsOf returns the files that lack events, if all of them are journals.
func (x *findingIndex) journalsOf(of []int) []string {
	var files []string
	for _, i := range of {
		switch f := x.Findings[i]; {
		case hasProperty(f.Code, inStore):
			return nil
		case hasProperty(f.Code, inJournal) && len(f.Evidence) > 0:
			files = append(files, f.Evidence[0].Source)
		}
	}
	return merged(files)
}

// lackedSelection returns the selector of the events that a store lacks, and the fact that shows it.
// The selector is zero if nothing does.
func lackedSelection(m *crosscheck.Lacked) (by selector, fact string) {
	if m == nil {
		return selector{}, ""
	}
	if len(m.Transactions) == 1 && m.Known+m.Untold == m.Events {
		if fact = "of transaction " + m.Transactions[0]; m.Untold > 0 {
			fact += fmt.Sprintf(", or of types whose transaction is not read (%d)", m.Untold)
		}
		return selector{byTransaction, m.Transactions[0]}, fact
	}
	if len(m.Actors) == 1 && m.Events >= leastByRule && 4*m.Acting >= 3*m.Events {
		if fact = "of node " + m.Actors[0]; m.Acting < m.Events {
			fact += fmt.Sprintf(", or of types whose node is not read (%d)", m.Events-m.Acting)
		}
		return selector{byNode, m.Actors[0]}, fact
	}
	types := slices.DeleteFunc(slices.Clone(m.Types), func(t crosscheck.LackedType) bool { return t.Missing == 0 })
	if len(types) != 1 || m.Events < leastByRule {
		return selector{}, ""
	}
	if fact = "of type " + types[0].Type; types[0].Here == 0 {
		fact += ", which it lacks at any time"
	}
	return selector{byType, types[0].Type}, fact
}

// leastByRule is of how many events at least a rule can be seen.
const leastByRule = 4

// omissionRule returns the rule by which a store leaves out events over the whole time; may be "".
// A rule spares nothing.
func omissionRule(s crosscheck.Store) string {
	m := s.Missing
	if m == nil || s.Altered > 0 || s.Differs > 0 || m.Events < leastByRule {
		return ""
	}
	var whole []string
	events, kept, spared := int64(0), 0, false
	for _, t := range m.Types {
		switch {
		case t.Missing > 0 && t.Here == 0:
			whole, events = append(whole, t.Type), events+t.Missing
		case t.Here > 0:
			kept++
		}
		spared = spared || t.Missing == 0 && t.Here > 3*int64(m.Period)
	}
	switch {
	case len(whole) > 1 && events == m.Events && kept > 0:
		named := strings.Join(whole[:min(len(whole), mostNamed)], ", ")
		if more := len(whole) - mostNamed; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		return fmt.Sprintf("it has no event of %d types at any time (%s), and lacks none of any other type",
			len(whole), named)
	case m.Period > 0 && !spared && m.Lost == 1:
		return fmt.Sprintf("it lacks one of every %d events, at all times", m.Period)
	case m.Period > 0 && !spared:
		return fmt.Sprintf("it lacks %d of every %d events, at all times", m.Lost, m.Period)
	}
	return ""
}

// patterned names stores that leave out events by a rule over the whole time.
func (w missing) patterned() {
	for i, s := range w.comparedStores() {
		of := w.lackingIn(s.Name)
		fact := omissionRule(s)
		if fact == "" {
			fact, of = w.retained(i), w.cutBatches(i)
		}
		if fact == "" || len(of) == 0 {
			continue
		}
		d := &draft{code: LossyStore, logs: w.logsOf(of), stores: []string{s.Name}, sequence: w.firstOf(of)}
		d.speaksFor(fact)
		d.speaksFor(fmt.Sprintf("of the %s that it has, none was altered", safetext.Count(s.Events, "event")))
		w.addCause(d, of)
	}
}

// cutBatches returns the batches whose first events a store lacks, and no cause explains.
func (w missing) cutBatches(store int) []int {
	return slices.DeleteFunc(w.left(inBatch), func(i int) bool {
		own, first := firstIn(w.presence[facts.LogOf(w.Findings[i])], store)
		return own == first || own != w.Findings[i].Sequence
	})
}

// expired names the loss of the first events of all logs at once. A rule that removes events
// by age removes them everywhere.
func (w missing) expired() {
	of := w.left(withLack(finding.EventsAtHead))
	logs := map[facts.Log]bool{}
	for _, i := range of {
		logs[facts.LogOf(w.Findings[i])] = true
	}
	if len(logs) < max(2, w.journals()) {
		return
	}
	for _, i := range w.left(inBatch) {
		if f := w.Findings[i]; logs[facts.LogOf(f)] && f.Sequence == w.walked(facts.LogOf(f)).FirstSequence {
			of = append(of, i)
		}
	}
	d := &draft{code: LossyStore, logs: w.logsOf(of), sequence: w.firstOf(of)}
	for _, i := range of {
		d.stores = merged(d.stores, w.sources(w.Findings[i]))
	}
	d.speaksFor(fmt.Sprintf("all %s lack their first events, as after a retention time", safetext.Count(len(logs), "log")))
	w.addCause(d, of)
}
