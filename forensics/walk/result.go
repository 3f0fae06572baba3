package walk

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/verify"
)

// Result is the result of a walk, with its verdict. The same evidence, trust file
// and options give the same result, byte for byte.
type Result struct {
	Verdict     verify.Verdict    `json:"verdict"`
	TrustSHA256 string            `json:"trust_sha256"`
	Logs        []LogResult       `json:"logs"`
	Batches     Batches           `json:"batches"`
	Sources     []SourceFile      `json:"sources"`
	Findings    []finding.Finding `json:"findings"`
}

// LogResult is the result for one log. Events, HashValid, LinkValid and SignatureValid count
// sequences, not copies. If the log forks, they count the history that the highest anchor
// names, or the longest one if no anchor decides. Missing counts the absent sequences up to
// the last event or the last anchor, whichever is higher. An event above all others and above
// the last anchor counts only if the log's owner signed it or it directly follows the event
// before it. Anyone could have put any other event there.
//
// AnchoredSequence is the completeness of the log: the highest sequence whose event
// an anchor names, with no event missing, changed or replaced up to it; 0 if there
// is none. AnchoredBy lists the kinds of anchor at that sequence.
//
// If a higher anchor fits as well, UnvouchedSequence is the first event, or missing
// event, across which the links do not lead back from it. The events from
// AnchoredSequence up to there may not be the original ones. UnanchoredTail counts
// the events above every anchor that fits; nothing shows whether more followed.
// CompleteByOthers and CompleteByOwn are up to where the log is complete by others'
// word and by its owner's (SPEC 13.7), and TailByOthers counts the events above the
// first of these.
//
// Collected names the given evidence of a log that has no events.
type LogResult struct {
	LogID             string             `json:"log_id"`
	TenantID          string             `json:"tenant_id"`
	Verdict           verify.Verdict     `json:"verdict"`
	SinceSequence     uint64             `json:"since_sequence,omitempty"` // where an earlier walk had ended
	FirstSequence     uint64             `json:"first_sequence"`
	LastSequence      uint64             `json:"last_sequence"`
	HeadHash          string             `json:"head_hash,omitempty"` // of the last event, 64 hex digits
	Events            uint64             `json:"events"`
	Missing           uint64             `json:"missing"`
	HashValid         uint64             `json:"hash_valid"`
	LinkValid         uint64             `json:"link_valid"`
	SignatureValid    uint64             `json:"signature_valid"`
	AnchoredSequence  uint64             `json:"anchored_sequence"`
	AnchoredBy        []facts.AnchorKind `json:"anchored_by"`
	UnvouchedSequence uint64             `json:"unvouched_sequence,omitempty"`
	UnanchoredTail    uint64             `json:"unanchored_tail"`
	CompleteByOthers  Word               `json:"complete_by_others"`
	CompleteByOwn     Word               `json:"complete_by_own"`
	TailByOthers      uint64             `json:"tail_by_others"`
	Forks             []Fork             `json:"forks,omitempty"`
	Collected         Collected          `json:"collected,omitempty"`

	// Fitting is the highest anchor that names an event of the log, and Beyond
	// the highest of those above its last event; nil if there is none.
	Fitting *AnchorName `json:"fitting,omitempty"`
	Beyond  *AnchorName `json:"beyond,omitempty"`

	// Checkpoint is the highest checkpoint up to which nothing is missing, changed
	// or replaced, and which has as many witnesses as the trust file demands; nil if
	// there is none. It is at AnchoredSequence or below.
	Checkpoint *CheckpointName `json:"checkpoint,omitempty"`

	// Strays are the sequences above the last event that have events nothing
	// vouches for, as ascending ranges.
	Strays []Range `json:"strays,omitempty"`

	// Known are the missing events whose hashes are known, ascending. At most a
	// thousand are listed.
	Known []facts.KnownEvent `json:"known,omitempty"`
}

// AnchorName names an anchor.
type AnchorName struct {
	Sequence uint64           `json:"sequence"`
	Hash     string           `json:"hash"`
	By       facts.AnchorKind `json:"by"`
	Name     string           `json:"name"` // for people
}

// CheckpointName names a checkpoint. Witnessed is false where the trust file
// demands no witness.
type CheckpointName struct {
	Sequence  uint64 `json:"sequence"`
	Hash      string `json:"hash"`
	CreatedAt string `json:"created_at"`
	Witnessed bool   `json:"witnessed"`
	Source    string `json:"source"` // the document that has it
}

// Range is the sequences from First to Last, both included.
type Range struct {
	First uint64 `json:"first_sequence"`
	Last  uint64 `json:"last_sequence"`
}

// Fork is a sequence at which the owner of a log signed two events and continued
// from both. If the anchors name only one branch, that branch comes first. Only
// anchors count that the owner cannot make alone, because someone with the owner's
// key can make the others for any history.
type Fork struct {
	Sequence uint64    `json:"sequence"` // of the first events that differ
	Named    Naming    `json:"named"`
	Branches [2]Branch `json:"branches"`
}

// Naming describes which of the two branches of a fork the anchors name.
type Naming string

// The namings.
const (
	NamesFirst   Naming = "first"
	NamesBoth    Naming = "both"
	NamesNeither Naming = "neither"
)

// Branch is one of the two histories after a fork. NamedFrom and NamedUpTo are
// the lowest and the highest sequence at which an anchor names an event of it, 0
// if none does.
type Branch struct {
	FirstHash string             `json:"first_hash"`
	KeyID     string             `json:"key_id"` // of its first event
	Events    uint64             `json:"events"`
	NamedFrom uint64             `json:"named_from"`
	NamedUpTo uint64             `json:"named_up_to"`
	NamedBy   []facts.AnchorKind `json:"named_by"`
	Stores    []string           `json:"stores,omitempty"` // that hold its first event, where stores were compared
	Files     []string           `json:"files,omitempty"`  // of these stores, if they are few
}

// Log is the identity of the log.
func (r LogResult) Log() facts.Log { return facts.Log{TenantID: r.TenantID, LogID: r.LogID} }

// verdictOf is the answer on one log, after the worst that blames it. Only a log with events
// that were all examined and held is verified.
func (r LogResult) verdictOf(worst finding.Effect) verify.Verdict {
	switch {
	case worst == finding.Rejects:
		return verify.Rejected
	case worst == finding.LeavesOpen, r.Events == 0,
		r.HashValid != r.Events, r.LinkValid != r.Events, r.SignatureValid != r.Events:
		return verify.Inconclusive
	}
	return verify.Verified
}

// overallVerdict is the answer on all logs and on other findings.
func overallVerdict(logs []LogResult, worst finding.Effect) verify.Verdict {
	verdict := verify.Verified
	if len(logs) == 0 || worst == finding.LeavesOpen {
		verdict = verify.Inconclusive
	}
	if worst == finding.Rejects {
		return verify.Rejected
	}
	for _, l := range logs {
		switch l.Verdict {
		case verify.Verified:
		case verify.Rejected:
			return verify.Rejected
		default:
			verdict = verify.Inconclusive
		}
	}
	return verdict
}

// wholeResult puts everything together.
func (w *walker) wholeResult(inventory Inventory) *Result {
	worst, all, logs := finding.None, append([]finding.Finding{}, inventory.Findings...), []LogResult{}
	for _, c := range w.concluded {
		logs = append(logs, c.result)
		all = append(all, c.findings...)
		worst = worseEffect(worst, c.worst)
	}
	for log, n := range w.said.notes {
		all = append(all, n.allFindings(log)...)
		worst = worseEffect(worst, n.worst)
	}
	for _, f := range inventory.Findings {
		worst = worseEffect(worst, f.Effect())
	}
	if len(logs) == 0 {
		f := finding.Finding{Code: finding.NothingExamined, Expected: "at least one log", Found: "none"}
		all = append(all, f.Complete())
	}
	slices.SortFunc(all, finding.Compare)
	slices.SortFunc(logs, func(a, b LogResult) int { return a.Log().Compare(b.Log()) })
	return &Result{
		Verdict: overallVerdict(logs, worst), TrustSHA256: w.trust, Logs: logs, Batches: inventory.Batches,
		Sources: append([]SourceFile{}, inventory.Sources...), Findings: all,
	}
}

// nextState returns where the next walk may begin.
func (w *walker) nextState() *State {
	s := &State{TrustSHA256: w.trust}
	for _, c := range w.concluded {
		s.Logs = append(s.Logs, c.state)
	}
	s.Logs = append(s.Logs, w.others()...)
	slices.SortFunc(s.Logs, func(a, b LogState) int { return a.Log.Compare(b.Log) })
	return s
}
