package cause

import (
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// foreignLogs names logs of a tenant without an event signed under a pinned key, while these
// keys signed all other events, and other logs.
func (w pinning) foreignLogs(tenantID string) {
	for _, l := range w.ofTenant[tenantID] {
		saw := w.saw(l)
		events := l.Events + saw.Strays
		if events < 2 || l.SignatureValid > 0 || 10*(l.HashValid+saw.StrayHashValid) < 9*events ||
			10*(l.LinkValid+saw.StrayLinkValid+1) < 9*events || !w.holds[tenantID] {
			continue
		}
		keys, held, fails := w.keysOf(l.Log())
		if fails {
			continue // a wrong key would explain all of it
		}
		d := &draft{code: ForeignJournal, logs: []string{l.LogID}}
		d.speaksFor(fmt.Sprintf("all %d events of it give their hashes and follow one another, and no pinned key signed one",
			events))
		d.speaksFor("signatures of other logs hold")
		if held > 0 {
			d.speaksFor(fmt.Sprintf("%s under the keys of its owner, elsewhere, hold", safetext.Count(held, "signature")))
		} else {
			d.speaksAgainst("nothing else here is signed under the keys of its owner: the trust file may have wrong ones")
		}
		findings := w.aboutLog(l, unrecorded, lackedTail, misanchored, unanchored,
			withLack(finding.WholeLog), inJournal)
		for _, u := range keys {
			d.keys = append(d.keys, u.KeyID)
			findings = append(findings, w.followsFrom(u)...)
			w.explained[signerName{u.Log.TenantID, u.KeyID, u.By.Role}] = true
		}
		d.sources, d.sequence = w.files(findings), max(w.firstOf(findings), 1)
		w.rewritten[l.Log()] = true // its end is not the log's end
		w.addCause(d, findings)
	}
}

// keysOf returns the keys of the events of a log, and how many signatures of its owner
// hold elsewhere. It fails if something else under these keys does not hold either, or if
// the trust file may lack them.
func (x *logIndex) keysOf(log facts.Log) (keys []walk.KeyUse, held uint64, fails bool) {
	own, pinned := map[string]keyTotal{}, true
	for _, u := range x.uses[log] {
		if u.Kind == facts.SignedEvents {
			keys, pinned, fails = append(keys, u), pinned && u.Pinned, fails || u.Other
			own[u.KeyID] = own[u.KeyID].plus(u)
		}
	}
	for _, u := range x.uses[log] {
		if _, same := own[u.KeyID]; !same {
			held += u.Hold
		}
	}
	for id, t := range own {
		all := x.totals[id]
		fails = fails || all.count-all.hold > t.count-t.hold
		held += all.hold - t.hold
	}
	return keys, held, fails || !pinned && held == 0
}

// foreign names copies of another environment in addition to the genuine events: a second
// history from the first event on that no pinned key signed.
func (w pinning) foreign() {
	for _, l := range w.logs {
		f := w.saw(l).Foreign
		if l.SignatureValid == 0 || f.Beside == 0 || f.Copies < 2 || f.Linked+1 < f.Copies || f.Leaving > 0 {
			continue
		}
		d := &draft{code: ForeignJournal, logs: []string{l.LogID}, sequence: f.First}
		d.speaksFor(fmt.Sprintf("%s of %s follow one another, give their hashes, and no pinned key signed them",
			safetext.Count(f.Copies, "event"), l.LogID))
		d.speaksFor("the genuine events are here as well")
		found := w.findAbout(l.Log(), f.First, f.Last, alteredCopy,
			failingAt(finding.Events, finding.UnknownKey, finding.WrongSignature, finding.OthersKey))
		found = merged(found, w.ofStatements(l.Log()))
		for _, i := range found {
			d.stores = append(d.stores, w.alteredIn(w.Findings[i])...)
		}
		d.sources = w.files(found)
		for _, u := range w.uses[l.Log()] {
			if u.Kind == facts.SignedEvents && u.Hold == 0 && f.First <= u.First && u.Last <= f.Last {
				d.keys = append(d.keys, u.KeyID)
				w.explained[signerName{u.Log.TenantID, u.KeyID, u.By.Role}] = true
			}
		}
		w.addCause(d, found)
	}
}
