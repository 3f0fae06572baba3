package part

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// DescriptionSchema names the form of a [Description].
const DescriptionSchema = "svc-verify/part-description/v1"

// Description is a part's header and sources, and the counts of its records. It judges
// nothing. Paths are written as text (SPEC 15.1), and so are the names of containers.
type Description struct {
	Schema      string            `json:"schema"`
	Form        string            `json:"form"`
	Octets      int64             `json:"octets"`
	SHA256      string            `json:"sha256"` // of the part, trailer aside
	MAC         MAC               `json:"mac"`
	Rules       string            `json:"rules"`
	Reading     string            `json:"reading"`
	TrustSHA256 string            `json:"trust_sha256"`
	PlanSHA256  string            `json:"plan_sha256,omitempty"` // "" without a plan
	Totals      Totals            `json:"totals"`
	Sources     []DescribedSource `json:"sources"`
	Logs        []DescribedLog    `json:"logs"`
	Documents   []Counted         `json:"documents"` // by kind
	Skips       []Counted         `json:"skips"`     // spans that could not be read, by code
	Unread      []facts.Unread    `json:"unread"`
}

// MAC reports whether a part has a MAC, and whether that was checked.
type MAC string

// The values of MAC.
const (
	NoMAC        MAC = "none"
	MACUnchecked MAC = "not-checked" // there is one, and no key to check it with
	MACHolds     MAC = "holds"
)

// Totals count the records of a part.
type Totals struct {
	Copies     int64 `json:"copies"`   // of events
	Arrivals   int64 `json:"arrivals"` // of copies
	Statements int64 `json:"statements"`
	Documents  int64 `json:"documents"`
	Skips      int64 `json:"skips"` // spans that could not be read
	Batches    int64 `json:"batches"`
}

// DescribedSource is a range of a source that was read. From, To and Size are bytes.
type DescribedSource struct {
	SHA256    string   `json:"sha256"` // of the whole source
	Size      int64    `json:"size"`   // of the whole source
	From      int64    `json:"from"`
	To        int64    `json:"to"`
	Complete  bool     `json:"complete"`
	Paths     []string `json:"paths"`
	Format    string   `json:"format"` // of the source itself; "" if it is unknown
	Events    int64    `json:"events"`
	Documents int64    `json:"documents"`
	Skips     int64    `json:"skips"`
}

// DescribedLog is a log with copies in a part.
type DescribedLog struct {
	TenantID   string `json:"tenant_id"`
	LogID      string `json:"log_id"`
	First      uint64 `json:"first_sequence"`
	Last       uint64 `json:"last_sequence"`
	Copies     int64  `json:"copies"`
	Arrivals   int64  `json:"arrivals"`
	Statements int64  `json:"statements"`
}

// Counted is how many there are of a kind.
type Counted struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Describe reads all records of a part, and returns its description. The error is the one of
// the first record that cannot be read.
func Describe(ctx context.Context, f *File) (*Description, error) {
	h := f.Header()
	d := &Description{Schema: DescriptionSchema, Form: magic[:len(magic)-1], Octets: f.size, SHA256: f.digest.String(),
		MAC: f.mac, Rules: h.Rules, Reading: h.Read, TrustSHA256: h.TrustSHA256.String(), Sources: []DescribedSource{},
		Logs: []DescribedLog{}, Unread: []facts.Unread{}}
	if h.Plan != (chain.Hash{}) {
		d.PlanSHA256 = h.Plan.String()
	}
	for i := range f.x.shares {
		d.Sources = append(d.Sources, describeShare(&f.x.shares[i]))
	}
	for _, u := range f.unread {
		d.Unread = append(d.Unread, facts.Unread{Path: safetext.PathText(u.Path), Code: u.Code, Detail: u.Detail})
	}
	c, err := Merge(f)
	if err == nil {
		err = d.countLog(ctx, c)
	}
	if err == nil {
		err = d.rows(ctx, c)
	}
	return d, err
}

func describeShare(s *Share) DescribedSource {
	d := DescribedSource{SHA256: s.Source.String(), Size: s.Size, From: s.Range.From, To: s.Range.To,
		Complete: s.Complete, Paths: []string{}, Events: s.Events, Documents: s.Documents, Skips: s.Skipped}
	for _, p := range s.Paths {
		d.Paths = append(d.Paths, safetext.PathText(p.Given))
	}
	for _, c := range s.Containers {
		if c.Path == "" {
			d.Format = c.Format
		}
	}
	return d
}

// countLog counts the records of a log.
func (d *Description) countLog(ctx context.Context, all Content) error {
	for _, log := range all.Logs() {
		one := DescribedLog{TenantID: log.TenantID, LogID: log.LogID}
		for c, err := range all.Copies(ctx, log, 0) {
			if err != nil {
				return err
			}
			if one.Copies++; one.Copies == 1 {
				one.First = c.Sequence
			}
			one.Last = c.Sequence
			one.Arrivals += int64(len(c.Arrivals))
		}
		for _, err := range all.Statements(ctx, log, 0) {
			if err != nil {
				return err
			}
			one.Statements++
		}
		d.Totals.Copies += one.Copies
		d.Totals.Arrivals += one.Arrivals
		d.Totals.Statements += one.Statements
		d.Logs = append(d.Logs, one)
	}
	return nil
}

// rows counts the records of no log.
func (d *Description) rows(ctx context.Context, all Content) error {
	kinds, codes := map[string]int64{}, map[string]int64{}
	for one, err := range all.Documents(ctx) {
		if err != nil {
			return err
		}
		kinds[one.Kind]++
		d.Totals.Documents++
	}
	for one, err := range all.Skips(ctx) {
		if err != nil {
			return err
		}
		codes[one.Code] = addCounts(codes[one.Code], one.Spans)
		d.Totals.Skips = addCounts(d.Totals.Skips, one.Spans)
	}
	for _, err := range all.Batches(ctx) {
		if err != nil {
			return err
		}
		d.Totals.Batches++
	}
	d.Documents, d.Skips = sortCounts(kinds), sortCounts(codes)
	return nil
}

// addCounts adds counts of a part that anyone can have made.
func addCounts(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// sortCounts returns counts by name.
func sortCounts(of map[string]int64) []Counted {
	all := []Counted{}
	for _, name := range slices.SortedFunc(maps.Keys(of), cmp.Compare) {
		all = append(all, Counted{name, of[name]})
	}
	return all
}
