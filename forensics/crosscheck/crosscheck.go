package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// Evidence is a bundle that is given in addition to the case.
type Evidence struct {
	Name  string
	Bytes []byte
}

// Options say which bundles to compare with the case, and how to group its
// sources.
type Options struct {
	Evidence []Evidence
	Stores   []Prefix // given by the user; nil to find them

	// Sound reports whether a walk over the same evidence, in this process and under the same
	// trust file, found an event sound ([walk.Facts.IsSound]); may be nil.
	Sound func(log facts.Log, sequence uint64) bool

	Collected []Collected // collected by the user's word

	// Walked returns, of a log that was walked, the sequence up to which nothing is missing,
	// changed or replaced, and the sequence of the highest anchor above its last event; nil to
	// leave out witnessed events.
	Walked func(facts.Log) (whole, beyond uint64)
}

// checker is one crosscheck of one case.
type checker struct {
	*exam
	evidence  []Evidence // in addition to the case
	wants     *wants
	records   *records
	witnesses *witnesses
	reports   reportsByLog
	pauses    pausesByLog
	pairs     *pairs
	holdings  *holdings
}

func newChecker(in evidence.Reader, root *trust.Root, options Options) *checker {
	x := newExam(in, root, options.Sound)
	wants, records, reports := newWants(x), newRecords(x), reportsByLog{}
	return &checker{
		exam: x, evidence: options.Evidence, wants: wants, records: records, reports: reports, pauses: pausesByLog{},
		witnesses: &witnesses{exam: x, records: records, newest: map[facts.Log]witnessed{},
			collected: options.Collected, walked: options.Walked, vouchers: map[facts.Log]map[string]*voucher{},
			others: map[witnessedHead][]contradicting{}},
		pairs: newPairs(x, wants, records),
		holdings: &holdings{exam: x, wants: wants, reports: reports, spans: map[facts.Log]*kept{},
			collected: options.Collected, histories: map[facts.Log][]heldHistory{}, unread: map[facts.Ref]bool{},
			makeups: map[string]*makeup{}, partial: partial{}},
	}
}

// exam is the state that all examinations of a crosscheck share: the evidence, and the result.
type exam struct {
	*verifier
	in       evidence.Reader
	names    map[int64]string // of the sources, by number
	spines   map[facts.Log]*spine
	result   *Result
	listed   map[noted]int64
	compared int64 // how many things were compared
}

func newExam(in evidence.Reader, root *trust.Root, sound func(facts.Log, uint64) bool) *exam {
	return &exam{
		verifier: &verifier{root: root, judge: walk.NewJudge(root), sound: sound, logs: map[facts.Log]bool{}},
		in:       in, names: map[int64]string{}, spines: map[facts.Log]*spine{}, listed: map[noted]int64{},
		result: &Result{Bundles: []Bundle{}, Statements: []Statement{}, Journals: []Journal{}, Pauses: []Pause{},
			Stores: []Store{}, Witnessed: []Witnessed{}, EndsEarly: []EndsEarly{}, Presence: []Log{}},
	}
}

// noted is the key by which findings are counted.
type noted struct {
	code finding.Code
	log  facts.Log
}

// examination is one thing that a crosscheck looks for.
type examination struct {
	name string
	do   func(*checker, context.Context) error
}

// examinations are all of them. Later ones use the data that earlier ones have read.
var examinations = []examination{
	{"bundles", (*checker).bundles},
	{"statements", (*checker).readStatements},
	{"late records", func(x *checker, ctx context.Context) error { return x.records.lateRecords(ctx) }},
	{"logs", func(x *checker, ctx context.Context) error { return x.holdings.readLogs(ctx) }},
	{"ends", func(x *checker, ctx context.Context) error { return x.witnesses.settleHeads(ctx, x.spines) }},
	{"answers", func(x *checker, ctx context.Context) error { return x.wants.settleStatements(ctx) }},
	{"journals", (*checker).journals},
	{"pauses", func(x *checker, ctx context.Context) error { return x.pauses.nameSuspects(ctx, x.exam) }},
}

// Run crosschecks evidence under the pinned keys of a trust file. An error means that
// the evidence could not be read. Faults in it are findings of the result, not errors.
func Run(ctx context.Context, in evidence.Reader, root *trust.Root, options Options) (*Result, error) {
	return examineEvidence(ctx, in, root, options, examinations)
}

func examineEvidence(ctx context.Context, in evidence.Reader, root *trust.Root, options Options,
	all []examination) (result *Result, err error) {
	x := newChecker(in, root, options)
	defer func() { err = errors.Join(err, x.pairs.closeFiles()) }()
	if err := x.readParts(ctx, options.Stores); err != nil {
		return nil, err
	}
	for _, examination := range all {
		if err := examination.do(x, ctx); err != nil {
			return nil, err
		}
	}
	x.sortFindings()
	return x.result, nil
}

// readParts reads the parts of the evidence.
func (x *checker) readParts(ctx context.Context, prefixes []Prefix) error {
	sources, err := x.in.Sources(ctx)
	if err != nil {
		return err
	}
	for _, s := range sources {
		x.names[s.Number] = delivery.NameOf(s)
	}
	if x.holdings.empty, err = delivery.Empty(ctx, x.in); err != nil {
		return err
	}
	if err := x.holdings.readContainers(ctx, sources, prefixes); err != nil {
		return err
	}
	logs, err := x.in.Logs(ctx)
	for _, l := range logs {
		x.logs[l] = true
	}
	return err
}

// sortedLogs returns the names of logs in their order.
func sortedLogs[T any](of map[facts.Log]T) []facts.Log {
	return slices.SortedFunc(maps.Keys(of), facts.Log.Compare)
}

// mostListed bounds the findings of one code about one log.
const mostListed = 64

// addFinding adds a finding with the places of copies. Findings beyond the bound are counted.
func (x *exam) addFinding(ctx context.Context, f finding.Finding, refs ...facts.Ref) error {
	key := noted{f.Code, facts.LogOf(f)}
	if x.listed[key]++; x.listed[key] > mostListed {
		return nil
	}
	for _, ref := range refs {
		places, err := delivery.Places(ctx, x.in, x.names, ref)
		if err != nil {
			return err
		}
		f.Evidence = append(f.Evidence, places...)
	}
	x.result.Findings = append(x.result.Findings, f.Complete())
	return nil
}

// sortFindings reports the unlisted findings, and sorts the others.
func (x *exam) sortFindings() {
	for key, n := range x.listed {
		if n > mostListed {
			f := finding.Finding{Code: key.code, TenantID: key.log.TenantID, LogID: key.log.LogID,
				Expected: fmt.Sprintf("at most %d findings of this kind", mostListed),
				Found:    fmt.Sprintf("%d more like the first", n-mostListed)}
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
