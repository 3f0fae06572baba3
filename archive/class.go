package archive

import "slices"

// Class is what became of one object since it was read last.
type Class string

// The classes. The first that fits counts.
const (
	Unreadable     Class = "unreadable"      // its octets could not be read
	Missing        Class = "missing"         // it is not there
	Moved          Class = "moved"           // the same octets are at another path
	Replaced       Class = "replaced"        // other octets, which verify
	Grown          Class = "grown"           // logs whose old octets are their beginning
	Altered        Class = "altered"         // other octets
	VerdictChanged Class = "verdict-changed" // the same octets, another verdict
	Added          Class = "added"           // it was not there before
	Stale          Class = "stale"           // read too long ago, or never
	Unread         Class = "not-read"        // not read in this run, and not stale
	Intact         Class = "intact"          // read, and as it was
)

// Classes returns all classes, in the order in which they are decided.
func Classes() []Class {
	return []Class{Unreadable, Missing, Moved, Replaced, Grown, Altered, VerdictChanged, Added, Stale, Unread, Intact}
}

// goesOn reports whether the octets that were read are those of the object, whose
// verdict then is the object's.
func (c Class) goesOn() bool {
	return c == Grown || c == VerdictChanged || c == Added || c == Intact
}

// Observed is what a run knows of one object, as far as its class depends on it.
type Observed struct {
	Known bool // the ledger has it
	// Wrong is what an earlier run found wrong with it, which nobody accepted:
	// unreadable, missing, altered or replaced; "" for nothing.
	Wrong Class
	There bool // the folder has something of its path, or cannot tell

	Fault     bool // it is there, and its octets could not be read
	Elsewhere bool // it is not there, and a new path has its octets
	Read      bool // its octets were read in this run

	Same      bool // of an object that is known and was read: the octets that the ledger has
	Continues bool // it is logs, and the octets that the ledger has are its beginning
	Verified  bool // its octets are verified
	Changed   bool // their verdict is another than the ledger has
	Old       bool // its last reading is older than was asked for
}

// kept reports whether an object that was not read in this run is still what an
// earlier run found.
func (o Observed) kept(c Class) bool { return o.Known && o.There && !o.Read && o.Wrong == c }

// differs reports whether the object has other octets than the ledger has.
func (o Observed) differs() bool { return o.Known && o.Read && !o.Same }

// rule is what a class asks for.
type rule struct {
	class Class
	fits  func(Observed) bool
}

// rules are the classes with what each of them asks for, in the order of [Classes].
var rules = []rule{
	{Unreadable, func(o Observed) bool { return o.There && o.Fault || o.kept(Unreadable) }},
	{Missing, func(o Observed) bool { return !o.There && !o.Elsewhere || o.kept(Missing) }},
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
