package finding

import "slices"

// Code names a defect, as <thing>.<defect>.
type Code string

// Severity describes how much a finding matters to an investigator.
type Severity string

// The severities, from the worst.
const (
	Critical Severity = "critical" // evidence of tampering
	High     Severity = "high"
	Medium   Severity = "medium"
	Info     Severity = "info"
)

// Severities returns the severities, from the worst.
func Severities() []Severity { return []Severity{Critical, High, Medium, Info} }

// Rank orders severities, the worst first. One that is not known comes before all.
func (s Severity) Rank() int { return slices.Index(Severities(), s) }

// Effect is the effect of a finding on a verdict.
type Effect string

// The effects. Rejects outweighs LeavesOpen.
const (
	Rejects    Effect = "rejects"      // the evidence is bad
	LeavesOpen Effect = "inconclusive" // the evidence does not suffice for an answer
	None       Effect = "none"
)

// Rank orders effects, Rejects first.
func (e Effect) Rank() int { return slices.Index([]Effect{Rejects, LeavesOpen, None}, e) }

// Subject states whether a finding blames a log or a source.
type Subject string

// The subjects. An altered copy next to the genuine event is its source's fault; the log
// itself is not affected.
const (
	Log    Subject = "log"
	Source Subject = "source"
)

// Bearing is the question that a finding helps to answer.
type Bearing string

// The bearings.
const (
	Integrity    Bearing = "integrity"    // is everything genuine and linked?
	Completeness Bearing = "completeness" // is everything there?
)

// Merge describes which findings of a code a walk lists as one.
type Merge string

// The ways to merge.
const (
	Apart           Merge = ""           // each by itself
	Neighbours      Merge = "neighbours" // those on events that follow each other
	NeighboursByKey Merge = "neighbours-by-key"
	SameKey         Merge = "same-key"   // those about one key, wherever they are
	SameRange       Merge = "same-range" // those about the same events, which every branch of a log may lack
)

// Sign names the attack or fault that a finding is a sign of, if nothing more specific
// explains it.
type Sign string

// The signs.
const (
	NoSign         Sign = ""
	Unread         Sign = "unread"           // something could not be read
	Loss           Sign = "loss"             // a store or a collector does not keep everything, by design
	Alteration     Sign = "alteration"       // by someone without a key
	Deletion       Sign = "deletion"         // of events
	NotCollected   Sign = "not-collected"    // a log or a part of it was not given
	BesideJournal  Sign = "beside-journal"   // a node's key signed statements missing from its journal
	NodeKeyMisuse  Sign = "node-key-misuse"  // content that the node's key signed contradicts something
	AuditKeyMisuse Sign = "audit-key-misuse" // content that the audit key signed contradicts something
	KeyMisuse      Sign = "key-misuse"       // either: in a node's log of its key, in the tenant's log of the audit key
	RecordDispute  Sign = "record-dispute"   // two keys signed contradictory content
)

// Mark is how a finding is drawn in the picture of a log.
type Mark string

// The marks.
const (
	NoMark       Mark = ""
	Altered      Mark = "altered"      // an event or link that does not hold
	Unverified   Mark = "unverified"   // no key to tell, or content that was taken apart on the way
	Forked       Mark = "forked"       // two signed histories part
	Contradicted Mark = "contradicted" // an anchor that names another event
	BadCopy      Mark = "bad-copy"     // a copy that does not hold, which is its source's fault
)

// Thing is a part of the evidence that a finding calls bad, and [Defect] the reason.
type Thing string

// The things.
const (
	Events  Thing = "events"
	Copies  Thing = "copies" // altered, next to the genuine events
	Links   Thing = "links"  // between events
	Reports Thing = "reports"
	Anchors Thing = "anchors"
	Bundles Thing = "bundles"
)

// Defect is the reason why a [Thing] is bad.
type Defect string

// The defects.
const (
	WrongHash      Defect = "hash"       // another hash is written there
	WrongSignature Defect = "signature"  // its signature does not hold
	UnknownKey     Defect = "key"        // its key is not pinned
	OthersKey      Defect = "others-key" // its key belongs to another owner
	OtherHistory   Defect = "history"    // the log has two histories
	CutShort       Defect = "cut"        // a part was cut off
)

// Lack is a part of the evidence that a finding calls missing.
type Lack string

// The lacks: events of a log, by their place in it; events that another source contains, by
// the place that lacks them; and statements that should accompany others.
const (
	EventsBetween Lack = "between"
	EventsAtHead  Lack = "head"
	EventsAtTail  Lack = "tail"
	WholeLog      Lack = "log"
	InStore       Lack = "store"
	InJournal     Lack = "journal"
	InBatch       Lack = "batch"
	RecordOf      Lack = "record" // in a log, of a signed statement
	AnchorOf      Lack = "anchor" // above the last events
)

// Hiding is how much of a source may hold events that were not read.
type Hiding string

// The ways to hide.
const (
	HidesRest    Hiding = ""
	HidesSpan    Hiding = "span" // the span of the finding, if it is not empty
	HidesNothing Hiding = "nothing"
)

// Entry contains the fixed properties of a code. A text in it is a template: {name} in it is
// replaced by a value of the finding, such as {log}, {events}, {expected} and {found}.
type Entry struct {
	Code      Code
	Group     string // the name of its [Group]
	Order     int    // the place in the text, by which equal findings are listed; -1 for an unknown code
	Severity  Severity
	Effect    Effect
	Subject   Subject
	Bearing   Bearing
	Mark      Mark
	Merge     Merge
	Checks    []string // that find it in a bundle
	SignOf    Sign
	About     Thing
	Defect    Defect
	Lacks     Lack
	Hides     Hiding
	Elsewhere bool   // its places are not the places of the fault itself
	Counts    Code   // its code where it has to leave the verdict open, "" if that depends on nothing
	Open      bool   // something was not verified
	Foreign   bool   // it is about a file that is probably no evidence at all
	Spec      string // the section of the specification that the evidence departs from, "" for a matter of handling

	Sentence     string   // the fault
	Arises       string   // how it comes about
	Contrast     string   // the expected and the found value
	Explanations []string // other possible explanations, without tampering
	Next         string   // what to do

	Was       []Code   // older codes that became this one
	constants []string // the names of its constants, each package.Name
}

// OfCase reports whether a walk of a case can find the code.
func (e Entry) OfCase() bool { return e.Group == "logs" }

// IsUnread reports whether the code is about a part that was not read, or not examined.
func (e Entry) IsUnread() bool { return e.Effect != None || e.Counts != "" }

// Missing reports whether the code means that events of a log are missing.
func (e Entry) Missing() bool {
	return slices.Contains([]Lack{EventsBetween, EventsAtHead, EventsAtTail, WholeLog}, e.Lacks)
}

// MisusesKey reports whether the code means that a key signed content that contradicts other
// evidence.
func (e Entry) MisusesKey() bool {
	return slices.Contains([]Sign{BesideJournal, NodeKeyMisuse, AuditKeyMisuse, KeyMisuse}, e.SignOf)
}

// Text returns the whole sentence of an entry: the fault, and the contrast.
func (e Entry) Text() string {
	if e.Sentence == "" || e.Contrast == "" {
		return e.Sentence + e.Contrast
	}
	return e.Sentence + ": " + e.Contrast
}

// Sentence returns the sentence of a code, without the expected and the found value.
func (c Code) Sentence() string {
	return c.Entry().Sentence
}
