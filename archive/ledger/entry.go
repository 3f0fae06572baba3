package ledger

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// An entry is a row of an object without its path, as [codec.Octets] writes it, with numbers
// of names. Every check reads and writes every row, so the size and cost of entries determine
// the ledger's.

// mostText bounds each text of an entry, so that no evidence can fill the ledger.
const mostText = 4 << 10

// mostEntry bounds an entry. Evidence has lists of a few thousand keys at most.
const mostEntry = 256 << 10

// entryCodec packs entries, and unpacks them.
type entryCodec struct {
	codec.Octets
	names *names
	err   error // of the names
	brief bool  // reading ends with the verdict
}

// pack returns the entry of an object; it is valid until the next one.
func (c *entryCodec) pack(o *Object) ([]byte, error) {
	c.err = nil
	c.Write(c.Bytes()[:0])
	c.entry(o)
	b := c.Bytes()
	if c.err == nil && len(b) > mostEntry {
		c.err = fmt.Errorf("the entry of %s has %d bytes, more than %d", safetext.Quote(o.Path), len(b), mostEntry)
	}
	return b, c.err
}

// unpack fills an object from its entry.
func (c *entryCodec) unpack(entry []byte, o *Object) error {
	if len(entry) > mostEntry {
		return codec.ErrForm
	}
	c.err = nil
	c.Read(entry)
	c.entry(o)
	if c.err != nil {
		return c.err
	}
	return c.End()
}

// entry packs all of an object but its path. Entries of earlier versions of the program have
// less of a judgement: it is then not whole.
func (c *entryCodec) entry(o *Object) {
	f := &o.Found
	found := o.HasOther()
	whole, foundWhole := !o.Judgement.Facts.Short, !f.Judgement.Facts.Short
	packed, foundPacked := o.Judgement.Facts.HasEvidence(), f.Judgement.Facts.HasEvidence()
	c.Flags(&found, &o.Accepted, &o.Lost, &whole, &foundWhole, &packed, &foundPacked)
	packReading(&c.Octets, o)
	c.context(&o.Context)
	c.word(&o.Wrong)
	if c.judgement(&o.Judgement, whole, packed); found && !c.brief {
		codec.Int(&c.Octets, &f.Size)
		c.Digest(f.SHA256[:])
		codec.Ints(&c.Octets, &f.Modified, &f.ReadIn, &f.ReadAt)
		c.judgement(&f.Judgement, foundWhole, foundPacked)
	}
}

// packReading packs the content of an object, and when it was read and verified.
func packReading(c *codec.Octets, o *Object) {
	codec.Int(c, &o.Size)
	c.Digest(o.SHA256[:])
	codec.Ints(c, &o.Modified, &o.AddedIn, &o.ReadIn, &o.ReadAt, &o.VerifiedIn, &o.VerifiedAt)
}

func (c *entryCodec) judgement(j *object.Judgement, whole, packed bool) {
	if c.head(j); c.brief {
		c.Read(nil) // the rest is not read
		return
	}
	c.text(&j.Pointer)
	c.text(&j.Reason)
	f := &j.Facts
	c.proof(&f.Proof)
	codec.List(&c.Octets, &f.Keys, c.key)
	codec.List(&c.Octets, &f.Generations, func(n *int64) { codec.Int(&c.Octets, n) })
	codec.List(&c.Octets, &f.Unknown, c.key)
	codec.Ints(&c.Octets, &f.Witnesses, &f.Approvals)
	if c.Reading() {
		f.Short = !whole
	}
	if whole {
		c.certificate(&f.Proof)
		c.contained(f)
	}
	if packed {
		c.Digest(f.Evidence[:])
	}
	if c.Reading() && f.TransactionID != "" {
		f.Freshness = verify.NoAge
	}
}

// contained packs the contents of logs and cases, and the keys that the evidence lacks.
func (c *entryCodec) contained(f *object.Facts) {
	codec.List(&c.Octets, &f.Proofs, func(p *object.Proof) {
		c.text(&p.Name)
		c.proof(p)
		c.certificate(p)
		if c.Reading() {
			p.Freshness = verify.NoAge
		}
	})
	codec.Ints(&c.Octets, &f.Contains.Issued, &f.Contains.Revoked, &f.Contains.Superseded, &f.AllLogs)
	codec.List(&c.Octets, &f.Logs, func(l *object.Log) {
		c.word(&l.TenantID)
		c.text(&l.LogID)
		codec.Ints(&c.Octets, &l.CompleteByOthers.Sequence, &l.CompleteByOwn.Sequence, &l.TailByOthers, &l.UnanchoredTail)
		c.text(&l.CompleteByOthers.Says)
		c.text(&l.CompleteByOwn.Says)
	})
	codec.List(&c.Octets, &f.UnknownKeys, c.text)
	c.Bool(&f.MayBeGood)
}

// proof packs the status of a proof.
func (c *entryCodec) proof(p *object.Proof) {
	c.word(&p.TenantID)
	c.text(&p.TransactionID)
	c.word(&p.Status)
	codec.Int(&c.Octets, &p.CheckpointSequence)
	c.text(&p.AsOf)
}

// certificate packs the rest of a proof.
func (c *entryCodec) certificate(p *object.Proof) {
	c.text(&p.CertificateSerial)
	codec.List(&c.Octets, &p.CertificateNames, c.text)
	for _, s := range []*string{&p.NotBefore, &p.NotAfter, &p.RevokedAt} {
		c.text(s)
	}
	c.Bool(&p.Superseded)
}

// text packs as much of a text as an entry has room for.
func (c *entryCodec) text(s *string) {
	if !c.Reading() {
		some := cut(*s)
		c.Text(&some)
		return
	}
	if c.Text(s); len(*s) > mostText {
		c.Fail()
	}
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

// word packs a text that many entries have.
func (c *entryCodec) word(s *string) {
	if !c.Reading() {
		c.writeName(ofText(*s))
		return
	}
	*s, _ = c.readName(textName)
}

// context packs a context as a name.
func (c *entryCodec) context(to *object.Context) {
	if !c.Reading() {
		c.writeName(ofContext(*to))
		return
	}
	value, is := c.readName(contextName)
	const digests = 2 * len(to.Trust)
	if is && len(value) < digests {
		c.Fail()
	} else if is {
		copy(to.Trust[:], value)
		copy(to.Policy[:], value[len(to.Trust):])
		to.Rules = value[digests:]
	}
}

// head packs kind, verdict and code of a judgement as a name.
func (c *entryCodec) head(j *object.Judgement) {
	if !c.Reading() {
		c.writeName(ofHead(j))
		return
	}
	value, is := c.readName(headName)
	kind, rest, _ := strings.Cut(value, "\x00")
	verdict, code, parts := strings.Cut(rest, "\x00")
	if is && (!parts || strings.Contains(code, "\x00")) {
		c.Fail()
	}
	j.Kind, j.Verdict, j.Code = object.Kind(kind), outcome.Class(verdict), finding.Code(code)
}

// key packs a key as a name.
func (c *entryCodec) key(k *object.KeyRef) {
	if !c.Reading() {
		c.writeName(ofKey(*k))
		return
	}
	value, is := c.readName(keyName)
	role, id, parts := strings.Cut(value, "\x00")
	if is && !parts {
		c.Fail()
	}
	*k = object.KeyRef{Role: trust.Role(role), ID: id}
}

// writeName writes the number of a name.
func (c *entryCodec) writeName(value []byte) {
	n, err := c.names.number(value)
	c.err = errors.Join(c.err, err)
	codec.Int(&c.Octets, &n)
}

// readName reads the number of a name of a kind, and returns its value without the kind. It is false
// for an empty value.
func (c *entryCodec) readName(kind byte) (value string, is bool) {
	var number int64
	if codec.Int(&c.Octets, &number); number == 0 {
		return "", false
	}
	value, err := c.names.readValue(number)
	if err != nil || value[0] != kind {
		c.err = errors.Join(c.err, err)
		c.Fail()
		return "", false
	}
	return value[1:], true
}
