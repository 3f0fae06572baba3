package cause

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// environmentRules are about logs of other environments, and about bundles.
func environmentRules() []rule {
	strange := whole(oslo, 15)
	strange.SignatureValid = 0
	foreign := func(more ...walk.KeyUse) Facts {
		f := factsOf([]walk.LogResult{whole(berlin, 9), strange}, walk.Facts{Keys: append([]walk.KeyUse{
			use(berlin, "berlin", true, 9, 9, 9, 1), use(oslo, "oslo", true, 20, 0, 20, 1)}, more...)},
			about(oslo, finding.SignatureInvalid, 1, 20), about(oslo, finding.ReportKeyUnknown, 9, 9))
		f.Saw.Logs[oslo] = walk.LogFacts{Strays: 5, StrayHashValid: 5, StrayLinkValid: 5}
		f.Root = &trust.Root{}
		return f
	}
	report := walk.KeyUse{Log: oslo, Kind: facts.SignedReports, KeyID: "oslo/2", Count: 3, Hold: 3}
	lost := walk.KeyUse{Log: oslo, Kind: facts.SignedReports, KeyID: "oslo", Count: 3}
	beside := foreign(lost)
	beside.Walk.Logs[1].SignatureValid = 9
	beside.Saw.Logs = map[facts.Log]walk.LogFacts{oslo: {Foreign: walk.Foreign{Copies: 20, Beside: 20, Linked: 19, First: 1,
		Last: 20}}}
	other := facts.Log{TenantID: "other", LogID: "node/a"}
	others := foreign(use(other, "a", true, 3, 0, 3, 1), use(other, "b", false, 3, 0, 3, 4),
		use(other, "c", true, 3, 0, 3, 7), use(other, "d", true, 3, 1, 3, 10))
	others.Findings = append(others.Findings, about(other, finding.SignatureInvalid, 1, 6))
	renamed := factsOf([]walk.LogResult{{TenantID: "acme-corp", LogID: "node/berlin"}, {TenantID: "acme-corp",
		LogID: "node/oslo"}},
		walk.Facts{Logs: map[facts.Log]walk.LogFacts{berlin: {Strays: 1, Elsewhere: &walk.Elsewhere{Log: oslo, Looked: 1,
			Same: 1}}}}, about(berlin, finding.HashMismatch, 1, 1), about(oslo, finding.Gone, 1, 1))
	return []rule{
		{"all of a journal is another environment's", foreign(), []Code{ForeignJournal}},
		{"and something under the owner's keys holds", foreign(report), []Code{ForeignJournal}},
		{"and something else under its key fails", foreign(lost), []Code{TrustFileWrong, TrustFileIncomplete}},
		{"beside the genuine events", beside, []Code{ForeignJournal, TrustFileIncomplete}},
		{"most keys of another tenant fail", others, []Code{OtherEnvironment, ForeignJournal}},
		{"one hash is another log's", renamed, []Code{LogRenamed}},
	}
}

// lackRules are about stores that lack events, and other stores that have them.
func lackRules() []rule {
	stores := func(missing *crosscheck.Lacked, names ...string) Facts {
		f := factsOf([]walk.LogResult{whole(berlin, 40), whole(oslo, 40)}, walk.Facts{})
		f.Compared = &crosscheck.Result{Stores: []crosscheck.Store{{Name: "a"}}}
		for i, name := range names {
			lacking := about([]facts.Log{berlin, oslo}[i%2], finding.SourceDisagrees, uint64(2+i), uint64(2+i))
			lacking.Store, lacking.Evidence = name, []finding.Evidence{{Source: "x.zip", Container: "in!" + name}}
			f.Findings = append(f.Findings, lacking)
			if !slices.ContainsFunc(f.Compared.Stores, func(s crosscheck.Store) bool { return s.Name == name }) {
				f.Compared.Stores = append(f.Compared.Stores, crosscheck.Store{Name: name, Events: 70, Missing: missing})
			}
		}
		return f
	}
	types := func(missing, here int64, names string) (m *crosscheck.Lacked) {
		m = &crosscheck.Lacked{Events: missing * int64(len(names)), Transactions: []string{"tx-1", "tx-2"}}
		for _, name := range names {
			m.Types = append(m.Types, crosscheck.LackedType{Type: string(name), Missing: missing, Here: here})
		}
		return m
	}
	six := types(3, 0, "abcdef")
	six.Types = append(six.Types, crosscheck.LackedType{Type: "kept", Here: 9})
	two := types(8, 4, "ab")
	two.Period, two.Lost = 3, 2
	acted := func(acting int64) *crosscheck.Lacked {
		m := types(2, 2, "ab")
		m.Actors, m.Acting = []string{"oslo"}, acting
		return m
	}
	untold := types(1, 1, "ab")
	untold.Transactions, untold.Known, untold.Untold = []string{"tx-1"}, 1, 1
	places := types(2, 2, "ab")
	places.Places = 4
	counted := stores(nil, "b", "b", "b", "b", "b", "b")
	for i := range counted.Findings {
		counted.Findings[i].LogID = berlin.LogID
	}
	counted.Findings[1].Sequence, counted.Findings[1].LastSequence = 0, 0
	return []rule{
		{"five stores lack one type", stores(types(9, 1, "a"), "b", "c", "d", "e", "f"), []Code{EventsDeleted}},
		{"all is lacking of six types", stores(six, "b"), []Code{LossyStore}},
		{"two of three are lacking", stores(two, "b"), []Code{LossyStore}},
		{"all is lacking of one node", stores(acted(4), "b"), []Code{EventsDeleted}},
		{"nearly all is lacking of one node", stores(acted(3), "b", "b"), []Code{EventsDeleted}},
		{"half is lacking of one node", stores(acted(2), "b"), []Code{EventsDeleted}},
		{"of one transaction, as far as it is read", stores(untold, "b"), []Code{EventsDeleted}},
		{"at many places of two logs", stores(places, "b", "b"), []Code{EventsDeleted}},
		{"at many places of one log", stores(places, "b"), []Code{EventsDeleted}},
		{"of no type, at more places than are named", counted, []Code{EventsDeleted}},
	}
}
