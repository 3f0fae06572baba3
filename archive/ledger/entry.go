package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// An entry is a row of an object without its path: integers as varints, digests as
// they are, texts behind their length, and numbers of names. Every check reads and
// writes every row, so its size and its cost are those of the ledger.

// mostText bounds each text of an entry, so that no evidence can fill the ledger.
const mostText = 4 << 10

// What is true of an entry, and which of its parts it has.
const (
	hasFound = 1 << iota
	isAccepted
	isLost
	isWhole      // the judgement has all that the object says; earlier entries have less
	foundIsWhole // so has that on what was found in its place
)

// mostEntry bounds an entry. Evidence has lists of a few thousand keys at most.
const mostEntry = 256 << 10

// errEntry reports an entry that has not its form.
var errEntry = errors.New("it cannot be read")

// packer packs an entry.
type packer struct {
	b     []byte
	names *names
	err   error
}

// pack returns the entry of an object; it is valid until the next one.
func (p *packer) pack(o *Object) ([]byte, error) {
	p.b, p.err = p.b[:0], nil
	flags := byte(0)
	if !o.Judgement.Facts.Short {
		flags |= isWhole
	}
	if !o.Found.Judgement.Facts.Short {
		flags |= foundIsWhole
	}
	if o.Wrong == Altered || o.Wrong == Replaced {
		flags |= hasFound
	}
	if o.Accepted {
		flags |= isAccepted
	}
	if o.Lost {
		flags |= isLost
	}
	p.b = append(p.b, flags)
	p.int(o.Size)
	p.b = append(p.b, o.SHA256[:]...)
	for _, n := range []int64{o.Modified, o.AddedIn, o.ReadIn, o.ReadAt, o.VerifiedIn, o.VerifiedAt} {
		p.int(n)
	}
	p.name(ofContext(o.Context))
	p.name(ofText(o.Wrong))
	p.judgement(&o.Judgement)
	if flags&hasFound != 0 {
		f := &o.Found
		p.int(f.Size)
		p.b = append(p.b, f.SHA256[:]...)
		for _, n := range []int64{f.Modified, f.ReadIn, f.ReadAt} {
			p.int(n)
		}
		p.judgement(&f.Judgement)
	}
	if p.err == nil && len(p.b) > mostEntry {
		p.err = fmt.Errorf("what is known of %s has %d octets, more than %d", safetext.Quote(o.Path), len(p.b), mostEntry)
	}
	return p.b, p.err
}

func (p *packer) judgement(j *object.Judgement) {
	p.name(ofHead(j))
	p.text(j.Pointer)
	p.text(j.Reason)
	f := &j.Facts
	p.name(ofText(f.TenantID))
	p.text(f.TransactionID)
	p.name(ofText(f.Status))
	p.int(int64(f.CheckpointSequence))
	p.text(f.AsOf)
	p.refs(f.Keys)
	p.int(int64(len(f.Generations)))
	for _, g := range f.Generations {
		p.int(g)
	}
	p.refs(f.Unknown)
	p.int(int64(f.Witnesses))
	p.int(int64(f.Approvals))
	if !f.Short {
		p.says(f)
	}
}

func (p *packer) refs(refs []object.KeyRef) {
	p.int(int64(len(refs)))
	for _, r := range refs {
		p.name(ofKey(r))
	}
}

func (p *packer) int(n int64) { p.b = binary.AppendVarint(p.b, n) }

func (p *packer) text(s string) {
	s = cut(s)
	p.b = binary.AppendUvarint(p.b, uint64(len(s)))
	p.b = append(p.b, s...)
}

// cut returns as much of a text as an entry has room for.
func cut(s string) string {
	if len(s) <= mostText {
		return s
	}
	n := mostText
	for n > mostText-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (p *packer) name(value []byte) {
	n, err := p.names.number(value)
	p.err = errors.Join(p.err, err)
	p.int(n)
}

// unpacker unpacks an entry. Once it failed, it returns zeros.
type unpacker struct {
	b     []byte
	names *names
	err   error
}

// unpack fills an object from its entry.
func (u *unpacker) unpack(entry []byte, o *Object) error {
	u.b, u.err = entry, nil
	flags := u.octets(1)
	if u.err != nil || len(entry) > mostEntry {
		return errEntry
	}
	o.Size = u.int()
	copy(o.SHA256[:], u.octets(len(o.SHA256)))
	for _, n := range []*int64{&o.Modified, &o.AddedIn, &o.ReadIn, &o.ReadAt, &o.VerifiedIn, &o.VerifiedAt} {
		*n = u.int()
	}
	o.Context = u.name(contextName).context
	o.Wrong = u.name(textName).text
	u.judgement(&o.Judgement, flags[0]&isWhole != 0)
	if flags[0]&hasFound != 0 {
		f := &o.Found
		f.Size = u.int()
		copy(f.SHA256[:], u.octets(len(f.SHA256)))
		for _, n := range []*int64{&f.Modified, &f.ReadIn, &f.ReadAt} {
			*n = u.int()
		}
		u.judgement(&f.Judgement, flags[0]&foundIsWhole != 0)
	}
	o.Accepted, o.Lost = flags[0]&isAccepted != 0, flags[0]&isLost != 0
	if u.err == nil && len(u.b) != 0 {
		u.err = errEntry
	}
	return u.err
}

func (u *unpacker) judgement(j *object.Judgement, whole bool) {
	head := u.name(headName)
	j.Kind, j.Verdict, j.Code = object.Kind(head.text), outcome.Class(head.second), finding.Code(head.third)
	j.Pointer = u.text()
	j.Reason = u.text()
	f := &j.Facts
	f.TenantID = u.name(textName).text
	f.TransactionID = u.text()
	f.Status = u.name(textName).text
	f.CheckpointSequence = uint64(u.int())
	f.AsOf = u.text()
	f.Keys = u.refs()
	if n := u.count(); n > 0 {
		f.Generations = make([]int64, n)
		for i := range f.Generations {
			f.Generations[i] = u.int()
		}
	}
	f.Unknown = u.refs()
	f.Witnesses = int(u.int())
	f.Approvals = int(u.int())
	if f.Short = !whole; whole {
		u.says(f)
	}
	if f.TransactionID != "" {
		f.Freshness = verify.NoAge
	}
}

func (u *unpacker) refs() []object.KeyRef {
	n := u.count()
	if n == 0 {
		return nil
	}
	refs := make([]object.KeyRef, n)
	for i := range refs {
		refs[i] = u.name(keyName).key
	}
	return refs
}

// count reads the length of a list. Each element has an octet at least.
func (u *unpacker) count() int {
	n := u.int()
	if n < 0 || n > int64(len(u.b)) {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacker) int() int64 {
	n, size := binary.Varint(u.b)
	if size <= 0 {
		u.fail()
		return 0
	}
	u.b = u.b[size:]
	return n
}

// octets returns the next n octets, or zeros if there are none.
func (u *unpacker) octets(n int) []byte {
	if n > len(u.b) {
		u.fail()
		return make([]byte, n)
	}
	b := u.b[:n]
	u.b = u.b[n:]
	return b
}

func (u *unpacker) text() string {
	n, size := binary.Uvarint(u.b)
	if size <= 0 || n > mostText {
		u.fail()
		return ""
	}
	u.b = u.b[size:]
	return string(u.octets(int(n)))
}

func (u *unpacker) name(kind byte) (n name) {
	number := u.int()
	if u.err != nil || number == 0 {
		return n
	}
	n, err := u.names.value(number)
	switch {
	case err != nil:
		u.err = err
	case n.kind != kind:
		u.fail()
	}
	return n
}

func (u *unpacker) fail() {
	if u.err == nil {
		u.err = errEntry
	}
	u.b = nil
}
