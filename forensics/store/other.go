package store

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// rest is the documents and skips of a store.
type rest struct {
	file   *File
	order  []int64       // the sources in the order of the shares
	final  map[int64]int // the share of each source
	judged bool          // the statements of documents are kept
}

// eachRow yields the rows of a query.
func eachRow[T any](ctx context.Context, f *File, query func(*sqlite.Conn, func(*T) error) error) iter.Seq2[*T, error] {
	return evidence.Stream(func(yield func(*T) error) error {
		return f.withConn(func(c *sqlite.Conn) error {
			return query(c, func(v *T) (err error) {
				if err := ctx.Err(); err != nil {
					return err
				}
				f.yield(c, func() { err = yield(v) })
				return err
			})
		})
	})
}

// Skips implements part.Rest.
func (r *rest) Skips(ctx context.Context) iter.Seq2[*part.Skip, error] {
	const query = `SELECT record, container, offset, length, code, detail, excerpt, spans, through FROM skips
		WHERE source = ? ORDER BY record, container, offset, length, code, detail`
	return eachRow(ctx, r.file, func(c *sqlite.Conn, yield func(*part.Skip) error) error {
		for share, source := range r.order {
			err := c.Each(query, []any{source}, func(s *sqlite.Stmt) error {
				return yield(&part.Skip{Place: part.Place{Share: share, Record: s.Int(0), Container: int(s.Int(1)),
					Offset: s.Int(2), Length: s.Int(3)}, Code: s.Text(4), Detail: s.Text(5), Excerpt: bytes.Clone(s.Blob(6)),
					Spans: s.Int(7), Through: s.Int(8)})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Documents implements part.Rest.
func (r *rest) Documents(ctx context.Context) iter.Seq2[*part.Document, error] {
	const (
		documents = "SELECT document, sha256, kind, bytes FROM documents ORDER BY sha256"
		places    = "SELECT source, container, offset, length, record FROM document_places WHERE document = ?"
	)
	return eachRow(ctx, r.file, func(c *sqlite.Conn, yield func(*part.Document) error) error {
		return c.Each(documents, nil, func(s *sqlite.Stmt) error {
			d := &part.Document{Kind: s.Text(2)}
			if kept := bytes.Clone(s.Blob(3)); !r.judged {
				d.Bytes = kept
			} else if err := readSaying(d, kept); err != nil {
				return err
			}
			d.SHA256 = chain.Hash(append(bytes.Clone(s.Blob(1)), make([]byte, len(chain.Hash{}))...)[:len(chain.Hash{})])
			err := c.Each(places, []any{s.Int(0)}, func(p *sqlite.Stmt) error {
				share, known := r.final[p.Int(0)]
				if !known {
					return errGone
				}
				d.Places = append(d.Places, part.Place{Share: share, Container: int(p.Int(1)), Offset: p.Int(2),
					Length: p.Int(3), Record: p.Int(4)})
				return nil
			})
			if err != nil {
				return err
			}
			slices.SortFunc(d.Places, func(a, b part.Place) int { return block.ComparePlace(&a, &b) })
			return yield(d)
		})
	})
}
