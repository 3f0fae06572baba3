package partview_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// drawn is a content in memory, of one log without statements.
type drawn struct {
	shares []part.Share
	copies []part.Copy
}

var drawnLog = facts.Log{TenantID: "acme", LogID: "node/a"}

func (d *drawn) Header() part.Header    { return part.Header{} }
func (d *drawn) Shares() []part.Share   { return d.shares }
func (d *drawn) Unread() []facts.Unread { return nil }
func (d *drawn) Logs() []facts.Log      { return []facts.Log{drawnLog} }

func nothing[T any](func(T, error) bool) {}

func (d *drawn) Skips(context.Context) iter.Seq2[*part.Skip, error] { return nothing[*part.Skip] }
func (d *drawn) Documents(context.Context) iter.Seq2[*part.Document, error] {
	return nothing[*part.Document]
}
func (d *drawn) Batches(context.Context) iter.Seq2[*part.Batch, error] { return nothing[*part.Batch] }
func (d *drawn) Statements(context.Context, facts.Log, uint64) iter.Seq2[*part.Statement, error] {
	return nothing[*part.Statement]
}

func (d *drawn) Copies(_ context.Context, _ facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		for i := range d.copies {
			if d.copies[i].Sequence >= from && !yield(&d.copies[i], nil) {
				return
			}
		}
	}
}

// Stretches yields copies.
func (d *drawn) Stretches(ctx context.Context, log facts.Log, from uint64,
	_ part.Judging) iter.Seq2[part.Stretch, error] {
	return func(yield func(part.Stretch, error) bool) {
		for c, err := range d.Copies(ctx, log, from) {
			if !yield(part.Stretch{Copy: c}, err) {
				return
			}
		}
	}
}

func (d *drawn) PullStatements(context.Context, facts.Log, uint64) (func() (*part.Statement, error), func()) {
	return func() (*part.Statement, error) { return nil, nil }, func() {}
}

// drawContent draws a log that a few sources hold, mostly alike for some events.
func drawContent(t *rapid.T) *drawn {
	d := &drawn{}
	records := make([]int64, rapid.IntRange(1, 3).Draw(t, "sources"))
	for i := range records {
		d.shares = append(d.shares, part.Share{Source: chain.Hash{byte(i + 1)}, Size: 1, Range: part.Range{To: 1},
			Complete: true, Events: 1, Records: math.MaxInt32,
			Paths:      []part.Path{{Given: string(rune('a' + i))}},
			Containers: []part.Container{{Format: "journal"}, {Path: "x", Format: "journal"}}})
	}
	at, now := []int{0}, int64(1_700_000_000_000)
	rare := func(what string) bool { return rapid.IntRange(0, 11).Draw(t, what) == 0 }
	for n := uint64(1); n <= uint64(rapid.IntRange(1, 60).Draw(t, "events")); n++ {
		if rare("gap") {
			n++
		}
		if now += 1000; rare("quiet") {
			now += 25 * 3600 * 1000
		}
		if rare("other sources") {
			at = rapid.SliceOfN(rapid.IntRange(0, len(records)-1), 1, 3).Draw(t, "at")
		}
		for copies := range 1 + boolInt(rare("several")) {
			c := part.Copy{}
			c.Sequence, c.OccurredAt, c.Signed = n, now, event.OverContent
			binary.BigEndian.PutUint64(c.Recorded[:], n)
			c.Computed, c.Digest[0] = c.Recorded, byte(copies)
			for _, s := range at {
				records[s]++
				a := part.Arrival{Place: part.Place{Share: s, Record: records[s], Offset: records[s]}, Fidelity: 1}
				if rare("earlier") {
					a.Record = records[s] / 2
				}
				if rare("form") {
					a.Fidelity = facts.Fidelity(rapid.IntRange(1, 4).Draw(t, "fidelity"))
				}
				if rare("skew") {
					a.ObservedAt = (now + rapid.Int64Range(-1e8, 2e8).Draw(t, "after")) * 1e6
				}
				a.Container = boolInt(rare("container"))
				c.Arrivals = append(c.Arrivals, a)
			}
			d.copies = append(d.copies, c)
		}
	}
	for i := range d.copies {
		slices.SortFunc(d.copies[i].Arrivals, func(a, b part.Arrival) int {
			return cmp.Or(cmp.Compare(a.Share, b.Share), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Container, b.Container))
		})
	}
	return d
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestRuns: the report on the deliveries is the same whether runs are passed over or not, and
// there are runs.
func TestRuns(t *testing.T) {
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawContent(t)
		var reports [2]string
		for i := range reports {
			v := must.Get(partview.New(context.Background(), d, partview.Options{}))(t)
			v.Bounded(5, 1)
			log := facts.Log{TenantID: drawnLog.TenantID, LogID: drawnLog.LogID}
			if i == 1 { // as a walk does
				for _, err := range v.Stretches(context.Background(), log, 1) {
					must.Do(t, err)
				}
			}
			for one, err := range v.ArrivalRuns(context.Background(), log) {
				must.That(t, err == nil && (one.Through == nil || i != 0), "%+v, %v", one, err)
				if one.Through != nil {
					passed++
				}
			}
			r := must.Get(delivery.Run(context.Background(), v, nil))(t)
			doc := must.Get(json.MarshalIndent(r, "", " "))(t)
			reports[i] = string(doc)
		}
		must.That(t, reports[0] == reports[1], "without runs\n%s\nwith runs\n%s", reports[0], reports[1])
	})
	check.That(t, passed != 0, "no run was passed over")
}
