package casefile

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// batchQuery lists, for every id, the copies that arrived under it and how
// often. An id that stands in two places of one record counts once.
const batchQuery = `
	WITH arrivals (batch, ref) AS (
	  SELECT batch, event FROM events WHERE EXISTS (SELECT 1 FROM batches) AND batch IS NOT NULL
	  UNION ALL SELECT batch, -variant FROM variants WHERE batch IS NOT NULL
	  UNION ALL SELECT batch, event FROM deliveries WHERE batch IS NOT NULL),
	ids (batch, id) AS (
	  SELECT DISTINCT batch, substr(value, instr(value, ':') + 1) FROM batches, json_each(batches.ids)),
	members (id, ref, arrivals) AS (
	  SELECT id, ref, count(*) FROM arrivals JOIN ids USING (batch) GROUP BY id, ref)
	SELECT id, arrivals, coalesce(e.event >> 40, v.log) AS log, coalesce(e.event & 0xffffffffff, v.sequence) AS sequence,
	  coalesce(e.hash, v.hash) AS hash, l.log_id, l.tenant_id
	FROM members LEFT JOIN events e ON e.event = ref LEFT JOIN variants v ON v.variant = -ref
	JOIN logs l ON l.log = coalesce(e.event >> 40, v.log)
	ORDER BY id, l.tenant_id, l.log_id, sequence, hash`

// Batches yields the batches of the case, ascending by id.
func (v Arrivals) Batches(ctx context.Context) iter.Seq2[facts.Batch, error] {
	return func(yield func(facts.Batch, error) bool) {
		var b batchCount
		for m, err := range rows(ctx, v.c, ask(batchQuery), readMember) {
			if err != nil {
				yield(facts.Batch{}, err)
				return
			}
			if b.Events > 0 && m.id != b.ID {
				if !yield(b.end(), nil) {
					return
				}
				b = batchCount{}
			}
			b.add(m)
		}
		if b.Events > 0 {
			yield(b.end(), nil)
		}
	}
}

// Unbatched returns how many events were delivered without a batch id. Journals
// have no batch ids, so events of containers in the format journal do not count.
func (v Arrivals) Unbatched(ctx context.Context, journal string) (n int64, err error) {
	const query = `SELECT count(*) FROM (SELECT container FROM events WHERE batch IS NULL
		UNION ALL SELECT container FROM variants WHERE batch IS NULL
		UNION ALL SELECT container FROM deliveries WHERE batch IS NULL) JOIN containers USING (container) WHERE format <> ?`
	err = v.c.read(func(r *sqlite.Conn) error {
		// Most cases hold journals and nothing else: no event is looked at then.
		if n, err = r.Number("SELECT count(*) FROM containers WHERE format <> ?", journal); n == 0 || err != nil {
			return err
		}
		n, err = r.Number(query, journal)
		return err
	})
	return n, err
}

// member is one copy that arrived under a batch id.
type member struct {
	id            string
	arrivals, log int64
	sequence      int64
	hash          chain.Hash
	logID         string
	tenantID      string
}

func readMember(s *sqlite.Stmt) (member, error) {
	m := member{id: s.Text(0), arrivals: s.Int(1), log: s.Int(2), sequence: s.Int(3), logID: s.Text(5),
		tenantID: s.Text(6)}
	copy(m.hash[:], s.Blob(4))
	return m, nil
}

// batchCount counts the members of one id, in the order of logs and sequences,
// and hashes each run of them as SPEC 9.2 says.
type batchCount struct {
	facts.Batch
	last member
	run  *facts.BatchRun
}

func (b *batchCount) add(m member) {
	if b.Events == 0 {
		b.ID, b.TenantID, b.LogID, b.First = m.id, m.tenantID, m.logID, uint64(m.sequence)
	}
	if b.TenantID == m.tenantID && b.LogID == m.logID {
		b.Last = uint64(m.sequence)
	}
	b.Events++
	b.Deliveries += m.arrivals
	if m.arrivals > 1 {
		b.Redelivered++
	}
	sameLog := b.run != nil && m.log == b.last.log
	if sameLog && m.sequence == b.last.sequence {
		b.Differing++
		return
	}
	if !sameLog || m.sequence != b.last.sequence+1 {
		b.closeRun()
		b.Stretches++
		b.run = facts.NewBatchRun(m.logID)
	}
	b.run.Add(m.hash)
	b.last = m
}

// closeRun looks whether the run, or a part of it, is the batch that the id
// names: events that follow on those of a batch may have come under its id too.
func (b *batchCount) closeRun() {
	if b.run == nil {
		return
	}
	if n, whole := b.run.Genuine(b.ID); whole {
		b.Genuine = n
	} else {
		b.Genuine = max(b.Genuine, n)
	}
}

func (b *batchCount) end() facts.Batch {
	b.closeRun()
	return b.Batch
}
