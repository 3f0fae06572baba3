package messy

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Class is the answer that an examination must give.
type Class string

// The classes.
const (
	Rejected      Class = "rejected"
	NeverVerified Class = "never verified"
	Told          Class = "verified with a named finding" // or open, depending on the other acts
)

// Alteration is something that an examination must not let pass.
type Alteration struct {
	Name      string
	Class     Class
	Code      string   // of a finding that there must be, "" for any
	Cause     string   // that must be named, "" for any
	NotCause  string   // that must not be named
	Collected []string // the collection times that the user states
	Log       string   // that it is about, "" for several

	whole  bool   // nothing else may be there that was not read
	script string // of package tamper, that plays it
	do     func(*alterer) string
}

// alterer plays an alteration.
type alterer struct {
	*Collection
	draw    *chance.Stream // so that the alteration does not depend on the other acts
	journal string         // a file
	lines   [][]byte       // of the journal
	at      int            // a line from its second quarter
}

// Alterations are all of them.
var Alterations = []Alteration{
	{Name: "an octet of a body", Class: NeverVerified, do: (*alterer).bodyOctet},
	{Name: "an octet of a link", Class: NeverVerified, do: func(a *alterer) string { return a.memberOctet("previous_hash") }},
	{Name: "an octet of a skip link", Class: NeverVerified, do: func(a *alterer) string { return a.memberOctet("skip_hash") }},
	{Name: "an octet of a hash", Class: NeverVerified, do: func(a *alterer) string { return a.memberOctet("hash") }},
	{Name: "an octet of a signature", Class: NeverVerified, do: func(a *alterer) string { return a.memberOctet("signature") }},
	{Name: "an octet of a signed document", Class: NeverVerified, do: (*alterer).documentOctet},
	{Name: "the time of an event", Class: Rejected, do: (*alterer).redateEvent},
	{Name: "an altered copy of an event", Class: Rejected, Code: "event.altered-copy", do: (*alterer).alteredCopy},
	{Name: "signatures exchanged", Class: Rejected, do: (*alterer).exchangeSignatures},
	{Name: "an event altered in a store", Class: Rejected, Code: "source.altered", do: (*alterer).alteredInStore},
	{Name: "an event removed from a journal", Class: Rejected, Code: "journal.lacks-events",
		do: func(a *alterer) string { return a.removeEvent(a.at, 1) }},
	{Name: "events of a range removed from a journal", Class: Rejected, Code: "journal.lacks-events",
		do: func(a *alterer) string { return a.removeEvent(a.at, 2+a.draw.Below(len(a.lines)/8)) }},
	{Name: "the first events removed from a journal", Class: Rejected, Code: "journal.lacks-events",
		do: func(a *alterer) string { return a.removeEvent(0, 1+a.draw.Below(len(a.lines)/2)) }},
	{Name: "an event removed from a store", Class: Rejected, Code: "source.disagrees", do: (*alterer).removeInStore},
	{Name: "an end that a store has", Class: Told, Code: "journal.ends-early", do: (*alterer).cutEnd},
	{Name: "an end that was there when it was collected", Class: Rejected, Code: "journal.lacks-events",
		Collected: []string{"2027-01-01T00:00:00Z"}, do: (*alterer).cutEnd},
	{Name: "an end that anchors have", Class: NeverVerified, Code: "journal.tail-missing", whole: true, do: (*alterer).cutBelowAnchor},
	{Name: "an anchored end that was there when it was collected", Class: Rejected, Code: "journal.tail-truncated",
		Collected: []string{"2027-01-01T00:00:00Z"}, whole: true, do: (*alterer).cutBelowAnchor},
	{Name: "a restored node signs again", Class: Rejected, Code: "chain.fork", Cause: "cause.two-histories",
		NotCause: "cause.stolen-node-key", script: "restore-backup"},
	{Name: "a copy of a node signs beside it", Class: Rejected, Code: "chain.fork", Cause: "cause.two-histories",
		NotCause: "cause.stolen-node-key", script: "second-copy"},
	{Name: "a node begins anew", Class: Rejected, Code: "chain.fork", Cause: "cause.two-histories",
		NotCause: "cause.stolen-node-key", script: "restart"},
	{Name: "a second history", Class: Rejected, Code: "chain.fork", script: "fork"},
	{Name: "a tail signed anew", Class: Rejected, Code: "chain.fork", script: "rewrite-tail"},
	{Name: "an approval of nothing", Class: NeverVerified, Code: "record.disputed", script: "approval-of-nothing"},
	{Name: "another head witnessed", Class: NeverVerified, Code: "record.disputed", script: "witness-other-history"},
	{Name: "another head witnessed by two", Class: Rejected, Code: "witness.other-history",
		script: "two-witness-other-history"},
	{Name: "issued twice", Class: Rejected, Code: "transaction.issued-twice", script: "issued-twice"},
	{Name: "issued while paused", Class: Rejected, Code: "transaction.issued-while-paused",
		script: "issued-while-paused"},
	{Name: "two checkpoints of one event", Class: Rejected, Code: "anchor.split-view", script: "split-view"},
	{Name: "an event far above the end", Class: Rejected, script: "sign-far-event"},
}

// searchedStore is the store that every altered collection has: it keeps the events removed
// from a journal, and loses the events removed from a store.
const searchedStore = "stores/loki/query.jsonl"

// Altered makes a collection as [Source.Make] does, after an alteration of its evidence.
// Nothing in it ends early for another reason, and the trust file has all keys.
func (s *Source) Altered(a Alteration, seed uint64) (*Collection, Alteration) {
	e := s.genuine
	if a.script != "" {
		e = s.evidenceAfter(a.script)
	}
	c := s.beginWith(e, seed)
	c.Files[searchedStore] = seal.Must(e.Content(searchedStore))
	if a.do != nil {
		a.Log = a.do(newAlterer(c, a.Name))
	}
	others := fileActs
	if !a.whole {
		others = slices.Concat(fileActs, textActs, proofActs)
	}
	for range c.draw.Below(3) {
		c.playAct(others[c.draw.Below(len(others))])
	}
	return c, a
}

func newAlterer(c *Collection, name string) *alterer {
	a := &alterer{Collection: c, draw: chance.New(c.Seed).Stream(name)}
	journals := slices.DeleteFunc(c.wholeLogs(), func(l string) bool { return !strings.HasPrefix(l, "journals/") })
	a.journal = journals[a.draw.Below(len(journals))]
	a.lines = linesOf(c.Files[a.journal])
	a.at = len(a.lines)/4 + a.draw.Below(len(a.lines)/4)
	return a
}

// journalLog is the id of the log of the journal.
func (a *alterer) journalLog() string {
	return "node/" + strings.TrimSuffix(strings.TrimPrefix(a.journal, "journals/"), ".ndjson")
}

// writeLines puts the lines in the place of the journal, and returns its log.
func (a *alterer) writeLines() string {
	a.Files[a.journal] = joinLines(a.lines...)
	return a.journalLog()
}

// anyLine chooses any line of the journal, and returns a copy of it in its place.
func (a *alterer) anyLine() []byte {
	a.at = a.draw.Below(len(a.lines))
	a.lines[a.at] = slices.Clone(a.lines[a.at])
	return a.lines[a.at]
}

// bodyOctet makes a byte of a body another one, but for the end of a line.
func (a *alterer) bodyOctet() string {
	line := a.anyLine()
	from, to := bytes.Index(line, []byte(`{"body":`))+len(`{"body":`), bytes.LastIndex(line, []byte(`,"hash":"`))
	i := from + a.draw.Below(to-from)
	for was := line[i]; line[i] == was || line[i] == '\n' || line[i] == '\r'; {
		line[i] = was ^ byte(1+a.draw.Below(127))
	}
	a.writeLines()
	return ""
}

// lastValue returns where the last text of a member is in a line.
func lastValue(line []byte, member string) (from, to int) {
	from = bytes.LastIndex(line, []byte(`,"`+member+`":"`)) + len(member) + 5
	return from, from + bytes.IndexByte(line[from:], '"')
}

// otherDigit returns another digit of a hash.
func (a *alterer) otherDigit(was byte) byte {
	const digits = "0123456789abcdef"
	for {
		if d := digits[a.draw.Below(len(digits))]; d != was {
			return d
		}
	}
}

// memberOctet makes a digit of a hash or of a signature another one.
func (a *alterer) memberOctet(member string) string {
	line := a.anyLine()
	from, to := lastValue(line, member)
	i := from + a.draw.Below(to-from)
	line[i] = a.otherDigit(line[i])
	a.writeLines()
	return ""
}

// documentOctet does so in a checkpoint, a cursor or a bundle.
func (a *alterer) documentOctet() string {
	names := slices.DeleteFunc(a.Names(), func(n string) bool {
		return n != "checkpoints.ndjson" && !strings.HasPrefix(n, "cursors/") && !strings.HasPrefix(n, "bundles/")
	})
	name := names[a.draw.Below(len(names))]
	content := slices.Clone(a.Files[name])
	var ends []int // of the member before the digits
	for i := range content {
		if bytes.HasPrefix(content[i:], []byte(`"signature":"`)) {
			ends = append(ends, i+len(`"signature":"`))
		}
	}
	i := ends[a.draw.Below(len(ends))] + a.draw.Below(80)
	content[i] = a.otherDigit(content[i])
	a.Files[name] = content
	return ""
}

// redateEvent dates an event a thousand years later.
func (a *alterer) redateEvent() string {
	a.lines[a.at] = shiftTime(a.lines[a.at])
	return a.writeLines()
}

func shiftTime(line []byte) []byte {
	return bytes.Replace(line, []byte(`"occurred_at":"2`), []byte(`"occurred_at":"3`), 1)
}

func (a *alterer) alteredCopy() string {
	a.lines = slices.Insert(a.lines, a.draw.Below(len(a.lines)), shiftTime(a.lines[a.at]))
	a.writeLines()
	return "" // the log is as good as it was
}

// exchangeSignatures has two events exchange their signatures.
func (a *alterer) exchangeSignatures() string {
	first, second := a.lines[a.at], a.lines[a.at+1]
	i, j := lastValue(first, "signature")
	k, l := lastValue(second, "signature")
	a.lines[a.at] = slices.Concat(first[:i], second[k:l], first[j:])
	a.lines[a.at+1] = slices.Concat(second[:k], first[i:j], second[l:])
	return a.writeLines()
}

// storedHash is how the store writes the hash of the event.
func (a *alterer) storedHash() []byte {
	from, to := lastValue(a.lines[a.at], "hash")
	return slices.Concat([]byte(`,\"hash\":\"`), a.lines[a.at][from:to])
}

func (a *alterer) alteredInStore() string {
	lines := linesOf(a.Files[searchedStore])
	for i, line := range lines {
		if bytes.Contains(line, a.storedHash()) { // a retry has it as well
			lines[i] = bytes.Replace(line, []byte(`\"occurred_at\":\"2`), []byte(`\"occurred_at\":\"3`), 1)
		}
	}
	a.Files[searchedStore] = joinLines(lines...)
	return ""
}

func (a *alterer) removeInStore() string {
	hash := a.storedHash()
	a.Files[searchedStore] = joinLines(slices.DeleteFunc(linesOf(a.Files[searchedStore]),
		func(l []byte) bool { return bytes.Contains(l, hash) })...)
	return ""
}

func (a *alterer) removeEvent(at, n int) string {
	a.lines = slices.Delete(a.lines, at, at+n)
	return a.writeLines()
}

// cutEnd removes the end of the journal, which the store has.
func (a *alterer) cutEnd() string {
	n := 1 + a.draw.Below(len(a.lines)/2)
	a.lines = a.lines[:len(a.lines)-n]
	return a.writeLines()
}

// cutBelowAnchor removes the end of the journal, which nothing has but an export cursor
// names.
func (a *alterer) cutBelowAnchor() string {
	maps.DeleteFunc(a.Files, func(name string, _ []byte) bool { return strings.HasPrefix(name, "stores/") })
	return a.cutEnd()
}
