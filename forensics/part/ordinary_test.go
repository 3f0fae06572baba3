package part_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// ordinary makes the content of a source that holds so many logs, one event of each
// after another: of a journal, if there is one, else of a store with export batches.
func ordinary(source byte, logs int, first, events uint64) *memory {
	random := rand.New(rand.NewPCG(1, first)) // #nosec G404 -- a test
	m := &memory{header: header, copies: map[facts.Log][]part.Copy{}, said: map[facts.Log][]part.Statement{}}
	share := part.Share{Source: chain.Hash{source}, Containers: []part.Container{{Format: "journal"}}, Complete: true,
		Paths: []part.Path{{Given: "audit.log", Absolute: "/var/log/audit.log"}}}
	types := []string{"tool.called", "tool.returned", "policy.evaluated", "session.opened", "session.closed"}
	hash := func(log int, n uint64) (h chain.Hash) {
		r := rand.NewChaCha8(hashOf(n*uint64(logs) + uint64(log)))
		r.Read(h[:])
		return h
	}
	keys, batches := make([]string, logs), make([]string, logs)
	for i := range logs {
		log := facts.JournalOf("tenant-1", string(rune('a'+i)))
		m.logs, keys[i] = append(m.logs, log), "key-"+log.LogID
		m.copies[log] = make([]part.Copy, 0, events)
	}
	at, occurred := int64(0), int64(1_700_000_000_000)
	for n := first; n < first+events; n++ {
		for i, log := range m.logs {
			c := part.Copy{}
			c.Link = chain.Link{Sequence: n, Previous: hash(i, n-1), Skip: hash(i, chain.Skip(n))}
			c.KeyID, c.Type, c.OccurredAt = keys[i], types[random.IntN(len(types))], occurred
			c.Size, c.Recorded, c.Signed = 400+random.Int64N(300), hash(i, n), event.OverContent
			c.Computed = c.Recorded
			random.Uint64()
			copy(c.Digest[:], c.Recorded[8:])
			a := part.Arrival{Fidelity: 1, Place: part.Place{Offset: at, Length: c.Size + 330, Record: share.Records}}
			if logs > 1 {
				if n%64 == 0 || n == first {
					batches[i] = batchText(batchID(log, []chain.Hash{hash(i, n)}))
				}
				a.Batch = batches[i]
				a.ObservedAt = (occurred+random.Int64N(2000))*1e6 + random.Int64N(1e6)
			}
			c.Arrivals = []part.Arrival{a}
			m.copies[log] = append(m.copies[log], c)
			at, occurred, share.Records = at+a.Length+1, occurred+random.Int64N(500), share.Records+1
		}
	}
	share.Size, share.Events = at, share.Records
	share.Range.To = at
	m.shares = []part.Share{share}
	for _, log := range m.logs {
		b := part.NewBatcher(log, func(b *part.Batch) { m.batches = append(m.batches, *b) })
		for i := range m.copies[log] {
			b.Add(&m.copies[log][i])
		}
		b.End()
	}
	m.sortBatches()
	return m
}

func batchText(id string) string {
	b, _ := json.Marshal([]string{"resource:" + id})
	return string(b)
}

// counted counts the bytes that are read.
type counted struct {
	*bytes.Reader
	read *atomic.Int64
}

func (c counted) ReadAt(b []byte, at int64) (int, error) {
	c.read.Add(int64(len(b)))
	return c.Reader.ReadAt(b, at)
}

// spread opens many parts of one log, each with its own events.
func spread(t *testing.T, parts int, each uint64) (all []*part.File, size int64, read *atomic.Int64) {
	read = new(atomic.Int64)
	for i := range parts {
		m := ordinary(0, 1, 1+uint64(i)*each, each)
		m.shares[0].Source[0], m.shares[0].Source[1] = byte(i>>8), byte(i)
		b := octets(t, m, nil)
		size += int64(len(b))
		f := must.Get(part.Open(context.Background(), counted{bytes.NewReader(b), read}, int64(len(b)), nil))(t)
		all = append(all, f)
	}
	return all, size, read
}

// TestReads: of many parts each is read once to be joined, and one at a time. To
// find an event, one block of one part is read.
func TestReads(t *testing.T) {
	all, size, read := spread(t, 400, 100)
	m := must.Get(part.Merge(all...))(t)
	read.Store(0)
	log := m.Logs()[0]
	for _, from := range []uint64{1, 777, 20_000, 39_999, 40_000, 40_001, 1 << 60} {
		read.Store(0)
		for c, err := range m.Copies(context.Background(), log, from) {
			check.That(t, err == nil && c.Sequence == from, "from %d: %d, %v", from, c.Sequence, err)
			break
		}
		for range m.Statements(context.Background(), log, from) {
			t.Error("a statement")
		}
		most := 2 * size / 400
		check.That(t, read.Load() <= most && (from <= 40_000 || read.Load() <= 0),
			"from %d: %d octets were read, expected at most %d", from, read.Load(), most)
	}
	read.Store(0)
	if n, err := length(m); n != 40_000 || err != nil {
		t.Errorf("%d copies, %v", n, err)
	}
	check.That(t, read.Load() <= size, "%d octets were read, expected at most %d", read.Load(), size)
}

func length(c part.Content) (n int, err error) {
	for _, log := range c.Logs() {
		for _, err := range c.Copies(context.Background(), log, 0) {
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, err
}

// TestBlockReads: of a long log, only the blocks from a sequence on are read.
func TestBlockReads(t *testing.T) {
	all, size, read := spread(t, 1, 20_000)
	m := must.Get(part.Merge(all...))(t)
	log := m.Logs()[0]
	for _, from := range []uint64{1, 10_000, 19_999} {
		read.Store(0)
		n := 0
		for _, err := range m.Copies(context.Background(), log, from) {
			must.Do(t, err)
			n++
		}
		check.That(t, n == int(20_001-from), "from %d: %d copies", from, n)
		most := size*int64(n)/20_000 + 100<<10
		check.That(t, read.Load() <= most, "from %d: %d octets were read, expected at most %d", from, read.Load(), most)
	}
}
