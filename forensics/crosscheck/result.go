package crosscheck

import (
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/verify"
)

// Schema names the form of a [Result] in JSON.
const Schema = "svc-verify/crosscheck/v2"

// Result is everything that a crosscheck says. For the same case, trust file and
// options it is the same, byte for byte.
type Result struct {
	Schema      string            `json:"schema"`
	Verdict     verify.Verdict    `json:"verdict"`
	TrustSHA256 string            `json:"trust_sha256"`
	Bundles     []Bundle          `json:"bundles"`
	Statements  []Statement       `json:"statements"`
	Journals    []Journal         `json:"journals"`
	Pauses      []Pause           `json:"pauses"`
	Stores      []Store           `json:"stores"` // in the order of Stretch.Stores
	Presence    []Log             `json:"presence"`
	Findings    []finding.Finding `json:"findings"`
}

// Store is where copies of events were kept: one or more files of the case. Of
// its paths only the first are listed.
type Store struct {
	Name  string   `json:"name"`
	Rule  Rule     `json:"rule"`
	Parts int      `json:"parts"` // files, those in archives included
	Paths []string `json:"paths"`
}

// Rule says why files were taken for one store.
type Rule string

// The rules.
const (
	Given    Rule = "given"    // the user named it
	Single   Rule = "single"   // it is one file
	Dated    Rule = "dated"    // their paths differ in dates only
	Disjoint Rule = "disjoint" // any two have less than half of their events in common
)

// Bundle is one bundle, and whether it verified. Only then was it compared with
// anything.
type Bundle struct {
	Name          string         `json:"name"`
	SHA256        string         `json:"sha256"`
	Verdict       verify.Verdict `json:"verdict"`
	TenantID      string         `json:"tenant_id"`
	TransactionID string         `json:"transaction_id"`
	Status        string         `json:"status"`
}

// Answer is what a log says of a statement. The zero value is no answer.
type Answer string

// The answers.
const (
	Recorded   Answer = "recorded"    // it holds it
	Denied     Answer = "denied"      // it holds the opposite
	Missing    Answer = "missing"     // it is whole there, and does not hold it
	NotCovered Answer = "not-covered" // it does not hold it, and is not known to be whole there
	NoLog      Answer = "no-log"      // there is no event of the log in the case
)

// Statement is one thing that a bundle says somebody did, and what the log says
// in which it must stand. Kind is the type of the event that records it
// (SPEC 4.4); Sequence is 0 unless there is such an event.
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

// Journal is a node's journal held against the tenant log: the heads that the
// node reported, and the approvals of which each log holds its own side.
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

// Pause is a time in which issuance was paused. Resumed is 0 if that is not in
// the log; Issued is how many certificates were issued meanwhile.
type Pause struct {
	TenantID string `json:"tenant_id"`
	LogID    string `json:"log_id"`
	Paused   uint64 `json:"paused_sequence"`
	Resumed  uint64 `json:"resumed_sequence"`
	Issued   int64  `json:"issued"`
}

// Log is which store holds what of one log. Omitted is how many stretches are
// not listed. Unsound is how many events do not give their own hash in any of
// their copies: what was compared of the log is then not all of it.
type Log struct {
	TenantID  string    `json:"tenant_id"`
	LogID     string    `json:"log_id"`
	Unsound   int64     `json:"unsound"`
	Stretches []Stretch `json:"stretches"`
	Omitted   int64     `json:"omitted"`
}

// Stretch is neighbouring sequences of which each store has the same to show.
type Stretch struct {
	First  uint64  `json:"first_sequence"`
	Last   uint64  `json:"last_sequence"`
	Stores []State `json:"stores"`
}

// State is what a store holds of an event.
type State string

// The states.
const (
	Absent  State = "absent"
	Present State = "present" // one that is genuine, or that no other copy contradicts
	Altered State = "altered" // one that is not, while the genuine one is here as well
	Differs State = "differs" // one of several of which none or more than one is genuine
	Lossy   State = "lossy"   // one of which a transport lost something, and that is otherwise the genuine one, if that is here
)

// verdict is the answer over everything that was compared. Where nothing was, it
// is not a success.
func (x *checker) verdict() verify.Verdict {
	verdict := verify.Verified
	if x.compared == 0 {
		verdict = verify.Inconclusive
	}
	for _, f := range x.result.Findings {
		switch f.Effect() {
		case finding.Rejects:
			return verify.Rejected
		case finding.LeavesOpen:
			verdict = verify.Inconclusive
		}
	}
	for _, l := range x.result.Presence {
		if l.Unsound > 0 {
			verdict = verify.Inconclusive
		}
	}
	for _, s := range x.result.Statements {
		if s.Answer != Recorded {
			verdict = verify.Inconclusive
		}
	}
	return verdict
}
