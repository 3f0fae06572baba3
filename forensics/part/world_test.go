package part_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// world is evidence that was never written: sources with records.
type world struct{ sources []source }

type source struct {
	share   part.Share // of all of it
	records []record
}

// record is an event, a document or a skip, in one place.
type record struct {
	place    part.Place
	log      facts.Log
	copy     part.Copy // without arrivals
	arrival  part.Arrival
	said     []byte // if it is a statement
	document *part.Document
	skip     *part.Skip
}

// cut is a range of the records of a source.
type cut struct{ source, from, to int }

// memory is a content that is made in the most simple way: from all records at once.
type memory struct {
	header    part.Header
	shares    []part.Share
	unread    []facts.Unread
	skips     []part.Skip
	documents []part.Document
	logs      []facts.Log
	copies    map[facts.Log][]part.Copy
	said      map[facts.Log][]part.Statement
	batches   []part.Batch
}

var header = part.Header{Rules: "rules/1", Read: "reader 1", TrustSHA256: chain.Hash{1}, Plan: chain.Hash{2}}

// content makes the content of cuts, which may not overlap.
func (w *world) content(cuts ...cut) *memory {
	m := &memory{header: header, copies: map[facts.Log][]part.Copy{}, said: map[facts.Log][]part.Statement{}}
	slices.SortFunc(cuts, func(a, b cut) int {
		x, y := w.sources[a.source].share.Source, w.sources[b.source].share.Source
		return cmp.Or(bytes.Compare(x[:], y[:]), cmp.Compare(a.from, b.from))
	})
	for i := 0; i < len(cuts); i++ {
		for i+1 < len(cuts) && cuts[i].source == cuts[i+1].source && cuts[i].to == cuts[i+1].from {
			cuts[i].to = cuts[i+1].to
			cuts = slices.Delete(cuts, i+1, i+2)
		}
		m.add(&w.sources[cuts[i].source], cuts[i].from, cuts[i].to)
	}
	m.sort()
	return m
}

// add adds a range of records of a source as a share.
func (m *memory) add(s *source, from, to int) {
	share := s.share
	end := func(n int) int64 {
		if n == len(s.records) {
			return share.Size
		}
		return s.records[n].place.Offset
	}
	share.Range = part.Range{From: end(from), To: end(to)}
	share.Records, share.Events, share.Documents, share.Skipped = int64(to-from), 0, 0, 0
	share.Containers = slices.Clone(share.Containers)
	for n, r := range s.records[from:to] {
		r.place.Share, r.place.Record = len(m.shares), int64(n)
		switch {
		case r.document != nil:
			share.Documents++
			m.document(r)
		case r.skip != nil:
			share.Skipped++
			one := *r.skip
			one.Place, one.Through = r.place, r.place.Record
			m.skips = append(m.skips, one)
		default:
			share.Events++
			if r.arrival.Batch == "" {
				share.Containers[r.place.Container].Unbatched++
			}
			m.event(r)
		}
	}
	m.shares = append(m.shares, share)
}

func (m *memory) document(r record) {
	for i := range m.documents {
		if m.documents[i].SHA256 == r.document.SHA256 {
			m.documents[i].Places = append(m.documents[i].Places, r.place)
			return
		}
	}
	d := *r.document
	d.Places = []part.Place{r.place}
	m.documents = append(m.documents, d)
}

func (m *memory) event(r record) {
	r.arrival.Place = r.place
	all := m.copies[r.log]
	for i := range all {
		if all[i].Sequence == r.copy.Sequence && all[i].Digest == r.copy.Digest {
			all[i].Arrivals = append(all[i].Arrivals, r.arrival)
			return
		}
	}
	c := r.copy
	c.Arrivals = []part.Arrival{r.arrival}
	m.copies[r.log] = append(all, c)
	if r.said != nil {
		m.said[r.log] = append(m.said[r.log], part.Statement{Sequence: c.Sequence, Digest: c.Digest, Type: c.Type,
			TransactionID: "tx-1", Said: r.said})
	}
}

func byEvent(n1, n2 uint64, d1, d2 [part.DigestSize]byte) int {
	return cmp.Or(cmp.Compare(n1, n2), bytes.Compare(d1[:], d2[:]))
}

func (m *memory) sort() {
	slices.SortFunc(m.documents, func(a, b part.Document) int { return bytes.Compare(a.SHA256[:], b.SHA256[:]) })
	m.logs = slices.SortedFunc(maps.Keys(m.copies), facts.Log.Compare)
	for _, log := range m.logs {
		slices.SortFunc(m.copies[log],
			func(a, b part.Copy) int { return byEvent(a.Sequence, b.Sequence, a.Digest, b.Digest) })
		slices.SortFunc(m.said[log], func(a, b part.Statement) int {
			return byEvent(a.Sequence, b.Sequence, a.Digest, b.Digest)
		})
		m.batches = append(m.batches, batchesOf(log, m.copies[log])...)
	}
	m.sortBatches()
}

func (m *memory) sortBatches() {
	slices.SortFunc(m.batches, func(a, b part.Batch) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.Log.Compare(b.Log), cmp.Compare(a.First, b.First))
	})
}

// batchesOf makes the batches of a log id by id, in the way of SPEC 9.2.
func batchesOf(log facts.Log, copies []part.Copy) (all []part.Batch) {
	ids := map[string]bool{}
	for _, c := range copies {
		for _, a := range c.Arrivals {
			for _, id := range part.IDs(a.Batch) {
				ids[id] = true
			}
		}
	}
	for id := range ids {
		var members []part.Copy
		for _, c := range copies {
			c.Arrivals = slices.DeleteFunc(slices.Clone(c.Arrivals), func(a part.Arrival) bool {
				return !slices.Contains(part.IDs(a.Batch), id)
			})
			if len(c.Arrivals) > 0 {
				members = append(members, c)
			}
		}
		for len(members) > 0 {
			n := 1
			for n < len(members) && members[n].Sequence <= members[n-1].Sequence+1 {
				n++
			}
			all = append(all, batchOf(log, id, members[:n]))
			members = members[n:]
		}
	}
	return all
}

func batchOf(log facts.Log, id string, run []part.Copy) part.Batch {
	b := part.Batch{ID: id, Log: log, First: run[0].Sequence, Last: run[len(run)-1].Sequence, Events: int64(len(run))}
	lowest := map[uint64]chain.Hash{}
	var seen []byte
	for _, c := range run {
		b.Deliveries += int64(len(c.Arrivals))
		if len(c.Arrivals) > 1 {
			b.Redelivered++
		}
		if h, more := lowest[c.Sequence]; !more || bytes.Compare(c.Recorded[:], h[:]) < 0 {
			lowest[c.Sequence] = c.Recorded
		}
		seen = append(append(binary.BigEndian.AppendUint64(seen, c.Sequence), c.Recorded[:]...), c.Digest[:]...)
	}
	b.Differing = b.Events - int64(len(lowest))
	sum := sha256.Sum256(seen)
	copy(b.Copies[:], sum[:])
	for first := b.First; first <= b.Last && b.Genuine == 0; first++ {
		var hashes []chain.Hash
		for n := first; n <= b.Last; n++ {
			hashes = append(hashes, lowest[n])
			if batchID(log, hashes) == id {
				b.Genuine = int64(len(hashes))
			}
		}
	}
	return b
}

func batchID(log facts.Log, hashes []chain.Hash) string {
	b := []byte("svc.audit-batch.v1\x00" + log.LogID + "\x00")
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (m *memory) Header() part.Header    { return m.header }
func (m *memory) Shares() []part.Share   { return m.shares }
func (m *memory) Unread() []facts.Unread { return m.unread }
func (m *memory) Logs() []facts.Log      { return m.logs }
func (m *memory) String() string {
	return fmt.Sprintf("%d shares, %d logs", len(m.shares), len(m.logs))
}
func (m *memory) Skips(context.Context) iter.Seq2[*part.Skip, error] { return all(m.skips) }

func (m *memory) Documents(context.Context) iter.Seq2[*part.Document, error] { return all(m.documents) }
func (m *memory) Batches(context.Context) iter.Seq2[*part.Batch, error]      { return all(m.batches) }

func (m *memory) Copies(_ context.Context, log facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	c := m.copies[log]
	n, _ := slices.BinarySearchFunc(c, from, func(c part.Copy, n uint64) int { return cmp.Compare(c.Sequence, n) })
	return all(c[n:])
}

func (m *memory) Statements(_ context.Context, log facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	s := m.said[log]
	n, _ := slices.BinarySearchFunc(s, from, func(s part.Statement, n uint64) int { return cmp.Compare(s.Sequence, n) })
	return all(s[n:])
}

// Stretches yields copies.
func (m *memory) Stretches(ctx context.Context, log facts.Log, from uint64,
	_ part.Judging) iter.Seq2[part.Stretch, error] {
	return func(yield func(part.Stretch, error) bool) {
		for c, err := range m.Copies(ctx, log, from) {
			if !yield(part.Stretch{Copy: c}, err) {
				return
			}
		}
	}
}

// PullStatements pulls statements.
func (m *memory) PullStatements(ctx context.Context, log facts.Log, from uint64) (func() (*part.Statement, error),
	func()) {
	next, stop := iter.Pull2(m.Statements(ctx, log, from))
	return func() (*part.Statement, error) { s, err, _ := next(); return s, err }, stop
}

func all[T any](list []T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range list {
			if !yield(&list[i], nil) {
				return
			}
		}
	}
}
