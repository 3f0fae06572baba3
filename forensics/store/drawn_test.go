package store_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
)

// drawn is one arrival of a copy of an event, in the words of the test.
type drawn struct {
	log      int
	sequence uint64
	variant  int
	source   int
	box      int // container
	batch    []facts.BatchID
	fidelity facts.Fidelity
	observed int64
}

var (
	drawnLogs = []facts.Log{{TenantID: "acme", LogID: "node/0"}, {TenantID: "acme", LogID: "tenant/acme"},
		{TenantID: "beta", LogID: "node/0"}}
	drawnTypes = []string{"type.0", "type.1", event.ApprovalSigned}
	drawnBoxes = []string{"", "a.tar/x", "a.tar/a"}
	drawnIDs   = [][]facts.BatchID{nil, nil, {{Where: "record", ID: "a"}}, {{Where: "record", ID: "b"}},
		{{Where: "record", ID: "a"}, {Where: "scope", ID: "a"}, {Where: "scope", ID: "c"}}}
)

const drawnSources = 3

// drawArrivals draws arrivals, among them a crowd of copies of one sequence now and then.
func drawArrivals(t *rapid.T) []drawn {
	one := rapid.Custom(func(t *rapid.T) drawn {
		d := drawn{log: rapid.IntRange(0, len(drawnLogs)-1).Draw(t, "log"),
			sequence: rapid.Uint64Range(1, 14).Draw(t, "sequence"), variant: rapid.IntRange(0, 2).Draw(t, "variant")}
		if rapid.IntRange(0, 9).Draw(t, "far") == 0 {
			d.sequence = rapid.SampledFrom([]uint64{90, 91, 5000, 1<<40 + 3}).Draw(t, "far sequence")
		}
		d.source = rapid.IntRange(0, drawnSources-1).Draw(t, "source")
		d.box = rapid.IntRange(0, len(drawnBoxes)-1).Draw(t, "container")
		d.batch = rapid.SampledFrom(drawnIDs).Draw(t, "batch")
		d.fidelity = facts.Fidelity(rapid.IntRange(int(facts.Exact), int(facts.Lossy)).Draw(t, "fidelity"))
		d.observed = rapid.Int64Range(0, 2).Draw(t, "observed")
		return d
	})
	all := rapid.SliceOfN(one, 0, 50).Draw(t, "arrivals")
	if crowd := rapid.SampledFrom([]int{0, 0, 0, 17, 70}).Draw(t, "crowd"); crowd > 0 {
		for i := range crowd {
			all = append(all, drawn{sequence: 7, variant: i, fidelity: facts.Exact})
		}
	}
	return all
}

// line makes the copy. The same log, sequence and variant always give the same line.
func (d *drawn) line() *event.Line {
	n := int(d.sequence%1000)*13 + d.log*5 + d.variant*3
	log := drawnLogs[d.log]
	l := &event.Line{TenantID: []byte(log.TenantID), LogID: []byte(log.LogID), Type: []byte(drawnTypes[n%3]),
		KeyID: fmt.Appendf(nil, "key-%d", n%2), OccurredAt: int64(d.sequence%100)*1000 + int64(n%7)*500,
		Data: fmt.Appendf(nil, `{"n":%0*d,"q":"a\"b%d"}`, 1+n%5, n%10, n%3)}
	if n%4 > 0 {
		l.TransactionID = fmt.Appendf(nil, "tx-%d", n%4)
	}
	l.Salt[0], l.Signature[0] = byte(n), byte(d.variant)
	l.Body = fmt.Appendf(nil, `{"data":%s,"log_id":"%s","occurred_at":"%s","protocol":"%s","salt":"%s","sequence":%d`+
		`,"tenant_id":"%s"`, l.Data, l.LogID, form.FormatMillis(l.OccurredAt), event.Protocol,
		base64.RawURLEncoding.EncodeToString(l.Salt[:]), d.sequence, l.TenantID)
	if len(l.TransactionID) > 0 {
		l.Body = fmt.Appendf(l.Body, `,"transaction_id":"%s"`, l.TransactionID)
	}
	l.Body = fmt.Appendf(l.Body, `,"type":"%s"}`, l.Type)
	l.Link = chain.Link{Sequence: d.sequence, Previous: chain.Hash{byte(n)}, Skip: chain.Hash{1},
		Body: sha256.Sum256(l.Body)}
	if l.Recorded = l.Link.Hash(); n%6 == 0 {
		l.Recorded = chain.Hash{2, byte(d.sequence)}
	}
	return l
}

// found returns the place of an arrival, from its number among all.
func (d *drawn) found(number int) facts.Found {
	return facts.Found{Container: d.box, Record: int64(number), Offset: int64(number) * 10, Length: 9}
}

// digestOf is the content of a source.
func digestOf(source int) chain.Hash { return chain.Hash{byte(7 * (source + 1) % 5), byte(source)} }

// pourDrawn adds arrivals, so many of a source at once.
func pourDrawn(t must.T, w ingest.Target, all []drawn, digest func(source int) chain.Hash, atOnce int) {
	var at [drawnSources]facts.Progress
	for source := range at {
		at[source] = must.Get(w.Start(1, chain.Hash{}))(t)
		at[source].ReadSHA256 = digest(source)
		must.Do(t, w.Name(at[source].Source, fmt.Sprintf("source-%d", source), ""))
	}
	for first := 0; first < len(all); first += atOnce {
		for source := range at {
			p := &at[source]
			c := &facts.Chunk{Source: p.Source}
			for _, path := range drawnBoxes {
				c.Containers = append(c.Containers, facts.Container{Path: path})
			}
			for i := first; i < min(first+atOnce, len(all)); i++ {
				if d := &all[i]; d.source == source {
					c.Events = append(c.Events, facts.Arrival{Found: d.found(i), Line: d.line(), Fidelity: d.fidelity,
						Batch: facts.Batches(d.batch), ObservedAt: d.observed})
					p.Events++
				}
			}
			p.Read++
			w.Prepare(c)
			must.Do(t, w.Add(c, *p))
		}
	}
	for _, p := range at {
		must.Do(t, w.Finish(p))
	}
}

// fillStore makes a store of arrivals, of several runs that are merged or not, with an index
// of events or without.
func fillStore(t *rapid.T, dir string, all []drawn) *store.File {
	path := filepath.Join(dir, "store.db")
	w := must.Get(store.OpenWrite(path))(t)
	indexed := rapid.SampledFrom([]string{"no", "at first", "at last"}).Draw(t, "index")
	if indexed == "at first" {
		must.Do(t, store.IndexEvents(t.Context(), w))
	}
	w.Bounded(rapid.SampledFrom([]int{0, 1}).Draw(t, "memory of a run"))
	pourDrawn(t, w, all, digestOf, rapid.SampledFrom([]int{1, 9, 1000}).Draw(t, "records of a chunk"))
	must.Do(t, w.Commit())
	if rapid.Bool().Draw(t, "merge") {
		must.Do(t, w.Index())
	}
	if indexed == "at last" {
		must.Do(t, store.IndexEvents(t.Context(), w))
	}
	must.Do(t, w.Close())
	return must.Get(store.OpenRead(path))(t)
}

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
