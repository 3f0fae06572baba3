package batch

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// SummarySchema names the JSON form of a [Summary].
const SummarySchema = "svc-verify/batch/v1"

// Summary is what is true of all entries together.
type Summary struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []string      `json:"not_examined"` // sentences
	TrustSHA256 string        `json:"trust_sha256"`
	Entries     Entries       `json:"entries"`
	Compared    Compared      `json:"compared"`
	Findings    []SetFinding  `json:"findings"` // about the set, the worst first

	// The first of each list, the worst first, and how many more there are.
	NotVerified        []Record        `json:"not_verified"`
	MoreNotVerified    int64           `json:"more_not_verified"`
	Contradictions     []Contradiction `json:"contradictions"`
	MoreContradictions int64           `json:"more_contradictions"`

	Limitations []Limitation `json:"limitations"`
}

// most is how many entries of a class, and how many contradictions, a summary lists.
const most = 100

// Entries counts them. Seen is the sum of the five after it. The others are parts
// of it, but for LeftOut, which were not looked at.
type Entries struct {
	Seen         int64 `json:"seen"`
	Verified     int64 `json:"verified"`
	Rejected     int64 `json:"rejected"`
	NotABundle   int64 `json:"not_a_bundle"`
	Unreadable   int64 `json:"unreadable"`
	Inconclusive int64 `json:"inconclusive"`
	Contradicted int64 `json:"contradicted"`
	Doubled      int64 `json:"doubled"` // with the octets of an earlier one
	Unexpected   int64 `json:"unexpected"`
	LeftOut      int64 `json:"left_out"` // by --only
}

// Compared says how much of the logs the bundles show in common. Where two do not
// meet, nothing is compared.
type Compared struct {
	Bundles   int64 `json:"bundles"`          // that are proven
	Sequences int64 `json:"sequences"`        // of all logs together, that at least one bundle reaches
	Shared    int64 `json:"shared_sequences"` // that at least two reach
	Pairs     int64 `json:"pairs"`            // of statements about one sequence
}

// SetFinding is something that is wrong with the set.
type SetFinding struct {
	Code     finding.Code `json:"code"`
	Expected string       `json:"expected"`
	Found    string       `json:"found"`
	Message  string       `json:"message"`
}

// Limitation is something that the run does not prove.
type Limitation = verify.Limitation

// ConsistencyNotProved is the limitation of every batch.
const ConsistencyNotProved finding.Code = "consistency-not-proved"
