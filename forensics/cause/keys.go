package cause

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// weighKeys names a trust file that does not fit: for one key, or for all keys of a
// tenant.
func (w pinning) weighKeys() {
	all := w.signers()
	holding := map[string]bool{} // tenants
	for _, s := range all {
		if s.countHolding() > 0 {
			holding[s.tenantID] = true
		}
	}
	for i := 0; i < len(all); {
		n := i
		for n < len(all) && all[n].tenantID == all[i].tenantID {
			n++
		}
		of := all[i:n]
		if failing := foreignKeys(of); len(failing) > 0 {
			others := len(holding)
			if holding[of[0].tenantID] {
				others--
			}
			w.environment(failing, len(of), others > 0)
		} else {
			w.foreignLogs(of[0].tenantID)
		}
		for _, s := range of {
			w.weighKey(s)
		}
		i = n
	}
}

// things are the subjects of findings about signatures, by the signed document. Of parts of
// bundles only the bundles are found.
var things = map[facts.StatementKind]finding.Thing{
	facts.SignedEvents: finding.Events, facts.SignedReports: finding.Reports,
	facts.SignedCheckpoints: finding.Anchors, facts.SignedCursors: finding.Anchors}

// mostExploring is how many uses of keys, of one kind of statement about one log, may
// each explain the same findings. Of very many, a finding follows from the first.
const mostExploring = mostOfKind

// followsFrom returns the findings that follow if a use does not hold: about its own
// statements, and about events that they would have anchored.
func (x *index) followsFrom(u walk.KeyUse) []int {
	of := useOf{u.Log, u.Kind}
	x.explored[of]++
	drop := x.explored[of] >= mostExploring
	all := x.lookUp(u.Log, u.First, u.Last, drop, []property{unverifiedThing(things[u.Kind])})
	for _, i := range x.placed(u.Places) {
		if u.Pinned || x.Findings[i].Effect() != finding.Rejects { // no key that is not pinned would make it good
			all = append(all, i)
		}
	}
	if u.Kind != facts.SignedEvents {
		return all
	}
	follow := []property{unrecorded, unanchored}
	if l := x.walked(u.Log); l.Events == 0 && x.saw(l).Strays > 0 {
		follow = append(follow, withLack(finding.WholeLog))
	}
	return append(all, x.lookUp(u.Log, 0, 0, drop, follow)...)
}

// placed returns the findings about documents at some places: a bundle with a part
// that is not verified.
func (x *findingIndex) placed(places []finding.Evidence) []int {
	var all []int
	for _, p := range places {
		all = append(all, x.placing[p]...)
	}
	return merged(all)
}

// weighKey names a trust file that does not fit for one key.
func (w pinning) weighKey(s *signer) {
	u := s.uses[0]
	if w.explained[s.signerName] || !s.fails() {
		return
	}
	d := &draft{code: TrustFileIncomplete, logs: s.logNames(), keys: []string{s.keyID}}
	count := safetext.Count(s.countSigned(), "signature")
	if u.Pinned {
		d.code = TrustFileWrong
		d.speaksFor(fmt.Sprintf("under this key id, 0 of %s hold", count))
	} else {
		d.speaksFor(fmt.Sprintf("%s under this key id, which is not pinned", count))
	}
	if all, intact := s.events(); all > 0 {
		d.speaksFor(fmt.Sprintf("under it, %d of %s give the hash that is written there", intact,
			safetext.Count(all, "event")))
	}
	var findings []int
	for _, u := range s.uses {
		w.weighUse(d, u)
		findings = append(findings, w.followsFrom(u)...)
	}
	if s.countSigned() == 1 {
		d.speaksAgainst("only one statement is signed under it")
	}
	d.sequence = w.firstOf(findings)
	w.addCause(d, findings)
}

// weighUse weighs how the events under a key stand among the others of their log.
func (x *logIndex) weighUse(d *draft, u walk.KeyUse) {
	if u.Kind != facts.SignedEvents {
		return
	}
	l := x.walked(u.Log)
	saw := x.saw(l)
	if events := l.Events + saw.Strays; events > 1 && l.LinkValid+saw.StrayLinkValid == events {
		d.speaksFor(fmt.Sprintf("all %d events of %s follow the one before", events, l.LogID))
	}
	hold := x.holding[u.Log]
	below, above := hold.Last > 0 && hold.First < u.First, hold.Last > u.Last
	switch {
	case below && above:
		d.speaksAgainst(fmt.Sprintf("events of %s under a pinned key are before and after it", u.Log.LogID))
	case below:
		d.speaksFor(fmt.Sprintf("it follows a pinned key of %s, as after a rotation", u.Log.LogID))
	case above:
		d.speaksFor(fmt.Sprintf("a pinned key of %s follows it, as after a rotation", u.Log.LogID))
	}
}

// weighRegistries names a trust file that lacks members that bundles name, if these have no other
// fault: the registries, and keys without other evidence.
func (w *weigher) weighRegistries() {
	named := map[finding.Evidence][]string{}
	if w.Compared != nil {
		for _, b := range w.Compared.Bundles {
			named[b.Place] = b.UnknownKeys
		}
	}
	for _, i := range w.left(failingAt(finding.Bundles, finding.UnknownKey)) {
		d := &draft{code: TrustFileIncomplete}
		for _, e := range w.Findings[i].Evidence {
			d.keys = append(d.keys, named[e]...)
		}
		same := []int{i}
		if k := slices.IndexFunc(w.found, func(o *draft) bool {
			return o.code == d.code && slices.Equal(o.keys, d.keys)
		}); k >= 0 {
			w.found[k].findings, w.taken[i] = merged(w.found[k].findings, same), true
			continue
		}
		d.speaksFor("nothing else is wrong with the bundles that name it")
		w.addCause(d, same)
	}
}

// environment names evidence that no key of the trust file fits, of so many key ids of the
// tenant. Others reports whether signatures of another tenant hold.
func (w pinning) environment(of []*signer, ids int, others bool) {
	d := &draft{code: OtherEnvironment}
	var findings []int
	var count, events, intact uint64
	pinned := 0
	for _, s := range of {
		w.explained[s.signerName] = true
		n, ok := s.events()
		count, events, intact = count+s.countSigned(), events+n, intact+ok
		d.logs, d.keys = append(d.logs, s.logNames()...), append(d.keys, s.keyID)
		if s.uses[0].Pinned {
			pinned++
		}
		for _, u := range s.uses {
			findings = append(findings, w.followsFrom(u)...)
		}
	}
	d.speaksFor(fmt.Sprintf("0 of %s under %s hold", safetext.Count(count, "signature"),
		safetext.Count(len(of), "key id")))
	d.speaksFor(fmt.Sprintf("%d of %s give the hash that is written there", intact, safetext.Count(events, "event")))
	switch pinned {
	case 0:
		d.speaksFor("none of these key ids is in the trust file")
	case len(of):
		d.speaksFor("the trust file has another key under each of these ids")
	}
	if more := ids - len(of); more > 0 {
		d.speaksAgainst(fmt.Sprintf("under %s more of the tenant signatures hold", safetext.Count(more, "key id")))
	}
	if others {
		d.speaksFor("signatures of another tenant hold under this trust file")
	}
	for _, l := range w.ofTenant[of[0].tenantID] {
		if l.Events == 0 {
			findings = append(findings, w.aboutLog(l, withLack(finding.WholeLog), unverifiedThing(finding.Events))...)
		}
	}
	if !w.valid {
		nothing := w.findAbout(facts.Log{}, 0, 0, signOf(finding.NotCollected))
		findings = append(findings, slices.DeleteFunc(nothing, func(i int) bool { return w.taken[i] })...)
	}
	w.addCause(d, findings)
}

// ofStatements returns the findings about statements of a log, other than its events,
// whose signatures do not all hold.
func (x *index) ofStatements(log facts.Log) []int {
	var of []property
	var places []finding.Evidence
	for _, u := range x.uses[log] {
		if u.Kind != facts.SignedEvents && u.Hold < u.Count {
			of, places = append(of, unverifiedThing(things[u.Kind])), append(places, u.Places...)
		}
	}
	return append(x.findAbout(log, 0, 0, of...), x.placed(places)...)
}

// renamed names logs with the hashes of another log.
func (w *weigher) renamed() {
	for _, l := range w.logs {
		e := w.saw(l).Elsewhere
		if e == nil || e.Same != e.Looked || l.SignatureValid > 0 || l.HashValid+w.saw(l).StrayHashValid > 0 {
			continue
		}
		d := &draft{code: LogRenamed, logs: []string{l.LogID}}
		d.speaksFor(fmt.Sprintf("the hashes that are written in %s of it are hashes of %s of tenant %s",
			safetext.Count(e.Same, "event"), e.Log.LogID, e.Log.TenantID))
		d.speaksFor(fmt.Sprintf("none of its %s gives the hash that is written in it",
			safetext.Count(l.Events+w.saw(l).Strays, "event")))
		if e.Same == 1 {
			d.speaksAgainst("only one event was compared")
		}
		findings := w.aboutLog(l, failingAt(finding.Events), failingAt(finding.Links), withLack(finding.WholeLog), lackedTail,
			unanchored, inBatch)
		if other := w.walked(e.Log); other.Events == 0 {
			findings = append(findings, w.findAbout(e.Log, 0, 0, withLack(finding.WholeLog), uncovered)...)
		}
		d.sequence = w.firstOf(findings)
		w.addCause(d, findings)
	}
}
