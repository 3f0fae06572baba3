package crosscheck

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/verify"
)

// Rules is the version of the rules of a crosscheck. It is raised whenever the same
// case gives a different result, so that results kept by an earlier program are not
// used.
const Rules = 5

// Result is the result of a crosscheck: the comparisons and the findings. Package
// verdict makes a verdict of them. The same case, trust file and options give the
// same result, byte for byte. Compared counts the comparisons.
type Result struct {
	Compared   int64       `json:"compared"`
	Bundles    []Bundle    `json:"bundles"`
	Statements []Statement `json:"statements"`
	Journals   []Journal   `json:"journals"`
	Pauses     []Pause     `json:"pauses"`
	// FurtherPauses counts the pauses that are not listed.
	FurtherPauses int64             `json:"further_pauses,omitempty"`
	Stores        []Store           `json:"stores"` // in the order of Stretch.Stores
	Witnessed     []Witnessed       `json:"witnessed"`
	EndsEarly     []EndsEarly       `json:"ends_early"` // by tenant, log and store
	Presence      []Log             `json:"presence"`
	Findings      []finding.Finding `json:"findings"`
}

// Store is a store of copies of events: one or more files of the case. Only the
// first of its paths are listed. All counts are of events, over all logs.
type Store struct {
	Name    string   `json:"name"`
	Rule    Rule     `json:"rule"`
	Parts   int      `json:"parts"` // files, those in archives included
	Paths   []string `json:"paths"`
	State   Standing `json:"state"`
	Events  int64    `json:"events"`  // that it holds, in whatever state
	Shared  int64    `json:"shared"`  // that it and another store hold, as genuine
	Lossy   int64    `json:"lossy"`   // from which a transport lost something
	Altered int64    `json:"altered"` // that are not genuine, while another store has the genuine one
	// that others hold otherwise, where nothing shows which one is genuine
	Differs int64 `json:"differs"`
	Named   int64 `json:"named"`   // of those that differ, the ones of a history that anchors name and no other
	Lacking int64 `json:"lacking"` // that others hold, between those that it holds; of a journal, before those too
	Ends    int64 `json:"ends"`    // that others hold, above the last that it holds of a log

	Missing *Lacked `json:"missing,omitempty"` // common properties of the events that it lacks
}

// Standing sums up a store: it is the first of the following that is true.
type Standing string

// The standings.
const (
	StoreAltered    Standing = "altered"        // it holds events that were altered
	StoreDiffers    Standing = "differs"        // it holds others than another store, and nothing shows which are genuine
	StoreIncomplete Standing = "incomplete"     // it lacks events that another one has
	StoreLossy      Standing = "lossy"          // it lost parts of events
	StoreEndsEarly  Standing = "ends-early"     // others have events above its last ones
	StoreFaithful   Standing = "faithful"       // whatever it shares with others is genuine and whole
	NotComparable   Standing = "not-comparable" // it shares no event with another one
)

func (s *Store) standing() Standing {
	switch {
	case s.Altered > 0:
		return StoreAltered
	case s.Differs > s.Named:
		return StoreDiffers
	case s.Lacking > 0:
		return StoreIncomplete
	case s.Lossy > 0:
		return StoreLossy
	case s.Shared > 0 && s.Ends > 0:
		return StoreEndsEarly
	case s.Shared > 0:
		return StoreFaithful
	}
	return NotComparable
}

// Excuse records how many of the differing events belong to the history that
// anchors name, counting only anchors that the log's owner cannot make alone.
func (s *Store) Excuse(events int64) {
	s.Named = min(s.Differs, s.Named+events)
	s.State = s.standing()
}

// countCopies counts a store's copies of some events; shared means that another one holds them too.
func (s *Store) countCopies(state State, shared bool, events int64) {
	if state == Absent {
		return
	}
	s.Events += events
	switch state {
	case Lossy:
		s.Lossy += events
	case Altered:
		s.Altered += events
	case Differs:
		s.Differs += events
	default:
		if shared {
			s.Shared += events
		}
	}
}

// Rule describes why several files are treated as one store.
type Rule string

// The rules.
const (
	Given    Rule = "given"    // the user named it
	Single   Rule = "single"   // it is one file
	Received Rule = "received" // they are requests of one sender
	Dated    Rule = "dated"    // their paths differ in dates only
	Disjoint Rule = "disjoint" // any two have less than half of their events in common
	Excerpts Rule = "excerpts" // all their events are in other files, and they are not blamed for missing ones
)

// Text returns the rule in words, "" for a store of one file.
func (r Rule) Text() string {
	switch r {
	case Given:
		return "as given"
	case Received:
		return "requests of one sender"
	case Dated:
		return "paths that differ in dates only"
	case Disjoint:
		return "each with other events"
	case Excerpts:
		return "excerpts of other files"
	}
	return ""
}

// Bundle is one bundle with its verdict. It was compared only if it verified, and only then it
// has statements.
type Bundle struct {
	Name          string         `json:"name"`
	SHA256        string         `json:"sha256"`
	Verdict       verify.Verdict `json:"verdict"`
	TenantID      string         `json:"tenant_id"`
	TransactionID string         `json:"transaction_id"`
	Status        string         `json:"status"`

	UnknownKeys []string `json:"unknown_keys,omitempty"` // that it names and the trust file lacks

	About        *verify.About    `json:"about,omitempty"`
	Checkpoint   uint64           `json:"checkpoint_sequence,omitempty"`
	SupersededBy string           `json:"superseded_by,omitempty"` // the bundle whose status counts in its place
	Place        finding.Evidence `json:"-"`
}

// Answer reports whether a log contains a statement. The zero value is no answer.
type Answer string

// The answers.
const (
	Recorded   Answer = "recorded"    // it holds it
	Denied     Answer = "denied"      // it holds the opposite
	Missing    Answer = "missing"     // it is whole there, and does not hold it
	NotCovered Answer = "not-covered" // it does not hold it, and is not known to be whole there
	NoLog      Answer = "no-log"      // there is no event of the log in the case
)

// Statement is one signed statement of a bundle, with the answer of the log that
// must record it. Kind is the type of the event that records it (SPEC 4.4).
// Sequence is the sequence of that event, 0 if there is none.
type Statement struct {
	Bundle        string `json:"bundle"` // the first that has it
	BundleSHA256  string `json:"bundle_sha256"`
	TransactionID string `json:"transaction_id"`
	Kind          string `json:"kind"`
	NodeID        string `json:"node_id"` // "" for the service
	SHA256        string `json:"sha256"`
	LogID         string `json:"log_id"`
	Answer        Answer `json:"answer"`
	Sequence      uint64 `json:"sequence"`
}

// Journal is the comparison of a node's journal with the tenant log: of the heads that the
// node reported, and of the approvals, which must all be in both logs.
type Journal struct {
	TenantID     string `json:"tenant_id"`
	LogID        string `json:"log_id"`
	Reports      int    `json:"reports"`   // that hold
	Heads        int    `json:"heads"`     // that they name, each once
	Matched      int    `json:"matched"`   // that name an event that is here
	Differing    int    `json:"differing"` // that name another one
	Reported     uint64 `json:"reported_sequence"`
	First        uint64 `json:"first_sequence"`
	Last         uint64 `json:"last_sequence"`
	Covered      uint64 `json:"covered_sequence"` // whole up to here, and anchored
	Both         int64  `json:"approvals_in_both"`
	SignedOnly   int64  `json:"approvals_signed_only"`   // of them, those that were looked for in vain
	RecordedOnly int64  `json:"approvals_recorded_only"` // where the other log is whole
	NotCompared  int64  `json:"approvals_not_compared"`  // where it is not
}

// Pause is a time in which issuance was paused. Resumed is 0 if the log has no
// resumption. Issued counts the certificates that were issued in that time.
type Pause struct {
	TenantID string `json:"tenant_id"`
	LogID    string `json:"log_id"`
	Paused   uint64 `json:"paused_sequence"`
	Resumed  uint64 `json:"resumed_sequence"`
	Issued   int64  `json:"issued"`
}

// Log describes the events of one log that each store contains. Omitted counts the stretches
// that are not listed. Unsound counts the events whose hash is wrong in all copies; if it is
// not 0, only part of the log was compared.
type Log struct {
	TenantID  string    `json:"tenant_id"`
	LogID     string    `json:"log_id"`
	Unsound   int64     `json:"unsound"`
	Stretches []Stretch `json:"stretches"`
	Omitted   int64     `json:"omitted"`
	// where copies begin to differ, and nothing here shows which is genuine
	Histories []History `json:"histories,omitempty"`
}

// History is one of several different events at a sequence, with the stores that
// contain it.
type History struct {
	Sequence uint64   `json:"sequence"`
	Hash     string   `json:"hash"`
	Stores   []string `json:"stores"`
	Files    []string `json:"files"` // of these stores, that contain it; nothing if they are too many
}

// Stretch is a range of sequences over which no store changes its state.
type Stretch struct {
	First  uint64  `json:"first_sequence"`
	Last   uint64  `json:"last_sequence"`
	Stores []State `json:"stores"`
}

// State describes what a store contains of an event.
type State string

// The states.
const (
	Absent  State = "absent"
	Present State = "present" // one that is genuine, or that no other copy contradicts
	Altered State = "altered" // one that is not, while the genuine one is here as well
	Differs State = "differs" // one of several, and none or more than one is genuine
	// a lossy one that is otherwise the genuine one, if that is here
	Lossy State = "lossy"
)
