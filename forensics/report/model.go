package report

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

// Schema names the form of a [Report] in JSON.
const Schema = "svc-verify/case-report/v2"

// Report is everything that is handed on about a case.
type Report struct {
	Schema      string            `json:"schema"`
	Title       string            `json:"title"`
	Tool        string            `json:"tool"` // program and version, to make the report again
	Verdict     verify.Verdict    `json:"verdict"`
	TrustSHA256 string            `json:"trust_sha256"`
	LeftOut     []verdict.LeftOut `json:"left_out"` // the limits of the verdict

	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // nil if the trust file lacks nothing

	Assumed []verdict.Assumption `json:"assumed,omitempty"` // the assumptions of the verdict

	Decides     *finding.Finding    `json:"decides,omitempty"`  // the finding that decides; nil where none does
	Incidents   []incident.Incident `json:"incidents"`          // the gravest first; their findings by place in Findings
	Affected    []*affected.Answer  `json:"affected,omitempty"` // of the gravest incidents, see [Report.FindAffected]
	Causes      []cause.Cause       `json:"causes"`             // of the findings
	Period      Period              `json:"period"`
	Severities  Severities          `json:"severities"`
	Proofs      []crosscheck.Bundle `json:"proofs,omitempty"` // the genuine bundles
	Logs        []Log               `json:"logs"`
	Stores      []crosscheck.Store  `json:"stores"` // none if they were not compared
	Holdings    []Holding           `json:"holdings"`
	Deliveries  Deliveries          `json:"deliveries"`
	Batches     walk.Batches        `json:"batches"`
	Sources     []Source            `json:"sources"`
	Findings    []finding.Finding   `json:"findings"`          // the worst first
	Custody     *custody.Journal    `json:"custody,omitempty"` // for the caller to fill in
	NotExamined []Note              `json:"not_examined"`
	Limitations []Note              `json:"limitations"`
	Reproduce   []string            `json:"reproduce"` // command lines

	EndsEarly []crosscheck.EndsEarly `json:"ends_early"` // sources that end before events that others show
	Ends      []finding.Limitation   `json:"-"`          // remarks on the ends of logs

	Explorer *Explorer `json:"-"` // of a page, see [Explore]; nil for the other forms

	named Asked
}

// Period is when the events occurred, by the clocks of the logs' owners, in milliseconds since 1970.
// Those Outside are dated so far from all others that the period leaves them out.
type Period struct {
	StartMS int64 `json:"start_ms"`
	EndMS   int64 `json:"end_ms"`
	Outside int64 `json:"outside"`
}

// Holding describes the events that a store has of a log, from the first to the last. Lacks
// counts the events up to the last of the log that other stores have. Stretches are the first
// [mostStretches] of them.
type Holding struct {
	TenantID  string        `json:"tenant_id"`
	LogID     string        `json:"log_id"`
	Store     string        `json:"store"`
	First     uint64        `json:"first_sequence"`
	Last      uint64        `json:"last_sequence"`
	Lacks     uint64        `json:"lacks"`
	Stretches []HeldStretch `json:"stretches"`
	More      int           `json:"more_stretches"`
}

// HeldStretch is sequences that a store has in one state.
type HeldStretch struct {
	First uint64           `json:"first_sequence"`
	Last  uint64           `json:"last_sequence"`
	State crosscheck.State `json:"state"`
}

// Severities counts findings by severity.
type Severities struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Medium   int `json:"medium"`
	Info     int `json:"info"`
}

// Note is a statement about the report: a code that is only ever added to, and
// sentences, which can hold text of the evidence.
type Note struct {
	Code  string   `json:"code"`
	Text  string   `json:"text"`
	Items []string `json:"items,omitempty"`
	More  int      `json:"more,omitempty"` // items that are not listed
}

// Answer is one of the two answers on a log: a word and the sentence for it.
type Answer struct {
	Word     string `json:"answer"`
	Sentence string `json:"sentence"`
}

// The words of answers.
const (
	Holds      = "holds"      // every event that is here is genuine and linked
	Broken     = "broken"     // an event or a link is not
	Open       = "open"       // the evidence does not suffice to decide
	Complete   = "complete"   // nothing is missing up to an event, by others' word
	Incomplete = "incomplete" // something is

	// CompleteByOwn is that nothing is missing up to an event, by the word of the
	// log's owner alone.
	CompleteByOwn = "complete by own word"
)

// Log is the part of a report on one log.
type Log struct {
	walk.LogResult
	Integrity    Answer     `json:"integrity"`
	Completeness Answer     `json:"completeness"`
	FirstTime    string     `json:"first_time,omitempty"` // of events, by the clock of the log's owner
	LastTime     string     `json:"last_time,omitempty"`
	Severities   Severities `json:"severities"`
	Presence     Presence   `json:"presence"`
	Times        Times      `json:"times"`
	Marks        []Mark     `json:"marks"`
	Gaps         []gap.Gap  `json:"gaps"` // the first [mostGaps]
	MoreGaps     int        `json:"more_gaps"`
	Forks        []Fork     `json:"forks"`
	MoreForks    int        `json:"more_forks"`

	found  []finding.Finding // about the log, the worst first
	reason *verdict.Reason   // of a verdict that is not verified
}

// Presence is which sequences of a log the case holds: the first [mostStretches] stretches.
type Presence struct {
	Last      uint64    `json:"last"` // the last event, or the anchor above it
	Stretches []Stretch `json:"stretches"`
	More      int       `json:"more_stretches"`

	end uint64 // the last event
}

// Stretch is a run of sequences without gap.
type Stretch struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Times counts the events of a log by the clock of its owner.
type Times struct {
	BucketMS int64       `json:"bucket_ms"`
	Buckets  []timeCount `json:"buckets"`
}

// timeCount is how many events occurred in a bucket of time.
type timeCount struct {
	StartMS int64 `json:"start_ms"` // since 1970
	Events  int64 `json:"events"`
}

// The kinds of marks that are neither findings nor anchors that hold.
const (
	anchorBeyond = "anchor-beyond" // an anchor above the last event
	Missing      = "missing"       // sequences without an event
	Paused       = "paused"        // issuance, from the pause to the resumption
	OfIncident   = "incident"      // the events of an incident
)

// Mark is something at a place of a log. Marks of one kind that fall into one column of sequences are
// one. It has the times of the first and the last event, or of their neighbours if they are missing, by
// the clock of the log's owner. An anchor has the time when it was made. A time is 0 if unknown.
type Mark struct {
	Kind    string `json:"kind"`
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Count   int    `json:"count"`
	FromMS  int64  `json:"from_ms"`
	UntilMS int64  `json:"until_ms"`
	Name    string `json:"incident,omitempty"` // of an incident
}

// Fork is where a log continues twice. If the anchors name one branch and not the other, it
// comes first. Naming describes this, with A for the first.
type Fork struct {
	Sequence uint64      `json:"sequence"` // of the first events that differ
	Named    walk.Naming `json:"named"`
	Naming   string      `json:"naming"`
	Branches [2]Branch   `json:"branches"`
}

// Branch is one history after a fork: its first event, and how many there are.
type Branch struct {
	Hash       string   `json:"hash"`
	Events     uint64   `json:"events"`
	KeyID      string   `json:"key_id"`
	Type       string   `json:"type"`
	OccurredAt string   `json:"occurred_at"`
	Sources    []string `json:"sources"` // that hold the first event, ascending; stores if the case was not read
}

// Deliveries is when the events arrived, over all logs. Clock names the clock; arrivals that
// it did not see are Untimed. Those Outside are dated so far from all others that the buckets
// leave them out.
type Deliveries struct {
	Clock       string   `json:"clock"` // observed or occurred
	BucketMS    int64    `json:"bucket_ms"`
	Buckets     []Bucket `json:"buckets"`
	Events      int64    `json:"events"`
	Redelivered int64    `json:"redelivered"`
	Untimed     int64    `json:"untimed"`
	Outside     int64    `json:"outside"`
}

// The clocks of [Deliveries].
const (
	Observed = "observed" // of a collector on the way
	Occurred = "occurred" // of the log's owner; for want of the other
)

// Bucket counts the arrivals of a time: the first of each event, and further ones.
type Bucket struct {
	StartMS     int64 `json:"start_ms"` // since 1970
	First       int64 `json:"first"`
	Redelivered int64 `json:"redelivered"`
}

// Source is one file or stream of the evidence.
type Source struct {
	SHA256      string   `json:"sha256"`
	Paths       []string `json:"paths"`
	Format      string   `json:"format"`
	Size        int64    `json:"size"`
	Complete    bool     `json:"complete"`
	Records     int64    `json:"records"`
	Events      int64    `json:"events"`
	Skipped     int64    `json:"skipped"`
	First       int64    `json:"first"`       // of the deliveries of events, the first of their event
	Redelivered int64    `json:"redelivered"` // and the further ones
}

// Name returns the name of a source: the first of the paths under which it was given, or its
// digest.
func (s Source) Name() string {
	if len(s.Paths) == 0 {
		return s.SHA256
	}
	return s.Paths[0]
}
