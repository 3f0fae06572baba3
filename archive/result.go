package archive

import (
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/outcome"
)

// CheckSchema names the JSON form of a [Result].
const CheckSchema = "svc-verify/archive-check/v1"

// Result is what a check came to. Its records are in a temporary file, which
// [Result.Close] removes.
type Result struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []string      `json:"not_examined"` // sentences
	Began       string        `json:"began_at"`
	Ledger      Standing      `json:"ledger"`
	TrustSHA256 string        `json:"trust_sha256"`
	Policy      string        `json:"policy_sha256"`
	Rules       string        `json:"rules"`
	Seed        string        `json:"seed"`         // of the sample; "" without one
	Sample      int64         `json:"sample_parts"` // of a million; 0 for all

	Counts   Counts    `json:"counts"`
	Findings []Finding `json:"findings"` // about the archive and the ledger, the worst first

	// The first objects of each class that is worth telling, the worst class first, and
	// how many more there are.
	Objects     []Record `json:"objects"`
	MoreObjects int64    `json:"more_objects"`

	Faults     []Cause `json:"faults"`      // why objects could not be read, the most frequent first
	MoreFaults int64   `json:"more_faults"` // causes

	// Run is the record of this run; nil if nothing was recorded.
	Run *RunRef `json:"run"`

	state       State
	whole       bool // every object was read
	expected    bool // the ledger has the run that was expected
	interrupted int64
	behind      string // the end of the newest run, if the clock is before it
	adopted     run.Digest
	drawn       [2]int64 // objects in the sample, and those that it was taken from
	causes      map[string]int64
	records     *spool.File
	told        []told
	sizes       map[uint8]int64 // how many objects worth telling there are of each rank
	dir         string
}

// Standing is how far the ledger is believed.
type Standing struct {
	Standing string `json:"standing"` // own, foreign, adopted or altered
	Objects  int64  `json:"objects"`  // that it had before the run
	Runs     int64  `json:"runs"`     // that it had before the run
	Newest   string `json:"newest"`   // the digest of the newest of those
}

// RunRef names the record of a run.
type RunRef struct {
	Number   int64  `json:"number"`
	Digest   string `json:"digest"`
	Previous string `json:"previous"` // "" for the first
	Root     string `json:"root"`
	Changed  int64  `json:"changed"`
}

// Finding is something that is wrong with the archive or the ledger.
type Finding struct {
	Code    finding.Code `json:"code"`
	Subject string       `json:"subject"` // the path or digest concerned; "" for none
	Message string       `json:"message"`
}

// Cause is why objects could not be read.
type Cause struct {
	Fault   string `json:"fault"`
	Objects int64  `json:"objects"`
}

// told is where the record of an object is.
type told struct {
	index, at uint32
	rank      uint8 // the worst first
	worth     bool  // it is worth telling, and not only kept because all are
}

// find adds a finding about the archive or the ledger.
func (r *Result) find(code finding.Code, subject, more string) {
	message := sentence(code)
	if more != "" {
		message += ": " + more
	}
	r.Findings = append(r.Findings, Finding{code, subject, message})
}

// edited enters that the ledger was changed.
func (r *Result) edited(fault *ledger.AlteredError) {
	r.state.Edited = true
	r.Ledger.Standing = "altered"
	r.find(finding.LedgerAltered, fault.Path, fault.Error())
}
