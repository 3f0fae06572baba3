package archive

import (
	"slices"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/outcome"
)

// Counts are how many objects there are of each kind. Objects is the sum of the classes, the
// sum of the four verdicts, and the sum of the five kinds.
type Counts struct {
	Objects int64           `json:"objects"`
	Octets  int64           `json:"octets"` // that the objects have together, as far as known
	Classes map[Class]int64 `json:"classes"`

	// By verdict, of the bytes that were there when they were last read.
	Verified     int64 `json:"verified"`
	Rejected     int64 `json:"rejected"`
	Inconclusive int64 `json:"inconclusive"`
	NoVerdict    int64 `json:"no_verdict"` // no evidence, missing, unreadable or never read

	// By kind, likewise.
	Bundles int64 `json:"bundles"`
	Cases   int64 `json:"cases"`
	Logs    int64 `json:"logs"`
	Others  int64 `json:"others"`
	Unknown int64 `json:"unknown"` // never read

	// Parts of the above.
	Accepted   int64 `json:"accepted"`          // rejected, and accepted as they are
	Tolerated  int64 `json:"tolerated"`         // inconclusive, and accepted as they are
	Lost       int64 `json:"lost"`              // verified before, and no longer
	Unlike     int64 `json:"replaced_by_other"` // replaced by evidence about something else
	OldContext int64 `json:"other_context"`     // not read, and judged under another trust file, policy or rules

	Read       int64 `json:"read"` // in this run
	ReadOctets int64 `json:"read_octets"`
	Reused     int64 `json:"reused"` // read, and their verdict was used again
}

func newCounts() Counts {
	c := Counts{Classes: map[Class]int64{}}
	for _, class := range Classes() {
		c.Classes[class] = 0
	}
	return c
}

// became is the result of one object, as far as it is counted.
type became struct {
	class      Class
	kind       object.Kind   // "" if nothing of it was ever read
	verdict    outcome.Class // "" for none
	octets     int64
	read       bool
	reused     bool
	accepted   bool
	lost       bool
	unlike     bool
	oldContext bool
	said       object.Tally
	fault      string // why it could not be read
}

// add counts an object.
func (c *Counts) add(b became) {
	c.Objects++
	c.Octets += b.octets
	c.Classes[b.class]++
	*c.OfVerdict(b.verdict)++
	*c.ofKind(b.kind)++
	for _, part := range []struct {
		is bool
		n  *int64
	}{
		{b.accepted && b.verdict == outcome.Rejected, &c.Accepted},
		{b.accepted && b.verdict == outcome.Inconclusive, &c.Tolerated}, {b.lost, &c.Lost}, {b.unlike, &c.Unlike},
		{b.oldContext, &c.OldContext}, {b.read, &c.Read}, {b.reused, &c.Reused},
	} {
		if part.is {
			*part.n++
		}
	}
	if b.read {
		c.ReadOctets += b.octets
	}
}

// OfVerdict returns the number of objects with a verdict, or with none.
func (c *Counts) OfVerdict(v outcome.Class) *int64 {
	switch v {
	case outcome.Verified:
		return &c.Verified
	case outcome.Rejected:
		return &c.Rejected
	case outcome.Inconclusive:
		return &c.Inconclusive
	}
	return &c.NoVerdict
}

func (c *Counts) ofKind(k object.Kind) *int64 {
	switch k {
	case object.Bundle:
		return &c.Bundles
	case object.Case:
		return &c.Cases
	case object.Logs:
		return &c.Logs
	case object.Other:
		return &c.Others
	}
	return &c.Unknown
}

// State contains the facts that decide about a run, besides its counts.
type State struct {
	Gone       bool // most of the archive is gone at once
	Edited     bool // the ledger was changed by something else than this program
	Unexpected bool // the ledger is not the one that was expected
	Foreign    bool // the ledger is under another user's key
	Stopped    bool // the run was stopped
}

// Verdict returns the verdict on a run. It decides the exit code, and nothing else does.
func (c *Counts) Verdict(s State) outcome.Class {
	of := c.Classes
	switch {
	case s.Gone || s.Edited,
		of[Missing]+of[Altered] > 0, c.Rejected > c.Accepted, c.Lost+c.Unlike > 0:
		return outcome.Rejected
	case of[Unreadable] > 0:
		return outcome.Unreadable
	case s.Foreign || s.Stopped || s.Unexpected,
		of[Stale] > 0, c.Inconclusive > c.Tolerated, c.OldContext > 0, c.Read == 0,
		c.Verified+c.Rejected+c.Inconclusive == 0: // nothing of it is evidence
		return outcome.Inconclusive
	}
	return outcome.Verified
}

// named returns the counts as the record of the run has them.
func (c *Counts) named() map[string]int64 {
	all := map[string]int64{"verified": c.Verified, "rejected": c.Rejected, "inconclusive": c.Inconclusive,
		"no-verdict": c.NoVerdict, "accepted": c.Accepted + c.Tolerated, "read": c.Read}
	for class, n := range c.Classes {
		all[string(class)] = n
	}
	return all
}

// Class is the change of one object since it was last read.
type Class string

// The classes. The first that fits counts.
const (
	Ignored        Class = "ignored"         // it was passed over for the first time, and left the ledger
	Unreadable     Class = "unreadable"      // its bytes could not be read
	Missing        Class = "missing"         // it is not there
	Repacked       Class = "repacked"        // other bytes of logs, there or at another path, with the same evidence
	Moved          Class = "moved"           // the same bytes are at another path
	Replaced       Class = "replaced"        // other bytes, which verify
	Grown          Class = "grown"           // logs whose old bytes are their beginning
	Altered        Class = "altered"         // other bytes
	VerdictChanged Class = "verdict-changed" // the same bytes, another verdict
	Added          Class = "added"           // it was not there before
	Stale          Class = "stale"           // read too long ago, or never
	Unread         Class = "not-read"        // not read in this run, and not stale
	Intact         Class = "intact"          // read, and as it was
)

// Classes returns all classes, in the order in which they are decided.
func Classes() []Class {
	return []Class{Ignored, Unreadable, Missing, Repacked, Moved, Replaced, Grown, Altered, VerdictChanged, Added, Stale,
		Unread, Intact}
}

// goesOn reports whether the bytes that were read are the object's, so that their verdict is
// the object's too.
func (c Class) goesOn() bool {
	return c == Repacked || c == Grown || c == VerdictChanged || c == Added || c == Intact
}

// Observed contains the knowledge of a run about one object, as far as its class depends on
// it.
type Observed struct {
	Known   bool // the ledger has it
	Ignored bool // the patterns of the run cover it, and it is no evidence
	// Wrong is the fault that an earlier run found, and that no one accepted: unreadable,
	// missing, altered or replaced; "" for none.
	Wrong Class
	There bool // the folder has something of its path, or cannot tell

	Fault     bool // it is there, and its bytes could not be read
	Elsewhere bool // it is not there, and a new path has its bytes
	Read      bool // its bytes were read in this run

	Same      bool // of an object that is known and was read: the bytes that the ledger has
	Repacked  bool // other bytes, or at a new path: verified before and now, with the same evidence
	Continues bool // it is logs, and the bytes that the ledger has are its beginning
	Verified  bool // its bytes are verified
	Changed   bool // their verdict is another than the ledger has
	Old       bool // its last reading is older than requested
}

// kept reports whether an object that was not read in this run still has the fault that an
// earlier run found.
func (o Observed) kept(c Class) bool { return o.Known && o.There && !o.Read && o.Wrong == c }

// differs reports whether the object has other bytes than the ledger has.
func (o Observed) differs() bool { return o.Known && o.Read && !o.Same }

// rule is a class and its condition.
type rule struct {
	class Class
	fits  func(Observed) bool
}

// rules are the classes with their conditions, in the order of [Classes].
var rules = []rule{
	{Ignored, func(o Observed) bool { return o.Ignored }},
	{Unreadable, func(o Observed) bool { return o.There && o.Fault || o.kept(Unreadable) }},
	{Missing, func(o Observed) bool { return !o.There && !o.Elsewhere || o.kept(Missing) }},
	{Repacked, func(o Observed) bool { return o.Repacked }},
	{Moved, func(o Observed) bool { return !o.There }},
	{Replaced, func(o Observed) bool { return o.differs() && o.Verified && !o.Continues || o.kept(Replaced) }},
	{Grown, func(o Observed) bool { return o.differs() && o.Continues }},
	{Altered, func(o Observed) bool { return o.differs() || o.kept(Altered) }},
	{VerdictChanged, func(o Observed) bool { return o.Known && o.Read && o.Changed }},
	{Added, func(o Observed) bool { return !o.Known && o.Read }},
	{Stale, func(o Observed) bool { return !o.Read && (o.Old || !o.Known) }},
	{Unread, func(o Observed) bool { return !o.Read }},
	{Intact, func(Observed) bool { return true }},
}

// Classify returns the class of an object: the first whose rule fits.
func Classify(o Observed) Class {
	return rules[slices.IndexFunc(rules, func(r rule) bool { return r.fits(o) })].class
}
