package replay

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
)

// The effects on a verdict.
const (
	Lost    = "lost"    // it was verified, and is not
	Gained  = "gained"  // it was not verified, and is
	Changed = "changed" // another verdict, or the same by another code
)

// The faults of an object that was not judged.
const (
	Missing    = "missing"    // the ledger has it, and the folder does not
	Altered    = "altered"    // its bytes differ from the ledger's
	Unreadable = "unreadable" // it could not be read
)

// Result is the effect of a change on an archive.
type Result struct {
	Ledger       bool   `json:"ledger"`        // a ledger showed which objects the change can touch
	All          bool   `json:"all"`           // every object was judged again
	Objects      int64  `json:"objects"`       // in the folder or the ledger
	Believed     int64  `json:"believed"`      // whose earlier verdict came from the ledger
	Touched      int64  `json:"touched"`       // that the change can touch
	JudgedBefore int64  `json:"judged_before"` // that were judged under the old file, as no row was believed
	JudgedAfter  int64  `json:"judged_after"`  // that were judged under the new file
	Other        int64  `json:"other"`         // that are no evidence, as far as they were read
	Stopped      bool   `json:"stopped"`       // before all objects were looked at
	Verdict      string `json:"verdict"`

	VerifiedBefore int64      `json:"verified_before"` // whose verdict under the old file is verified
	VerifiedAfter  int64      `json:"verified_after"`  // whose verdict under the new file is verified
	Verdicts       []Verdicts `json:"verdicts"`        // all evidence that was judged, the worst verdicts first

	Lost        int64    `json:"lost"`
	Gained      int64    `json:"gained"`
	Changed     int64    `json:"changed"`
	Changes     []Change `json:"changes"` // in the order of paths, within each effect
	MoreChanges int64    `json:"more_changes"`
	Codes       []Code   `json:"codes"`
	Missing     int64    `json:"missing"`
	Altered     int64    `json:"altered"`
	Unreadable  int64    `json:"unreadable"`
	NotJudged   []Fault  `json:"not_judged"`
	MoreFaults  int64    `json:"more_not_judged"`
	NotExamined []string `json:"not_examined"`
	changes     map[string][]Change
	codes       map[Code]int64
	verdicts    map[Verdicts]int64
	doubt       bool
	remarks     []string
}

func newResult(o Options) *Result {
	return &Result{Ledger: o.Known != nil, All: o.All, NotJudged: []Fault{}, changes: map[string][]Change{},
		codes: map[Code]int64{}, verdicts: map[Verdicts]int64{}, doubt: o.Doubt, remarks: o.Remarks}
}

// The bounds of the lists of a result: of changes, for each effect, and of objects that were
// not judged.
const (
	MaxChanges = 50_000
	MaxFaults  = 10_000
)

// Verdict is a verdict, and the finding that decides it.
type Verdict struct {
	Verdict outcome.Class `json:"verdict"`
	Code    finding.Code  `json:"code,omitempty"`
	Pointer string        `json:"pointer,omitempty"`
}

// Change is one object whose verdict changes.
type Change struct {
	Effect        string      `json:"effect"`
	Path          string      `json:"path"` // as [object.PathText] writes it
	Kind          object.Kind `json:"kind"`
	SHA256        string      `json:"sha256"`
	TenantID      string      `json:"tenant_id,omitempty"`
	TransactionID string      `json:"transaction_id,omitempty"`
	Before        Verdict     `json:"before"`
	After         Verdict     `json:"after"`
	Reason        string      `json:"reason,omitempty"` // of the verdict after
	Because       []string    `json:"because"`          // why the change could touch it
}

// Verdicts counts the objects with one verdict under the old file and one under the
// new file.
type Verdicts struct {
	Before  outcome.Class `json:"before"`
	After   outcome.Class `json:"after"`
	Objects int64         `json:"objects"`
}

// Code counts the objects whose verdict changes in one way. A verdict that no finding
// decides has no code.
type Code struct {
	Effect        string        `json:"effect"`
	BeforeVerdict outcome.Class `json:"before_verdict"`
	Before        finding.Code  `json:"before,omitempty"`
	AfterVerdict  outcome.Class `json:"after_verdict"`
	After         finding.Code  `json:"after,omitempty"`
	Objects       int64         `json:"objects"`
}

// Fault is an object that was not judged, and why.
type Fault struct {
	What   string `json:"what"`
	Path   string `json:"path"`
	Reason string `json:"reason,omitempty"`
}

// judged is the result of one object.
type judged struct {
	path     string
	fault    *Fault
	before   object.Judgement
	after    object.Judgement
	why      []string
	sum      [sha256.Size]byte
	believed bool
	first    bool // it was judged before the change
	again    bool // and after it
}
