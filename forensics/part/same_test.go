package part_test

import (
	"context"
	"iter"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/must"
)

// same compares two contents, record by record.
func same(t rapid.TB, want, got part.Content) {
	t.Helper()
	ctx := context.Background()
	alike(t, "header", want.Header(), got.Header())
	alike(t, "shares", want.Shares(), got.Shares())
	alike(t, "unread", want.Unread(), got.Unread())
	alike(t, "logs", want.Logs(), got.Logs())
	alike(t, "skips", list(t, want.Skips(ctx)), list(t, got.Skips(ctx)))
	alike(t, "documents", list(t, want.Documents(ctx)), list(t, got.Documents(ctx)))
	alike(t, "batches", list(t, want.Batches(ctx)), list(t, got.Batches(ctx)))
	for _, log := range want.Logs() {
		for _, from := range []uint64{0, 5, 1 << 60} {
			alike(t, "copies", list(t, want.Copies(ctx, log, from)), list(t, got.Copies(ctx, log, from)))
			alike(t, "statements", list(t, want.Statements(ctx, log, from)), list(t, got.Statements(ctx, log, from)))
			if _, ok := got.(part.Stretched); ok {
				sameStretches(t, got, log, from)
			}
		}
	}
}

func alike(t rapid.TB, what string, want, got any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // which is much faster
		return
	}
	diff := cmp.Diff(want, got, cmpopts.EquateEmpty())
	must.That(t, diff == "", "%s (-want +got):\n%s", what, diff)
}

// list returns copies of what is yielded.
func list[T any](t rapid.TB, seq iter.Seq2[*T, error]) (all []T) {
	t.Helper()
	for v, err := range seq {
		must.Do(t, err)
		one := *v
		if c, ok := any(&one).(*part.Copy); ok {
			c.Arrivals = append([]part.Arrival(nil), c.Arrivals...)
		}
		all = append(all, one)
	}
	return all
}
