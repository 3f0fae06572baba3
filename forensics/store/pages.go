package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// evidenceTables are the tables that cannot be made again from the others.
// Their indexes belong to them: a forged index hides rows.
const evidenceTables = `'sources', 'paths', 'unread', 'containers', 'logs', 'blocks', 'run_sources', 'bodies',
	'statements', 'skips', 'documents', 'document_places', 'events'`

// digestEvidence digests, under a key, every page of the tables and indexes of
// the evidence, so that no byte of them changes unnoticed. The other tables are
// left out, so that the walks of other users do not change it. It needs an open
// transaction.
func digestEvidence(ctx context.Context, c *sqlite.Conn, k *Key) (sum chain.Hash, err error) {
	p, err := sqlite.OpenPages(c)
	if err != nil {
		return sum, err
	}
	defer p.Close()
	h := hmac.New(sha256.New, k.rows[:])
	var tag []byte
	digest := func(number uint32, page []byte) error {
		tag = k.tag(append(tag[:0], 0, 0, 0, 0), number, page)
		binary.BigEndian.PutUint32(tag, number)
		h.Write(tag)
		return nil
	}
	const roots = "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 AND tbl_name IN (" + evidenceTables +
		") ORDER BY name"
	err = c.Each(roots, nil, func(s *sqlite.Stmt) error {
		h.Write(append(s.Blob(0), 0))
		return p.Visit(ctx, uint32(s.Int(1)), digest)
	})
	h.Sum(sum[:0])
	return sum, err
}
