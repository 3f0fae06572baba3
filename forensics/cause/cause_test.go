package cause

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

var (
	berlin = facts.Log{TenantID: "acme-corp", LogID: "node/berlin"}
	oslo   = facts.Log{TenantID: "acme-corp", LogID: "node/oslo"}
	tenant = facts.Log{TenantID: "acme-corp", LogID: "tenant/acme-corp"}
)

// about is a finding about a log.
func about(log facts.Log, code finding.Code, first, last uint64) finding.Finding {
	return finding.Finding{Code: code, TenantID: log.TenantID, LogID: log.LogID, Sequence: first,
		LastSequence: last}.Complete()
}

// whole is a log of so many events that are all genuine.
func whole(log facts.Log, events uint64) walk.LogResult {
	return walk.LogResult{TenantID: log.TenantID, LogID: log.LogID, FirstSequence: 1, LastSequence: events, Events: events,
		HashValid: events, LinkValid: events, SignatureValid: events}
}

// use returns the use of a key that signed count events, with some signatures that hold.
func use(log facts.Log, key string, pinned bool, count, hold, intact, first uint64) walk.KeyUse {
	by := trust.Signatory{Role: trust.Audit}
	if isNode(log.LogID) {
		by = trust.Signatory{Role: trust.Node, Node: log.LogID[len("node/"):]}
	}
	return walk.KeyUse{Log: log, Kind: facts.SignedEvents, KeyID: key, By: by, Pinned: pinned, Count: count, Hold: hold,
		Intact: intact, First: first, Last: first + count - 1}
}

// factsOf returns the facts of a case with these logs.
func factsOf(logs []walk.LogResult, saw walk.Facts, found ...finding.Finding) Facts {
	if saw.Logs == nil {
		saw.Logs = map[facts.Log]walk.LogFacts{}
	}
	return Facts{Walk: &walk.Result{Logs: logs}, Saw: saw, Findings: found}
}

func codesOf(all []Cause) []Code {
	codes := []Code{}
	for _, c := range all {
		codes = append(codes, c.Code)
	}
	return codes
}

// rule is a case in which a rule names causes, in their order.
type rule struct {
	name string
	of   Facts
	want []Code
}

func keyRules() []rule {
	log := whole(berlin, 20)
	log.SignatureValid = 10
	unknown, invalid := about(berlin, finding.KeyUnknown, 11, 20), about(berlin, finding.SignatureInvalid, 11, 20)
	first := use(berlin, "berlin", true, 10, 10, 10, 1)
	of := func(second walk.KeyUse, found finding.Finding) Facts {
		return factsOf([]walk.LogResult{log}, walk.Facts{Keys: []walk.KeyUse{first, second}}, found)
	}
	other := use(berlin, "oslo", false, 10, 0, 10, 11)
	other.Other = true
	none := whole(oslo, 5)
	none.SignatureValid = 0
	strange := []walk.KeyUse{use(oslo, "oslo", true, 3, 0, 3, 1), use(oslo, "oslo/2", true, 2, 0, 2, 4)}
	one := slices.Clone(strange)
	one[1].Hold = 1
	return []rule{
		{"a key is not pinned", of(use(berlin, "berlin/2", false, 10, 0, 10, 11), unknown), []Code{TrustFileIncomplete}},
		{"a key is not pinned, and events were altered", of(use(berlin, "berlin/2", false, 10, 0, 8, 11), unknown),
			[]Code{AlteredStore}},
		{"another key is pinned", of(use(berlin, "berlin/2", true, 10, 0, 10, 11), invalid), []Code{TrustFileWrong}},
		{"one signature holds", of(use(berlin, "berlin/2", true, 10, 1, 10, 11), invalid), []Code{AlteredStore}},
		{"the key is another node's", of(other, about(berlin, finding.KeyOfOtherNode, 11, 20)), []Code{AlteredStore}},
		{"no key of a tenant holds", factsOf([]walk.LogResult{none}, walk.Facts{Keys: strange},
			about(oslo, finding.SignatureInvalid, 1, 5)), []Code{OtherEnvironment}},
		{"one signature of the tenant holds", factsOf([]walk.LogResult{none}, walk.Facts{Keys: one},
			about(oslo, finding.SignatureInvalid, 1, 5)), []Code{TrustFileWrong}},
		{"nothing was found", of(use(berlin, "berlin/2", false, 10, 0, 10, 11),
			about(berlin, finding.TailUnanchored, 11, 20)), []Code{}},
	}
}

func historyRules() []rule {
	contradicted := func(eventAt int64) Facts {
		return factsOf([]walk.LogResult{whole(berlin, 20)},
			walk.Facts{Logs: map[facts.Log]walk.LogFacts{berlin: {
				Contradicted: &walk.Contradiction{Sequence: 15, By: facts.NodeReport, AnchorAt: 1_000_000, EventAt: eventAt}}}},
			about(berlin, finding.AnchorMismatch, 15, 15), about(berlin, finding.TailMissing, 21, 22),
			about(berlin, finding.BatchIncomplete, 15, 16), about(berlin, finding.BatchIncomplete, 3, 14))
	}
	foreign := func(f walk.Foreign) Facts {
		return factsOf([]walk.LogResult{whole(berlin, 20)},
			walk.Facts{Logs: map[facts.Log]walk.LogFacts{berlin: {Foreign: f}}},
			about(berlin, finding.AlteredCopy, 1, 9))
	}
	far := func(strays ...walk.Range) Facts {
		log := whole(berlin, 20)
		log.Strays = strays
		return factsOf([]walk.LogResult{log}, walk.Facts{}, about(berlin, finding.SignatureInvalid, strays[0].First,
			strays[0].Last))
	}
	renamed := func(e walk.Elsewhere, events uint64) Facts {
		return factsOf([]walk.LogResult{{TenantID: "acme-corp", LogID: "node/berlin", HashValid: events}},
			walk.Facts{Logs: map[facts.Log]walk.LogFacts{
				berlin: {Elsewhere: &e, Strays: 9}}}, about(berlin, finding.HashMismatch, 1, 9))
	}
	return []rule{
		{"signed anew over older times", contradicted(900_000), []Code{TwoHistories, EventsDeleted}},
		{"gone on after the anchor", contradicted(1_300_001), []Code{TwoHistories, EventsDeleted}},
		{"a second history from the first event on", foreign(walk.Foreign{Copies: 9, Beside: 9, Linked: 9, First: 1,
			Last: 9}), []Code{ForeignJournal}},
		{"a second history that leaves the genuine one",
			foreign(walk.Foreign{Copies: 9, Beside: 9, Linked: 8, Leaving: 1, First: 1, Last: 9}), []Code{AlteredStore}},
		{"copies that do not follow each other", foreign(walk.Foreign{Copies: 9, Beside: 9, First: 1, Last: 9}),
			[]Code{AlteredStore}},
		{"an event far above the end", far(walk.Range{First: 5000, Last: 5000}), []Code{ForgedFarEvent}},
		{"the next event", far(walk.Range{First: 21, Last: 21}), []Code{AlteredStore}},
		{"all hashes are another log's", renamed(walk.Elsewhere{Log: oslo, Looked: 9, Same: 9}, 0), []Code{LogRenamed}},
		{"not all hashes are another log's", renamed(walk.Elsewhere{Log: oslo, Looked: 9, Same: 8}, 0), []Code{AlteredStore}},
		{"some events give their hash", renamed(walk.Elsewhere{Log: oslo, Looked: 9, Same: 9}, 1), []Code{AlteredStore}},
	}
}

func endRules() []rule {
	cut := func(log facts.Log, lastAt, beyondAt int64, others map[facts.Log]int64) Facts {
		l := whole(log, 20)
		l.Beyond = &walk.AnchorName{Sequence: 30}
		logs, saw := []walk.LogResult{l}, map[facts.Log]walk.LogFacts{log: {LastAt: lastAt, BeyondAt: beyondAt}}
		for other, at := range others {
			logs = append(logs, whole(other, 20))
			saw[other] = walk.LogFacts{LastAt: at}
		}
		return factsOf(logs, walk.Facts{Logs: saw}, about(log, finding.TailMissing, 21, 30))
	}
	absent := factsOf([]walk.LogResult{{TenantID: "acme-corp", LogID: "node/berlin"}}, walk.Facts{},
		about(berlin, finding.Absent, 1, 9))
	types := func(all ...crosscheck.LackedType) (m crosscheck.Lacked) {
		for _, t := range all {
			m.Events += t.Missing
		}
		m.Types, m.Known, m.Transactions = all, m.Events, []string{"tx-1", "tx-2"}
		return m
	}
	lacks := func(m crosscheck.Lacked, altered int64) Facts {
		lacking := about(berlin, finding.SourceDisagrees, 2, 2)
		lacking.Store = "b"
		f := factsOf([]walk.LogResult{whole(berlin, 9), whole(oslo, 9)}, walk.Facts{}, lacking)
		f.Compared = &crosscheck.Result{Stores: []crosscheck.Store{{Name: "a"}, {Name: "b", Altered: altered, Missing: &m}}}
		return f
	}
	by := func(eventType string, missing, here int64) crosscheck.LackedType {
		return crosscheck.LackedType{Type: eventType, Missing: missing, Here: here}
	}
	two := types(by("a", 3, 0), by("b", 3, 0), by("c", 0, 9))
	even := types(by("a", 8, 16), by("b", 8, 16))
	even.Period, even.Lost = 3, 1
	spared := types(by("a", 16, 32), by("b", 0, 16))
	spared.Types[0].Missing, spared.Period, spared.Lost = 16, 3, 1
	spared.Types = append(spared.Types, by("c", 1, 9))
	one := types(by("a", 2, 3), by("b", 1, 1))
	one.Transactions = one.Transactions[:1]
	return []rule{
		{"the anchors are younger than the copy", cut(berlin, 1000, 2000, nil), []Code{CopyOrder, EventsDeleted}},
		{"an anchor is as old as the last event", cut(berlin, 2000, 2000, nil), []Code{EventsDeleted}},
		{"another journal goes on", cut(berlin, 1000, 2000, map[facts.Log]int64{oslo: 2001}),
			[]Code{EventsDeleted, CopyOrder}},
		{"only the tenant log goes on", cut(berlin, 1000, 2000, map[facts.Log]int64{tenant: 9000, oslo: 2000}),
			[]Code{CopyOrder, EventsDeleted}},
		{"nothing was given", absent, []Code{NotCollected}},
		{"all is lacking of one transaction", lacks(one, 0), []Code{EventsDeleted}},
		{"all is lacking of one type", lacks(types(by("a", 9, 0), by("b", 0, 9)), 0), []Code{EventsDeleted}},
		{"all is lacking of two types", lacks(two, 0), []Code{LossyStore}},
		{"all is lacking of two types, and one event more",
			lacks(types(by("a", 3, 0), by("b", 3, 0), by("c", 1, 8)), 0), []Code{EventsDeleted}},
		{"all is lacking of two types, and something was altered", lacks(two, 1), []Code{EventsDeleted}},
		{"all is lacking of all types", lacks(types(by("a", 3, 0), by("b", 3, 0)), 0), []Code{EventsDeleted}},
		{"one of three is lacking", lacks(even, 0), []Code{LossyStore}},
		{"one of three is lacking, but none of one type", lacks(spared, 0), []Code{EventsDeleted}},
		{"some are lacking of two types", lacks(types(by("a", 8, 9), by("b", 8, 9)), 0), []Code{EventsDeleted}},
	}
}

// Update writes the golden files anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// TestRules: each rule names its cause where its facts are, and not where one of
// them is another. The golden file has all that is said then.
func TestRules(t *testing.T) {
	var all strings.Builder
	for _, tt := range slices.Concat(keyRules(), historyRules(), endRules(), forkRules(), environmentRules(),
		lackRules()) {
		t.Run(tt.name, func(t *testing.T) {
			found := Find(tt.of)
			check.That(t, slices.Equal(tt.want, codesOf(found)), "found %q, want %q", codesOf(found), tt.want)
			all.WriteString("# " + tt.name + "\n")
			for _, c := range found {
				must.Do(t, json.NewEncoder(&all).Encode(c))
				check.That(t, (len(c.For) > 0 || len(c.Against) > 0) && c.Next != "" &&
					!regexp.MustCompile(`[{}]`).MatchString(c.Message+c.Next), "%+v is not written whole", c)
			}
		})
	}
	const file = "testdata/rules.golden"
	if *Update {
		must.Do(t, os.WriteFile(file, []byte(all.String()), 0o644))
	}
	if d := cmp.Diff(string(must.Get(os.ReadFile(file))(t)), all.String()); d != "" {
		t.Errorf("%s (run with -update to accept):\n%s", file, d)
	}
}

// TestEveryCodeIsNamed: some case names each code of the registry, or the tests of
// package cases do.
func TestEveryCodeIsNamed(t *testing.T) {
	// Those that scripts lead to, and one that is given no more and keeps its name.
	named := []Code{UnreadSource, AuditKeyMisused, NodeKeyMisused, EitherKeyMisused, StolenNodeKey}
	for _, tt := range slices.Concat(keyRules(), historyRules(), endRules(), forkRules(), environmentRules(), lackRules()) {
		named = append(named, tt.want...)
	}
	for _, e := range finding.Codes("causes") {
		check.That(t, slices.Contains(named, e.Code), "no rule names %s", e.Code)
		_, ok := finding.Lookup(e.Code)
		check.That(t, ok && e.Sentence != "" && e.Arises != "" && e.Next != "", "%s is told in part", e.Code)
	}
	_, ok := finding.Lookup("cause.none")
	check.That(t, !ok, "a code that is not there is found")
}

// TestManyCauses: causes of one code beyond the bound are reported as one, and no finding is
// left out.
func TestManyCauses(t *testing.T) {
	var found []finding.Finding
	for n := range uint64(40) {
		log := facts.Log{TenantID: "acme-corp", LogID: "node/n" + string(rune('a'+n))}
		found = append(found, about(log, finding.Absent, 1, 9))
	}
	all := Find(factsOf(nil, walk.Facts{}, found...))
	findings := 0
	for _, c := range all {
		findings += len(c.Findings)
	}
	check.That(t, len(all) == mostOfKind && findings == len(found), "%d causes of %d findings", len(all), findings)
}

func TestMoved(t *testing.T) {
	all := []Cause{{Code: CopyOrder, Findings: []int{0, 2}}, {Code: LossyStore, Findings: []int{1}}}
	got := Moved(all, map[int]int{0: 5, 2: 3})
	check.That(t, len(got) == 1 && slices.Equal(got[0].Findings, []int{3, 5}) &&
		slices.Equal(all[0].Findings, []int{0, 2}), "%v", got)
	words := Cause{Findings: []int{0, 1, 2, 9}}.Follow([]finding.Finding{{Code: finding.Gap}, {Code: finding.Fork},
		{Code: finding.Gap}})
	check.That(t, words == "chain.fork, chain.gap (2)", "%v", words)
}
