package part

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// known contains the shares and logs that rows refer to.
type known struct {
	shares []Share
	logs   []facts.Log
	log    map[facts.Log]int
}

// table is how records of one kind are written as rows (SPEC 19.1). A row does not
// depend on the one before it.
type table[T any] struct {
	kind    kind
	append  func(b []byte, v *T, x *known) ([]byte, error)
	read    func(r *block.Decoder, v *T, x *known)
	compare func(a, b *T) int
}

var (
	shareTable     = table[Share]{ofShares, appendShare, readShare, compareShare}
	unreadTable    = table[facts.Unread]{ofUnread, appendUnread, readUnread, compareUnread}
	skipTable      = table[Skip]{ofSkips, appendSkip, readSkip, compareSkip}
	documentTable  = table[Document]{ofDocuments, appendDocument, readDocument, compareDocument}
	statementTable = table[Statement]{ofStatements, appendStatement, readStatement, compareStatement}
	batchTable     = table[Batch]{ofBatches, appendBatch, readBatch, compareBatch}
)

func appendHeader(b []byte, h Header) []byte {
	b = block.AppendText(block.AppendText(b, h.Rules), h.Read)
	b = append(b, h.TrustSHA256[:]...)
	return append(b, h.Plan[:]...)
}

func readHeader(r *block.Decoder) Header {
	return Header{r.Text(), r.Text(), r.Hash(), r.Hash()}
}

func appendLog(b []byte, l facts.Log) []byte {
	return block.AppendText(block.AppendText(b, l.TenantID), l.LogID)
}

func readLog(r *block.Decoder) facts.Log { return facts.Log{TenantID: r.Text(), LogID: r.Text()} }

func appendShare(b []byte, s *Share, _ *known) ([]byte, error) {
	b = append(b, s.Source[:]...)
	for _, n := range []int64{s.Size, s.Range.From, s.Range.To} {
		b = block.AppendInt(b, n)
	}
	b = block.AppendInt(b, int64(len(s.Paths)))
	for _, p := range s.Paths {
		b = block.AppendText(block.AppendText(b, p.Given), p.Absolute)
	}
	b = block.AppendInt(b, int64(len(s.Containers)))
	for _, c := range s.Containers {
		b = block.AppendText(block.AppendText(block.AppendText(b, c.Path), c.Format), c.Why)
		b = block.AppendInt(b, c.Unbatched)
	}
	for _, n := range []int64{s.Records, s.Events, s.Documents, s.Skipped} {
		b = block.AppendInt(b, n)
	}
	return block.AppendFlag(b, s.Complete), nil
}

func readShare(r *block.Decoder, s *Share, _ *known) {
	s.Source, s.Size = r.Hash(), r.Number(math.MaxInt64)
	s.Range = Range{From: r.Number(s.Size), To: r.Number(s.Size)}
	r.Check(s.Range.From <= s.Range.To, "a range that ends behind its beginning")
	s.Paths = make([]Path, r.Count(2))
	for i := range s.Paths {
		s.Paths[i] = Path{Given: r.Text(), Absolute: r.Text()}
		r.Check(i == 0 || comparePath(s.Paths[i-1], s.Paths[i]) < 0, "paths that ascend")
	}
	s.Containers = make([]Container, r.Count(4))
	seen := make(map[string]bool, len(s.Containers))
	for i := range s.Containers {
		c := Container{Path: r.Text(), Format: r.Text(), Why: r.Text(), Unbatched: r.Number(math.MaxInt64)}
		r.Check(!seen[c.Path], "each container once")
		s.Containers[i], seen[c.Path] = c, true
	}
	for _, n := range []*int64{&s.Records, &s.Events, &s.Documents, &s.Skipped} {
		*n = r.Number(math.MaxInt64)
	}
	s.Complete = r.Flag()
}

func appendUnread(b []byte, u *facts.Unread, _ *known) ([]byte, error) {
	return block.AppendText(block.AppendText(block.AppendText(b, u.Path), u.Code), u.Detail), nil
}

func readUnread(r *block.Decoder, u *facts.Unread, _ *known) {
	*u = facts.Unread{Path: r.Text(), Code: r.Text(), Detail: r.Text()}
}

func appendPlace(b []byte, p *Place, x *known) ([]byte, error) {
	if err := x.checkPlace(p); err != nil {
		return b, err
	}
	for _, n := range []int64{int64(p.Share), int64(p.Container), p.Offset, p.Length, p.Record} {
		b = block.AppendInt(b, n)
	}
	return b, nil
}

// checkPlace returns an error if there is no such place in the shares.
func (x *known) checkPlace(p *Place) error {
	switch {
	case p.Share < 0 || p.Share >= len(x.shares):
		return fmt.Errorf("there is no share %d", p.Share)
	case p.Container < 0 || p.Container >= len(x.shares[p.Share].Containers):
		return fmt.Errorf("there is no container %d in share %d", p.Container, p.Share)
	case p.Record < 0 || p.Record >= x.shares[p.Share].Records:
		return fmt.Errorf("there is no record %d in share %d", p.Record, p.Share)
	case p.Offset < 0 || p.Length < 0:
		return fmt.Errorf("there is no octet %d", min(p.Offset, p.Length))
	}
	return nil
}

func readPlace(r *block.Decoder, x *known) (p Place) {
	p.Share, p.Container = int(r.Number(math.MaxInt32)), int(r.Number(math.MaxInt32))
	p.Offset, p.Length, p.Record = r.Number(math.MaxInt64), r.Number(math.MaxInt64), r.Number(math.MaxInt64)
	if err := x.checkPlace(&p); err != nil && r.Fault == nil {
		r.Fail("a place in the shares", err.Error())
	}
	return p
}

func appendSkip(b []byte, s *Skip, x *known) ([]byte, error) {
	b, err := appendPlace(b, &s.Place, x)
	b = block.AppendText(block.AppendText(block.AppendText(b, s.Code), s.Detail), s.Excerpt)
	return block.AppendInt(block.AppendInt(b, s.Spans), s.Through), err
}

func readSkip(r *block.Decoder, s *Skip, x *known) {
	*s = Skip{readPlace(r, x), r.Text(), r.Text(), r.Octets(maxText), r.Number(math.MaxInt64), r.Number(math.MaxInt64)}
}

func appendDocument(b []byte, d *Document, x *known) (_ []byte, err error) {
	b = block.AppendText(append(b, d.SHA256[:]...), d.Kind)
	b = block.AppendInt(b, int64(len(d.Places)))
	for i := range d.Places {
		if b, err = appendPlace(b, &d.Places[i], x); err != nil {
			return b, err
		}
		if i > 0 && block.ComparePlace(&d.Places[i-1], &d.Places[i]) >= 0 {
			return b, errOrder
		}
	}
	if len(d.Places) == 0 {
		return b, errNowhere
	}
	return block.AppendText(block.AppendText(b, d.Walk), d.Cross), nil
}

func readDocument(r *block.Decoder, d *Document, x *known) {
	d.SHA256, d.Kind = r.Hash(), r.Text()
	d.Places = make([]Place, r.Count(5))
	r.Check(len(d.Places) > 0, "a place")
	for i := range d.Places {
		d.Places[i] = readPlace(r, x)
		r.Check(i == 0 || block.ComparePlace(&d.Places[i-1], &d.Places[i]) < 0, "places that ascend")
	}
	d.Walk, d.Cross = r.Octets(maxFacts), r.Octets(maxFacts)
}

func appendStatement(b []byte, s *Statement, _ *known) ([]byte, error) {
	b = append(block.AppendInt(b, int64(s.Sequence)), s.Digest[:]...)
	return block.AppendText(block.AppendText(block.AppendText(b, s.Type), s.TransactionID), s.Said), nil
}

func readStatement(r *block.Decoder, s *Statement, _ *known) {
	s.Sequence = r.Uvarint()
	r.Fixed(s.Digest[:])
	kind := r.Octets(maxText)
	name, known := typeNames[string(kind)]
	if !known {
		name = string(kind)
	}
	s.Type, s.TransactionID, s.Said = name, r.Text(), r.Octets(maxFacts)
}

// typeNames are the types of statements, so that their names need no memory of their own.
var typeNames = func() map[string]string {
	all := map[string]string{}
	for _, t := range slices.Concat(event.NodeTypes, event.TenantTypes) {
		all[t] = t
	}
	return all
}()

func appendBatch(b []byte, v *Batch, x *known) ([]byte, error) {
	log, known := x.log[v.Log]
	if !known || v.First > v.Last {
		return b, fmt.Errorf("a batch of a log without copies, or without events: %v", v.Log)
	}
	b = appendID(b, v.ID)
	b = block.AppendInt(block.AppendInt(block.AppendInt(b, int64(log)), int64(v.First)), int64(v.Last-v.First))
	for _, n := range []int64{v.Events, v.Deliveries, v.Redelivered, v.Differing, v.Genuine} {
		b = block.AppendInt(b, n)
	}
	return append(b, v.Copies[:]...), nil
}

func readBatch(r *block.Decoder, v *Batch, x *known) {
	v.ID = readID(r)
	if log := r.Number(math.MaxInt32); log < int64(len(x.logs)) {
		v.Log = x.logs[log]
	} else {
		r.Fail("the number of a log", fmt.Sprint(log))
	}
	v.First = r.Uvarint()
	v.Last = v.First + r.Uvarint()
	r.Check(v.Last >= v.First, "a batch that ends behind its beginning")
	for _, n := range []*int64{&v.Events, &v.Deliveries, &v.Redelivered, &v.Differing, &v.Genuine} {
		*n = r.Number(math.MaxInt64)
	}
	r.Fixed(v.Copies[:])
}

// appendID appends a batch id. A digest needs half of its digits.
func appendID(b []byte, id string) []byte {
	if raw, err := hex.DecodeString(id); err == nil && len(raw) == len(chain.Hash{}) && hex.EncodeToString(raw) == id {
		return append(append(b, 0), raw...)
	}
	return append(block.AppendInt(b, int64(len(id))+1), id...)
}

func readID(r *block.Decoder) string {
	n := r.Number(maxText)
	if n == 0 {
		return r.Hash().String()
	}
	if n--; n > int64(len(r.B)) {
		r.Fail("a batch id", "its beginning")
		return ""
	}
	id := r.Take(int(n))
	if again := appendID(nil, string(id)); r.Fault == nil && again[0] == 0 {
		r.Fail("a digest in its shortest form", "its digits")
	}
	return string(id)
}

// clone returns the record in a form that stays valid when the next one is read.
func (d *Document) clone() *Document {
	c := *d
	c.Places, c.Walk, c.Cross = slices.Clone(d.Places), bytes.Clone(d.Walk), bytes.Clone(d.Cross)
	return &c
}
