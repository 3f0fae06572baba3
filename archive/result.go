package archive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/outcome"
)

// CheckSchema names the JSON form of a [Result].
const CheckSchema = "svc-verify/archive-check/v1"

// Result is the result of a check. Its records are in a temporary file, which [Result.Close]
// removes.
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

	object.Said
	Counts   Counts               `json:"counts"`
	Ignored  run.Ignored          `json:"ignored"`  // files that were passed over
	Findings []finding.InDocument `json:"findings"` // about the archive and the ledger, the worst first

	// The first objects of each class that is listed, the worst class first, and how many more
	// there are.
	Objects     []Record `json:"objects"`
	MoreObjects int64    `json:"more_objects"`

	Faults     []Cause `json:"faults"`      // why objects could not be read, the most frequent first
	MoreFaults int64   `json:"more_faults"` // causes

	// Run is the record of this run; nil if nothing was recorded.
	Run *RunRef `json:"run,omitempty"`

	kept        run.Ignored // evidence that the patterns cover, and that was examined all the same
	disbelieved run.Ignored // the patterns of a ledger that is another user's
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
	Standing ledger.Standing `json:"standing"` // or adopted
	Objects  int64           `json:"objects"`  // that it had before the run
	Runs     int64           `json:"runs"`     // that it had before the run
	Newest   string          `json:"newest"`   // the digest of the newest of those
}

// RunRef names the record of a run.
type RunRef struct {
	Number   int64  `json:"number"`
	Digest   string `json:"digest"`
	Previous string `json:"previous"` // "" for the first
	Root     string `json:"root"`
	Changed  int64  `json:"changed"`
}

// Cause is why objects could not be read.
type Cause struct {
	Fault   string `json:"fault"`
	Objects int64  `json:"objects"`
}

// told is the place of an object's record.
type told struct {
	index, at uint32
	rank      uint8 // the worst first
	worth     bool  // it is to be listed, and not only kept because all are
}

// Close removes the temporary files.
func (r *Result) Close() error { return r.records.Close() }

// keep keeps the record of an object.
func (r *Result) keep(index uint32, rank uint8, worth bool, line []byte) error {
	at := uint32(r.records.Len()) // #nosec G115 -- there are as many objects at most
	r.told = append(r.told, told{index, at, rank, worth})
	return r.records.Add(line)
}

// Records yields the records that were kept, in the order of their paths. It can be
// used more than once. An error is the last thing that it yields.
func (r *Result) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, t := range r.told {
			record, err := r.record(t)
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

func (r *Result) record(t told) (record Record, err error) {
	line, err := r.records.At(int(t.at))
	if err == nil {
		err = json.Unmarshal(line, &record)
	}
	return record, err
}

// most is how many objects of a class, and how many causes, a result lists.
const most = 100

// conclude makes the rest of the result, when every object is settled.
func (r *Result) conclude() error {
	slices.SortFunc(r.told, func(a, b told) int { return cmp.Compare(a.index, b.index) })
	r.Verdict = r.Counts.Verdict(r.state)
	if r.Counts.Read == 0 && !r.state.Gone && !r.state.Edited && !r.state.Unexpected {
		r.find(ArchiveEmpty, "", "")
	}
	r.Said.Conclude()
	r.NotExamined = r.notExamined()
	r.concludeFaults()
	return r.list()
}

// list enters the first records of each class.
func (r *Result) list() error {
	first, worth := map[uint8][]told{}, int64(0)
	r.sizes = map[uint8]int64{}
	for _, t := range r.told {
		if !t.worth {
			continue
		}
		worth++
		r.sizes[t.rank]++
		if len(first[t.rank]) < most {
			first[t.rank] = append(first[t.rank], t)
		}
	}
	r.Objects = []Record{}
	for _, rank := range slices.Sorted(maps.Keys(first)) {
		for _, t := range first[rank] {
			record, err := r.record(t)
			if err != nil {
				return err
			}
			r.Objects = append(r.Objects, record)
		}
	}
	r.MoreObjects = worth - int64(len(r.Objects))
	return nil
}

// worst are the classes in the order in which they are shown, among objects that came
// to the same.
var worst = []Class{Altered, Missing, Replaced, VerdictChanged, Unreadable, Stale, Ignored, Grown, Repacked, Moved,
	Added, Unread, Intact}

// Alike is how many objects came to the same as one that is listed, and are of its
// class; itself included.
func (r *Result) Alike(o *Record) int64 { return r.sizes[rankOf(o)] }

// rankOf orders records, the worst first.
func rankOf(r *Record) uint8 {
	// #nosec G115 -- there are few of both
	return uint8(slices.Index(outcome.Classes(), r.Outcome())*len(worst) + slices.Index(worst, r.Class))
}

// fault counts why an object could not be read.
func (r *Result) fault(cause string) {
	if _, known := r.causes[cause]; known || len(r.causes) < mostCauses {
		r.causes[cause]++
	} else {
		r.MoreFaults++
	}
}

// mostCauses bounds how many causes are distinguished.
const mostCauses = 1000

func (r *Result) concludeFaults() {
	r.Faults = []Cause{}
	for cause, n := range r.causes {
		r.Faults = append(r.Faults, Cause{cause, n})
	}
	slices.SortFunc(r.Faults, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Fault, b.Fault))
	})
	if more := len(r.Faults) - most; more > 0 {
		r.Faults, r.MoreFaults = r.Faults[:most], r.MoreFaults+int64(more)
	}
}

// find adds a finding about the archive or the ledger.
func (r *Result) find(code finding.Code, subject, more string) {
	r.Findings = append(r.Findings, finding.OfObject(code, subject, "", more))
}

// nothingLeft enters that the archive is gone.
func (r *Result) nothingLeft(gone int64) {
	r.state.Gone = true
	r.find(ArchiveGone, "", fmt.Sprintf("%s of %d that the ledger knows", safetext.Count(gone, "object"),
		r.Ledger.Objects))
}

// edited enters that the ledger was changed.
func (r *Result) edited(fault *ledger.AlteredError) {
	r.state.Edited = true
	r.Ledger.Standing = ledger.Changed
	r.find(LedgerAltered, fault.Path, fault.Error())
}

// sampled notes how large the sample is.
func (r *Result) sampled(drawn, of int) { r.drawn = [2]int64{int64(drawn), int64(of)} }
