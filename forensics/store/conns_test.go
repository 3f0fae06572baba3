package store_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestReadersBesideAWriter: an open case gives the same answers to any number of goroutines
// while its writer adds, merges and deletes. A case that is opened later has the changes.
func TestReadersBesideAWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := must.Get(os.MkdirTemp("", "store"))(t)
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "store.db")
		w := must.Get(store.OpenWrite(path))(t)
		defer w.Close()
		must.Do(t, w.Durable())
		w.Bounded(1)
		if rapid.Bool().Draw(t, "index") {
			must.Do(t, store.IndexEvents(t.Context(), w))
		}
		all := drawArrivals(t)
		pourDrawn(t, w, all, digestOf, rapid.SampledFrom([]int{1, 9}).Draw(t, "records of a chunk"))
		must.Do(t, w.Commit())
		if rapid.Bool().Draw(t, "merged before") {
			must.Do(t, w.MergeRuns(t.Context()))
		}
		before := must.Get(store.OpenRead(path))(t)
		defer before.Close()
		want := ""
		if rapid.Bool().Draw(t, "read before") {
			want = must.Get(listingOf(t.Context(), before))(t)
		}
		if rapid.Bool().Draw(t, "merges") {
			must.Do(t, w.MergeRuns(t.Context()))
		}
		must.Do(t, w.Refuse(facts.Unread{Path: "x"}), w.Commit())
		pourDrawn(t, w, all, func(source int) chain.Hash { return chain.Hash{byte(source), 9} }, 1)
		must.Do(t, w.Commit(), w.MergeRuns(t.Context()), w.Tidy(t.Context()))

		var group sync.WaitGroup
		listings, faults := make([]string, 3), make([]error, 3)
		for i := range listings {
			group.Go(func() { listings[i], faults[i] = listingOf(t.Context(), before) })
		}
		group.Wait()
		must.Do(t, faults...)
		if want == "" {
			want = listings[0]
		}
		for _, got := range listings {
			if got != want {
				t.Fatalf("what is seen of the case changed:\n%s", difference(want, got))
			}
		}
		if n := len(before.Content.Unread()); n != 0 {
			t.Errorf("%d files that were not read, want 0", n)
		}
		after := must.Get(store.OpenRead(path))(t)
		defer after.Close()
		if n := len(after.Content.Unread()); n != 1 {
			t.Errorf("%d files that were not read, want 1", n)
		}
	})
}
