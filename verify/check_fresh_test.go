package verify

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// witness is a receipt that opened, at so many milliseconds after [origin].
type witness struct {
	node string
	key  byte
	at   int64
}

// aged holds the facts on which freshness depends. All times are in milliseconds after a day,
// or else after [origin].
type aged struct {
	day        time.Time
	at, maxAge int64 // of the policy
	status     string
	legacy     bool
	created    int64
	quorum     int64
	witnesses  []witness
}

var (
	origin   = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	yearZero = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
)

func after(ms int64) time.Time { return origin.Add(time.Duration(ms) * time.Millisecond) }

func (a aged) after(ms int64) time.Time {
	if a.day.IsZero() {
		return after(ms)
	}
	return a.day.Add(time.Duration(ms) * time.Millisecond)
}

// findings runs check 8.23 alone.
func (a aged) findings() (Status, []Finding) {
	checkpoint := bundle.Checkpoint{Protocol: bundle.ProtocolCheckpoint, CreatedAt: a.after(a.created),
		RequiredWitnesses: a.quorum}
	if a.legacy {
		checkpoint.Protocol, checkpoint.RequiredWitnesses = bundle.ProtocolCheckpointV0, 0
	}
	r := &run{root: &trust.Root{}, policy: Policy{At: a.after(a.at), MaxAge: time.Duration(a.maxAge) * time.Millisecond}}
	for _, w := range a.witnesses {
		r.witnesses = append(r.witnesses, receipt{Statement: bundle.WitnessReceipt{WitnessedAt: a.after(w.at)},
			Key: trust.Key{Node: w.node, Public: trust.PublicKey{w.key}}})
	}
	r.in = &bundle.Input{Bundle: &bundle.Bundle{
		Checkpoint: trust.Seal(trust.Envelope{}, checkpoint),
		Status:     trust.Seal(trust.Envelope{}, bundle.Status{Status: a.status}),
	}}
	var outcome Check
	r.runCheck(list[slices.IndexFunc(list, func(c check) bool { return c.id == statusFreshID })], &outcome)
	return outcome.Status, outcome.Findings
}

func summary(status Status, findings []Finding) string {
	text := string(status)
	for _, f := range findings {
		text += fmt.Sprintf(" %s %s", f.Code, f.Path)
	}
	return text
}

const (
	later       = " status.later /checkpoint/statement/created_at"
	madeEarly   = " status.stale /checkpoint/statement/created_at"
	seenEarly   = " status.stale /witness_receipts"
	notWitness  = " status.stale /checkpoint/statement/protocol"
	week        = int64(7 * 24 * time.Hour / time.Millisecond)
	toleranceMs = int64(Tolerance / time.Millisecond)
)

// TestFresh: every bound of SPEC 8.23 from both sides, to the millisecond.
func TestFresh(t *testing.T) {
	two := []witness{{"a", 1, 0}, {"b", 2, 0}}
	base := aged{at: week, maxAge: week, status: bundle.Issued, quorum: 2, witnesses: two}
	tests := []struct {
		name   string
		change func(*aged)
		want   string
	}{
		{"all at the limit", func(*aged) {}, "passed"},
		{"created 1 ms before", func(a *aged) { a.created = -1 }, "empty" + madeEarly},
		{"created at the time itself", func(a *aged) { a.created = week }, "passed"},
		{"created later, by the tolerance", func(a *aged) { a.created = week + toleranceMs }, "passed"},
		{"created later, by 1 ms more", func(a *aged) { a.created = week + toleranceMs + 1 }, "empty" + later},
		{"one receipt 1 ms before", func(a *aged) { a.witnesses = []witness{{"a", 1, 0}, {"b", 2, -1}} },
			"empty" + seenEarly},
		{"both before", func(a *aged) { a.created, a.at = -1, week+1 }, "empty" + madeEarly + seenEarly},
		{"a third before", func(a *aged) { a.witnesses = append([]witness{{"c", 3, -1}}, two...) }, "passed"},
		{"two of three before", func(a *aged) { a.witnesses = []witness{{"c", 3, -1}, {"a", 1, -1}, {"b", 2, 9}} },
			"empty" + seenEarly},
		{"receipts long after the time", func(a *aged) { a.witnesses = []witness{{"a", 1, 9 * week}, {"b", 2, 9 * week}} },
			"passed"},
		{"one node twice", func(a *aged) { a.witnesses = []witness{{"a", 1, 0}, {"a", 2, 0}} }, "empty" + seenEarly},
		{"one key twice", func(a *aged) { a.witnesses = []witness{{"a", 1, 0}, {"b", 1, 0}} }, "empty" + seenEarly},
		{"one node twice, another before", func(a *aged) { a.witnesses = []witness{{"a", 1, 0}, {"a", 2, 0}, {"b", 3, -1}} },
			"empty" + seenEarly},
		{"one node twice, and another", func(a *aged) { a.witnesses = []witness{{"a", 1, -1}, {"a", 2, 0}, {"b", 3, 0}} },
			"passed"},
		{"no receipts", func(a *aged) { a.witnesses = nil }, "empty" + seenEarly},
		{"too high a quorum", func(a *aged) { a.quorum = math.MaxInt64 }, "empty" + seenEarly},
		{"revoked long ago", func(a *aged) { a.status, a.at = bundle.Revoked, 90*week }, "passed"},
		{"revoked later", func(a *aged) { a.status, a.created = bundle.Revoked, 2*week }, "empty" + later},
		{"legacy", func(a *aged) { a.legacy, a.witnesses = true, nil }, "empty" + notWitness},
		{"legacy and later", func(a *aged) { a.legacy, a.created = true, 2*week }, "empty" + later + notWitness},
		{"revoked and legacy", func(a *aged) { a.legacy, a.status, a.at = true, bundle.Revoked, 90*week }, "passed"},
		{"no receipts, below the year 0", func(a *aged) { a.day, a.created, a.witnesses = yearZero, week, nil },
			"empty" + seenEarly},
		{"in the year 0", func(a *aged) { a.day, a.at, a.maxAge = yearZero, 0, 9*week }, "passed"},
		{"later, with old receipts", func(a *aged) { a.created, a.at = 2*week, week+1 }, "empty" + later + seenEarly},
	}
	for _, tt := range tests {
		a := base
		tt.change(&a)
		if got := summary(a.findings()); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestFreshAgainstNaive: the check agrees with a reference that counts in whole
// milliseconds, and every way round.
func TestFreshAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := aged{
			at:     rapid.Int64Range(-week, week).Draw(t, "at"),
			maxAge: rapid.Int64Range(1, 400).Draw(t, "seconds") * 1000,
			status: rapid.SampledFrom([]string{bundle.Issued, bundle.Issued, bundle.Revoked}).Draw(t, "status"),
			legacy: rapid.IntRange(0, 5).Draw(t, "legacy") == 0,
			quorum: rapid.Int64Range(1, 3).Draw(t, "quorum"),
		}
		near := rapid.Custom(func(t *rapid.T) int64 {
			bound := rapid.SampledFrom([]int64{a.at - a.maxAge, a.at - a.maxAge, a.at + toleranceMs}).Draw(t, "bound")
			return bound + rapid.Int64Range(-1, 1).Draw(t, "beside")
		})
		a.created = near.Draw(t, "created")
		for range rapid.IntRange(0, 6).Draw(t, "receipts") {
			a.witnesses = append(a.witnesses, witness{rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "node"),
				rapid.ByteRange(1, 4).Draw(t, "key"), near.Draw(t, "witnessed")})
		}
		got, want := summary(a.findings()), naive(a)
		must.That(t, got == want, "%+v: %s, want %s", a, got, want)
	})
}

// naive is SPEC 8.23 word by word. A legacy checkpoint asks for no witnesses.
func naive(a aged) string {
	var wrong string
	if a.created > a.at+300_000 {
		wrong += later
	}
	nodes, keys := map[string]int{}, map[byte]int{}
	for _, w := range a.witnesses {
		if w.at >= a.at-a.maxAge {
			nodes[w.node]++
			keys[w.key]++
		}
	}
	switch {
	case a.status == bundle.Revoked:
	case a.legacy:
		wrong += notWitness
	default:
		if a.created < a.at-a.maxAge {
			wrong += madeEarly
		}
		if int64(len(nodes)) < a.quorum || int64(len(keys)) < a.quorum {
			wrong += seenEarly
		}
	}
	if wrong == "" {
		return "passed"
	}
	return "empty" + wrong
}

// TestFreshNeverLaxer: a policy that cannot be given on a command line demands no
// less than the nearest one that can.
func TestFreshNeverLaxer(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{0: 0, 1: 0, time.Second - 1: 0, 2*time.Second - 1: time.Second,
		-1: 0, -time.Hour: 0, math.MinInt64: 0} {
		p := Policy{At: origin, MaxAge: d}
		if got := origin.Sub(p.earliestFresh()); !p.asksFresh() || p.maxAge() != want || got != want {
			t.Errorf("%d: an age of %s, and %s in the report", d, got, p.maxAge())
		}
	}
	half := Policy{MaxAge: time.Hour}
	if a := (aged{status: bundle.Revoked}); !half.asksFresh() || !after(a.created).After(half.At.Add(Tolerance)) {
		t.Error("without a time, a bundle of today is not later")
	}
	if got := (Policy{At: yearZero.Add(time.Hour), MaxAge: math.MaxInt64}).earliestFresh(); !got.Equal(yearZero) {
		t.Errorf("below the year 0: %s", got)
	}
}

// TestQuorumTime: the quorum's time is the latest of all times from which on the
// receipts are a quorum.
func TestQuorumTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quorum := rapid.Int64Range(1, 4).Draw(t, "quorum")
		var all []receipt
		for range rapid.IntRange(0, 8).Draw(t, "receipts") {
			all = append(all, receipt{
				Statement: bundle.WitnessReceipt{WitnessedAt: after(rapid.Int64Range(0, 5).Draw(t, "at"))},
				Key: trust.Key{Node: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "node"),
					Public: trust.PublicKey{rapid.ByteRange(1, 5).Draw(t, "key")}}})
		}
		var want time.Time
		for ms := range int64(6) {
			since := slices.DeleteFunc(slices.Clone(all),
				func(r receipt) bool { return r.Statement.WitnessedAt.Before(after(ms)) })
			if int64(trust.Distinct(keysOf(since))) >= quorum {
				want = after(ms)
			}
		}
		got, ok := quorumTime(all, quorum)
		must.That(t, got.Equal(want) && ok == !want.IsZero(), "%s %t, want %s", got, ok, want)
	})
}
