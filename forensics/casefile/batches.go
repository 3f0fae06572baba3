package casefile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// batchDomain begins what a batch id is the digest of (SPEC 9.2).
const batchDomain = "svc.audit-batch.v1\x00"

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
	hash          []byte
	logID         string
	tenantID      string
}

func readMember(s *sqlite.Stmt) (member, error) {
	return member{s.Text(0), s.Int(1), s.Int(2), s.Int(3), slices.Clone(s.Blob(4)), s.Text(5), s.Text(6)}, nil
}

const (
	// mostBatched is how many events a batch has at most (SPEC 9.2).
	mostBatched = 64

	// mostSearched bounds the search for a batch within a longer run, as there
	// is one where a collector wrote an id onto everything.
	mostSearched = 4096
)

// batchCount counts the members of one id, in the order of logs and sequences,
// and hashes each run of them as SPEC 9.2 says.
type batchCount struct {
	facts.Batch
	last   member
	run    hash.Hash
	size   int64
	hashes [][]byte // of the run, the first of them
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
		b.run, b.size, b.hashes = beginBatch(m.logID), 0, b.hashes[:0]
	}
	b.run.Write(m.hash)
	b.size++
	if len(b.hashes) < mostSearched {
		b.hashes = append(b.hashes, m.hash)
	}
	b.last = m
}

func beginBatch(logID string) hash.Hash {
	h := sha256.New()
	h.Write([]byte(batchDomain + logID + "\x00"))
	return h
}

// closeRun looks whether the run, or a part of it, is the batch that the id
// names: events that follow on those of a batch may have come under its id too.
func (b *batchCount) closeRun() {
	if b.run == nil {
		return
	}
	if hex.EncodeToString(b.run.Sum(nil)) == b.ID {
		b.Genuine = b.size
		return
	}
	if id, err := hex.DecodeString(b.ID); err == nil && len(id) == sha256.Size {
		b.Genuine = max(b.Genuine, batchWithin(b.hashes, b.last.logID, id))
	}
}

// batchWithin returns how many of a run of hashes make up the batch of an id;
// 0 if none do.
func batchWithin(run [][]byte, logID string, id []byte) int64 {
	var sum [sha256.Size]byte
	for first := range run {
		h := beginBatch(logID)
		for n, one := range run[first:min(len(run), first+mostBatched)] {
			h.Write(one)
			if bytes.Equal(h.Sum(sum[:0]), id) {
				return int64(n) + 1
			}
		}
	}
	return 0
}

func (b *batchCount) end() facts.Batch {
	b.closeRun()
	return b.Batch
}
