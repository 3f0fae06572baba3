package crosscheck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/trust"
)

// Evidence is a bundle beside the case.
type Evidence struct {
	Name  string
	Bytes []byte
}

// Options say what to hold the case against, and how to group its sources.
type Options struct {
	Evidence []Evidence
	Stores   []Prefix // that are given; nil to find them
	Known    Known    // what a walk over the case has found already; nil for nothing

	Collected []string // ids of logs of which the user says that they were collected
}

// logName names a log of a tenant.
type logName struct{ tenantID, logID string }

// checker is one crosscheck of one case.
type checker struct {
	*exam
	evidence    []Evidence // beside that of the case
	parts       []part
	containers  []casefile.SourceContainer
	held        map[int64]uint64 // the stores of each container, as bits
	given       bool             // the user named the stores
	stores      grouping
	spans       map[logName]*kept
	histories   map[logName][]heldHistory
	unread      map[casefile.Ref]bool // statements that do not hold, up to mostUnread
	makeups     map[string]*makeup
	key         []byte // memory of the key of one
	wanted      map[wantKey]*want
	wants       []*want              // in the order of the bundles
	issued      map[subject][]claim  // what bundles say was not revoked
	revoked     []revoked            // and was
	approvals   map[subject][]*want  // those of a transaction
	checkpoints map[logName][]anchor // of the bundles
	reports     map[logName]*reports // by the journal that they are about
	pauses      map[logName]*pauses  // by tenant log
	pairs       *pairs
	subjects    map[chain.Hash]subjectOf // what the documents say that records name
	witnessed   map[logName]witnessed    // by journal
	late        map[logName]*late        // by tenant log
	heads       []statement              // witnessed, that wait to be compared
	collected   []string                 // ids of logs of which the user says so
	empty       []finding.Evidence       // files
}

// exam is what all examinations of a crosscheck share: the case, and the result.
type exam struct {
	*verifier
	c        *casefile.Case
	names    map[int64]string // of the sources, by number
	spines   map[logName]*spine
	result   *Result
	listed   map[noted]int64
	compared int64 // how many things were held against each other
}

func newExam(c *casefile.Case, root *trust.Root, known Known) *exam {
	return &exam{
		verifier: &verifier{root: root, known: known, logs: map[logName]casefile.Log{}, keys: eddsa.NewKeys(eddsa.MostTables)},
		c:        c, names: map[int64]string{}, spines: map[logName]*spine{}, listed: map[noted]int64{},
		result: &Result{Bundles: []Bundle{}, Statements: []Statement{}, Journals: []Journal{}, Pauses: []Pause{},
			Stores: []Store{}, Presence: []Log{}},
	}
}

// noted is what findings are counted by.
type noted struct {
	code     finding.Code
	tenantID string
	logID    string
}

// examination is one thing that a crosscheck looks for.
type examination struct {
	name string
	do   func(*checker, context.Context) error
}

// examinations are all of them. Those behind use what those before have read.
var examinations = []examination{
	{"bundles", (*checker).bundles},
	{"statements", (*checker).readStatements},
	{"late records", (*checker).lateRecords},
	{"logs", (*checker).readLogs},
	{"answers", (*checker).answers},
	{"journals", (*checker).journals},
	{"pauses", (*checker).pauseFindings},
}

// Run crosschecks a case under the pinned keys of a trust file. An error means
// that the work could not be done; what is wrong with the evidence is in the
// result.
func Run(ctx context.Context, c *casefile.Case, root *trust.Root, options Options) (*Result, error) {
	return examine(ctx, c, root, options, examinations)
}

func examine(ctx context.Context, c *casefile.Case, root *trust.Root, options Options, all []examination) (*Result, error) {
	x := &checker{
		exam: newExam(c, root, options.Known), evidence: options.Evidence, makeups: map[string]*makeup{}, wanted: map[wantKey]*want{},
		issued: map[subject][]claim{}, approvals: map[subject][]*want{}, checkpoints: map[logName][]anchor{},
		subjects: map[chain.Hash]subjectOf{}, witnessed: map[logName]witnessed{}, late: map[logName]*late{},
		unread:  map[casefile.Ref]bool{},
		reports: map[logName]*reports{}, pauses: map[logName]*pauses{},
	}
	x.pairs, x.collected = newPairs(x), options.Collected
	if err := x.open(ctx, options.Stores); err != nil {
		return nil, err
	}
	for _, examination := range all {
		if err := examination.do(x, ctx); err != nil {
			return nil, err
		}
	}
	x.close()
	return x.result, nil
}

// open reads what the case consists of.
func (x *checker) open(ctx context.Context, prefixes []Prefix) error {
	sources, err := x.c.Sources(ctx)
	if err != nil {
		return err
	}
	for _, s := range sources {
		x.names[s.Number] = delivery.NameOf(s)
	}
	if x.empty, err = delivery.Empty(ctx, x.c); err != nil {
		return err
	}
	if err := x.openParts(ctx, sources, prefixes); err != nil {
		return err
	}
	logs, err := x.c.Logs(ctx)
	for _, l := range logs {
		x.logs[nameOf(l)] = l
	}
	return err
}

func nameOf(l casefile.Log) logName { return logName{l.TenantID, l.LogID} }

// node returns the node whose journal a log is.
func (n logName) node() (string, bool) { return strings.CutPrefix(n.logID, "node/") }

func (n logName) isTenant() bool { return n.logID == "tenant/"+n.tenantID }

func journalOf(tenantID, node string) logName { return logName{tenantID, "node/" + node} }
func tenantLog(tenantID string) logName       { return logName{tenantID, "tenant/" + tenantID} }

// sorted returns the names of logs in their order.
func sorted[T any](of map[logName]T) []logName {
	return slices.SortedFunc(maps.Keys(of), func(a, b logName) int {
		return strings.Compare(a.tenantID+"\x00"+a.logID, b.tenantID+"\x00"+b.logID)
	})
}

// mostListed bounds the findings of one code about one log.
const mostListed = 64

// note takes in a finding with the places of copies. Those beyond the bound are
// counted.
func (x *exam) note(ctx context.Context, f finding.Finding, refs ...casefile.Ref) error {
	key := noted{f.Code, f.TenantID, f.LogID}
	if x.listed[key]++; x.listed[key] > mostListed {
		return nil
	}
	for _, ref := range refs {
		places, err := delivery.Places(ctx, x.c, x.names, ref)
		if err != nil {
			return err
		}
		f.Evidence = append(f.Evidence, places...)
	}
	x.result.Findings = append(x.result.Findings, f.Complete())
	return nil
}

// close says what was not listed, and puts the findings in order.
func (x *exam) close() {
	for key, n := range x.listed {
		if n > mostListed {
			f := finding.Finding{Code: key.code, TenantID: key.tenantID, LogID: key.logID, Expected: fmt.Sprintf("at most %d findings of this kind", mostListed),
				Found: fmt.Sprintf("%d more like the first", n-mostListed)}
			x.result.Findings = append(x.result.Findings, f.Complete())
		}
	}
	slices.SortFunc(x.result.Findings, finding.Compare)
	x.result.Findings = append([]finding.Finding{}, x.result.Findings...)
	x.result.Compared = x.compared
	for i := range x.result.Stores {
		x.result.Stores[i].State = x.result.Stores[i].standing()
	}
}
