package part

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// known is what rows refer to.
type known struct {
	shares []Share
	logs   []facts.Log
	log    map[facts.Log]int
}

// table is how records of one kind are written as rows (SPEC 19.3). A row does not
// depend on the one before it.
type table[T any] struct {
	kind    kind
	append  func(b []byte, v *T, x *known) ([]byte, error)
	read    func(r *reader, v *T, x *known)
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
	b = appendText(appendText(b, h.Rules), h.Read)
	b = append(b, h.TrustSHA256[:]...)
	return append(b, h.Plan[:]...)
}

func readHeader(r *reader) Header {
	return Header{r.text(), r.text(), r.hash(), r.hash()}
}

func appendLog(b []byte, l facts.Log) []byte { return appendText(appendText(b, l.TenantID), l.LogID) }

func readLog(r *reader) facts.Log { return facts.Log{TenantID: r.text(), LogID: r.text()} }

func appendShare(b []byte, s *Share, _ *known) ([]byte, error) {
	b = append(b, s.Source[:]...)
	for _, n := range []int64{s.Size, s.Range.From, s.Range.To} {
		b = appendInt(b, n)
	}
	b = appendInt(b, int64(len(s.Paths)))
	for _, p := range s.Paths {
		b = appendText(appendText(b, p.Given), p.Absolute)
	}
	b = appendInt(b, int64(len(s.Containers)))
	for _, c := range s.Containers {
		b = appendText(appendText(appendText(b, c.Path), c.Format), c.Why)
		b = appendInt(b, c.Unbatched)
	}
	for _, n := range []int64{s.Records, s.Events, s.Documents, s.Skipped} {
		b = appendInt(b, n)
	}
	return appendFlag(b, s.Complete), nil
}

func readShare(r *reader, s *Share, _ *known) {
	s.Source, s.Size = r.hash(), r.number(math.MaxInt64)
	s.Range = Range{r.number(s.Size), r.number(s.Size)}
	r.check(s.Range.From <= s.Range.To, "a range that ends behind its beginning")
	s.Paths = make([]Path, r.count(2))
	for i := range s.Paths {
		s.Paths[i] = Path{r.text(), r.text()}
		r.check(i == 0 || comparePath(s.Paths[i-1], s.Paths[i]) < 0, "paths that ascend")
	}
	s.Containers = make([]Container, r.count(4))
	seen := make(map[string]bool, len(s.Containers))
	for i := range s.Containers {
		c := Container{r.text(), r.text(), r.text(), r.number(math.MaxInt64)}
		r.check(!seen[c.Path], "each container once")
		s.Containers[i], seen[c.Path] = c, true
	}
	for _, n := range []*int64{&s.Records, &s.Events, &s.Documents, &s.Skipped} {
		*n = r.number(math.MaxInt64)
	}
	s.Complete = r.flag()
}

func appendUnread(b []byte, u *facts.Unread, _ *known) ([]byte, error) {
	return appendText(appendText(appendText(b, u.Path), u.Code), u.Detail), nil
}

func readUnread(r *reader, u *facts.Unread, _ *known) {
	*u = facts.Unread{Path: r.text(), Code: r.text(), Detail: r.text()}
}

func appendPlace(b []byte, p *Place, x *known) ([]byte, error) {
	if err := x.check(p); err != nil {
		return b, err
	}
	for _, n := range []int64{int64(p.Share), int64(p.Container), p.Offset, p.Length, p.Record} {
		b = appendInt(b, n)
	}
	return b, nil
}

// check returns an error if there is no such place in the shares.
func (x *known) check(p *Place) error {
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

func readPlace(r *reader, x *known) (p Place) {
	p.Share, p.Container = int(r.number(math.MaxInt32)), int(r.number(math.MaxInt32))
	p.Offset, p.Length, p.Record = r.number(math.MaxInt64), r.number(math.MaxInt64), r.number(math.MaxInt64)
	if err := x.check(&p); err != nil && r.fault == nil {
		r.fail("a place in the shares", err.Error())
	}
	return p
}

func appendSkip(b []byte, s *Skip, x *known) ([]byte, error) {
	b, err := appendPlace(b, &s.Place, x)
	b = appendText(appendText(appendText(b, s.Code), s.Detail), s.Excerpt)
	return appendInt(appendInt(b, s.Spans), s.Through), err
}

func readSkip(r *reader, s *Skip, x *known) {
	*s = Skip{readPlace(r, x), r.text(), r.text(), r.octets(maxText), r.number(math.MaxInt64), r.number(math.MaxInt64)}
}

func appendDocument(b []byte, d *Document, x *known) (_ []byte, err error) {
	b = appendText(append(b, d.SHA256[:]...), d.Kind)
	b = appendInt(b, int64(len(d.Places)))
	for i := range d.Places {
		if b, err = appendPlace(b, &d.Places[i], x); err != nil {
			return b, err
		}
		if i > 0 && comparePlace(&d.Places[i-1], &d.Places[i]) >= 0 {
			return b, errOrder
		}
	}
	if len(d.Places) == 0 {
		return b, errNowhere
	}
	return appendText(appendText(b, d.Walk), d.Cross), nil
}

func readDocument(r *reader, d *Document, x *known) {
	d.SHA256, d.Kind = r.hash(), r.text()
	d.Places = make([]Place, r.count(5))
	r.check(len(d.Places) > 0, "a place")
	for i := range d.Places {
		d.Places[i] = readPlace(r, x)
		r.check(i == 0 || comparePlace(&d.Places[i-1], &d.Places[i]) < 0, "places that ascend")
	}
	d.Walk, d.Cross = r.octets(maxFacts), r.octets(maxFacts)
}

func appendStatement(b []byte, s *Statement, _ *known) ([]byte, error) {
	b = append(appendInt(b, int64(s.Sequence)), s.Digest[:]...)
	return appendText(appendText(appendText(b, s.Type), s.TransactionID), s.Said), nil
}

func readStatement(r *reader, s *Statement, _ *known) {
	s.Sequence = r.uvarint()
	r.fixed(s.Digest[:])
	s.Type, s.TransactionID, s.Said = r.text(), r.text(), r.octets(maxFacts)
}

func appendBatch(b []byte, v *Batch, x *known) ([]byte, error) {
	log, known := x.log[v.Log]
	if !known || v.First > v.Last {
		return b, fmt.Errorf("a batch of a log without copies, or without events: %v", v.Log)
	}
	b = appendID(b, v.ID)
	b = appendInt(appendInt(appendInt(b, int64(log)), int64(v.First)), int64(v.Last-v.First))
	for _, n := range []int64{v.Events, v.Deliveries, v.Redelivered, v.Differing, v.Genuine} {
		b = appendInt(b, n)
	}
	return append(b, v.Copies[:]...), nil
}

func readBatch(r *reader, v *Batch, x *known) {
	v.ID = readID(r)
	if log := r.number(math.MaxInt32); log < int64(len(x.logs)) {
		v.Log = x.logs[log]
	} else {
		r.fail("the number of a log", fmt.Sprint(log))
	}
	v.First = r.uvarint()
	v.Last = v.First + r.uvarint()
	r.check(v.Last >= v.First, "a batch that ends behind its beginning")
	for _, n := range []*int64{&v.Events, &v.Deliveries, &v.Redelivered, &v.Differing, &v.Genuine} {
		*n = r.number(math.MaxInt64)
	}
	r.fixed(v.Copies[:])
}

// appendID appends a batch id. A digest takes half of its digits.
func appendID(b []byte, id string) []byte {
	if raw, err := hex.DecodeString(id); err == nil && len(raw) == len(chain.Hash{}) && hex.EncodeToString(raw) == id {
		return append(append(b, 0), raw...)
	}
	return append(appendInt(b, int64(len(id))+1), id...)
}

func readID(r *reader) string {
	n := r.number(maxText)
	if n == 0 {
		return r.hash().String()
	}
	if n--; n > int64(len(r.b)) {
		r.fail("a batch id", "its beginning")
		return ""
	}
	id := r.take(int(n))
	if again := appendID(nil, string(id)); r.fault == nil && again[0] == 0 {
		r.fail("a digest in its shortest form", "its digits")
	}
	return string(id)
}

// clone returns what stays of the record when the next one is read.
func (d *Document) clone() *Document {
	c := *d
	c.Places, c.Walk, c.Cross = slices.Clone(d.Places), bytes.Clone(d.Walk), bytes.Clone(d.Cross)
	return &c
}
