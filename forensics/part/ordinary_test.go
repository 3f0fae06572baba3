package part_test

import (
	"encoding/json"
	"math/rand/v2"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
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
