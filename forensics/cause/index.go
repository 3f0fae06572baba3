package cause

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// index is the facts of one case, as they are looked up.
type index struct {
	*findingIndex
	*logIndex
	*storeIndex
	explored map[useOf]int // how often the findings that follow from a use were looked up
}

// findingIndex has the findings.
type findingIndex struct {
	Findings []finding.Finding
	byLog    map[facts.Log]map[finding.Code]*overlaps
	placing  map[finding.Evidence][]int // findings about bundles, by their places
}

// logIndex has the walk's answers about logs and keys.
type logIndex struct {
	Walk     *walk.Result
	Saw      walk.Facts
	Root     *trust.Root
	logs     []walk.LogResult
	byLog    map[facts.Log]walk.LogResult
	ofTenant map[string][]walk.LogResult
	valid    bool                        // a signature of an event holds
	holding  map[facts.Log]walk.Range    // from the first to the last event signed under keys that hold
	uses     map[facts.Log][]walk.KeyUse // in the order of the facts
	totals   map[string]keyTotal         // by key id
	holds    map[string]bool             // tenants with an event whose signature holds
}

// useOf is the uses of keys for one kind of statement about one log.
type useOf struct {
	facts.Log
	facts.StatementKind
}

func newIndex(f Facts) *index {
	return &index{newFindingIndex(f.Findings), newLogIndex(f.Walk, f.Saw, f.Root), newStoreIndex(f.Compared),
		map[useOf]int{}}
}

func newLogIndex(walked *walk.Result, saw walk.Facts, root *trust.Root) *logIndex {
	x := &logIndex{Walk: walked, Saw: saw, Root: root, byLog: map[facts.Log]walk.LogResult{},
		ofTenant: map[string][]walk.LogResult{}, holding: map[facts.Log]walk.Range{},
		uses: map[facts.Log][]walk.KeyUse{}, totals: map[string]keyTotal{}, holds: map[string]bool{}}
	if walked != nil {
		x.logs = walked.Logs
	}
	for _, l := range x.logs {
		x.byLog[l.Log()] = l
		x.ofTenant[l.TenantID] = append(x.ofTenant[l.TenantID], l)
		x.valid = x.valid || l.SignatureValid > 0
		x.holds[l.TenantID] = x.holds[l.TenantID] || l.SignatureValid > 0
	}
	for _, u := range x.Saw.Keys {
		x.uses[u.Log], x.totals[u.KeyID] = append(x.uses[u.Log], u), x.totals[u.KeyID].plus(u)
		if u.Kind != facts.SignedEvents || u.Hold == 0 {
			continue
		}
		r, known := x.holding[u.Log]
		if !known {
			r = walk.Range{First: u.First, Last: u.Last}
		}
		x.holding[u.Log] = walk.Range{First: min(r.First, u.First), Last: max(r.Last, u.Last)}
	}
	return x
}

func newFindingIndex(all []finding.Finding) *findingIndex {
	x := &findingIndex{all, map[facts.Log]map[finding.Code]*overlaps{}, map[finding.Evidence][]int{}}
	ranges := map[facts.Log]map[finding.Code][]overlap{}
	for i, f := range x.Findings {
		of := ranges[facts.LogOf(f)]
		if of == nil {
			of = map[finding.Code][]overlap{}
			ranges[facts.LogOf(f)] = of
		}
		of[f.Code] = append(of[f.Code], overlap{i, f.Sequence, f.LastSequence + 1})
		if !hasProperty(f.Code, ofBundle) {
			continue
		}
		for _, e := range f.Evidence {
			x.placing[e] = append(x.placing[e], i)
		}
	}
	for log, of := range ranges {
		x.byLog[log] = map[finding.Code]*overlaps{}
		for code, all := range of {
			x.byLog[log][code] = newOverlaps(all)
		}
	}
	return x
}

// findAbout returns the findings about a log that have one of some properties, and overlap
// with sequences; 0, 0 is any.
func (x *findingIndex) findAbout(log facts.Log, first, last uint64, of ...property) []int {
	return x.lookUp(log, first, last, false, of)
}

// aboutLog returns the findings about a log that have one of some properties.
func (x *findingIndex) aboutLog(l walk.LogResult, of ...property) []int {
	return x.findAbout(l.Log(), 0, 0, of...)
}

// lookUp is about. It can drop the findings that it returns, so that they are not found again.
func (x *findingIndex) lookUp(log facts.Log, first, last uint64, drop bool, of []property) []int {
	var all []int
	for code, ranges := range x.byLog[log] {
		if hasProperty(code, of...) {
			all = append(all, ranges.findOverlapping(first, last, drop)...)
		}
	}
	return merged(all)
}

func isNode(logID string) bool {
	_, ok := facts.Log{LogID: logID}.Node()
	return ok
}

// saw returns the walk's facts about a log.
func (x *logIndex) saw(l walk.LogResult) walk.LogFacts { return x.Saw.Logs[l.Log()] }

// walked returns the walk's result on a log.
func (x *logIndex) walked(log facts.Log) walk.LogResult {
	if l, ok := x.byLog[log]; ok {
		return l
	}
	return walk.LogResult{TenantID: log.TenantID, LogID: log.LogID}
}

// files returns the sources with the subjects of findings, ascending. The places of the
// comparison's findings may belong to genuine copies, and the places of missing events belong
// to other things. Disclosed events are no log.
func (x *index) files(findings []int) []string {
	var all []string
	for _, i := range findings {
		f := x.Findings[i]
		entry := f.Code.Entry()
		if entry.Elsewhere {
			continue
		}
		for _, e := range f.Evidence {
			if entry.SignOf != finding.Deletion || x.disclosed[e.Source] == "" {
				all = append(all, e.Source)
			}
		}
	}
	return merged(all)
}

// codesOf returns the codes of findings for people, ascending.
func (x *findingIndex) codesOf(findings []int) string {
	var all []string
	for _, i := range findings {
		all = append(all, string(x.Findings[i].Code))
	}
	return strings.Join(merged(all), ", ")
}

// bySubject groups findings by a list of names, in the order of these.
func (x *findingIndex) bySubject(findings []int, names func(finding.Finding) []string) [][]int {
	groups := map[string][]int{}
	var keys []string
	for _, i := range findings {
		key := strings.Join(names(x.Findings[i]), "\x00")
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], i)
	}
	slices.Sort(keys)
	var all [][]int
	for _, key := range keys {
		all = append(all, groups[key])
	}
	return all
}

// ofLogs returns the findings with one of some properties about the logs of some findings.
func (x *findingIndex) ofLogs(findings []int, of ...property) []int {
	logs := map[facts.Log]bool{}
	for _, i := range findings {
		logs[facts.LogOf(x.Findings[i])] = true
	}
	var all []int
	for log := range logs {
		all = append(all, x.findAbout(log, 0, 0, of...)...)
	}
	return merged(all)
}

// logsOf returns the logs that findings are about.
func (x *findingIndex) logsOf(findings []int) []string {
	var all []string
	for _, i := range findings {
		if id := x.Findings[i].LogID; id != "" {
			all = append(all, id)
		}
	}
	return merged(all)
}

// firstOf returns the lowest sequence that findings are about.
func (x *findingIndex) firstOf(findings []int) uint64 {
	lowest := uint64(0)
	for _, i := range findings {
		if n := x.Findings[i].Sequence; n > 0 && (lowest == 0 || n < lowest) {
			lowest = n
		}
	}
	return lowest
}

// pinnedFor returns the ids of the pinned keys that a log's owner may use.
func (x *logIndex) pinnedFor(logID string) []string {
	if x.Root == nil {
		return nil
	}
	node, ofNode := facts.Log{LogID: logID}.Node()
	keys := x.Root.NodeKeys(node)
	if !ofNode {
		keys = x.Root.Keys(trust.Audit)
	}
	var ids []string
	for _, k := range keys {
		ids = append(ids, k.ID)
	}
	return merged(ids)
}

// timeOf writes a time.
func timeOf(ms int64) string { return form.FormatMillis(ms) }
