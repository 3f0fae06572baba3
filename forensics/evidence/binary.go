package evidence

import (
	"encoding/binary"
	"errors"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/form"
)

// The members of a [Said] in its binary form, in this order.
const (
	hasDigest   = 1 << iota
	hasNode     // a text
	hasDomain   // a text
	hasDecision // a text
	hasHead     // a sequence, and the hash
	hasReport
)

// MostSaid bounds the binary form of a [Said]: a report with three texts and six hashes
// is the longest.
const MostSaid = 512

// AppendSaid appends the binary form of a [Said] (SPEC 19.8): one byte that names the present
// fields, and these fields. A hash is 32 bytes, an integer a varint, a text one byte for its
// length and its bytes. A report is the sequence, the previous hash, the skip hash and the
// hash of the head, and the key id; then its [event.Signed], plus 4 if the hash does not match
// the content, and the content's hash in that case; or, if the report is unjudged, the digest
// of the body and the signature.
func AppendSaid(b []byte, s *Said) []byte {
	at, has := len(b), byte(0)
	b = append(b, 0)
	if s.Digest != (chain.Hash{}) {
		has |= hasDigest
		b = append(b, s.Digest[:]...)
	}
	for i, text := range []string{s.Node, s.Domain, s.Decision} {
		if text != "" {
			has |= hasNode << i
			b = appendText(b, text)
		}
	}
	if s.Sequence > 0 {
		has |= hasHead
		b = append(binary.AppendUvarint(b, s.Sequence), s.Head[:]...)
	}
	if r := &s.Report; r.Link.Sequence > 0 {
		has |= hasReport
		b = appendReport(b, &r.Header)
	}
	b[at] = has
	return b
}

func appendText(b []byte, text string) []byte { return append(append(b, byte(len(text))), text...) }

// otherContent is added to the judgement of a report whose hash does not match its content.
const otherContent = 4

func appendReport(b []byte, h *event.Header) []byte {
	b = binary.AppendUvarint(b, h.Link.Sequence)
	b = append(append(append(b, h.Link.Previous[:]...), h.Link.Skip[:]...), h.Recorded[:]...)
	b = appendText(b, h.KeyID)
	switch {
	case !h.Judged():
		return append(append(append(b, byte(event.Unjudged)), h.Link.Body[:]...), h.Signature[:]...)
	case h.Intact():
		return append(b, byte(h.Signed))
	}
	return append(append(b, byte(h.Signed)|otherContent), h.Computed[:]...)
}

// errSaid reports a fault in a binary form.
var errSaid = errors.New("what an event says is not in its binary form")

// ParseSaid reads the binary form of a [Said]. It accepts nothing but the output of
// [AppendSaid].
func ParseSaid(b []byte) (s Said, err error) {
	if len(b) == 0 || len(b) > MostSaid {
		return s, errSaid
	}
	r := saidReader{b: b[1:]}
	has := b[0]
	r.bad = has >= hasReport<<1
	if has&hasDigest != 0 {
		s.Digest = r.hash()
		r.bad = r.bad || s.Digest == chain.Hash{}
	}
	for i, text := range []*string{&s.Node, &s.Domain, &s.Decision} {
		if has&(hasNode<<i) != 0 {
			*text = r.text()
		}
	}
	if has&hasHead != 0 {
		s.Sequence, s.Head = r.integer(), r.hash()
	}
	if has&hasReport != 0 {
		r.report(&s.Report.Header)
		s.Report.Node = s.Node
	}
	if r.bad || len(r.b) > 0 {
		return Said{}, errSaid
	}
	return s, nil
}

// saidReader reads the members of a binary form.
type saidReader struct {
	b   []byte
	bad bool
}

// take returns the next bytes, zeros if there are not so many.
func (r *saidReader) take(n int) []byte {
	if r.bad = r.bad || n > len(r.b); r.bad {
		return make([]byte, n)
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *saidReader) hash() chain.Hash { return chain.Hash(r.take(len(chain.Hash{}))) }

func (r *saidReader) integer() uint64 {
	n, size := binary.Uvarint(r.b)
	if r.bad = r.bad || size <= 0 || n == 0 || n > form.MaxInt || size > 1 && r.b[size-1] == 0; r.bad {
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *saidReader) text() string {
	text := r.take(int(r.take(1)[0]))
	r.bad = r.bad || !form.Identifier(text)
	switch string(text) { // the usual words need no memory of their own
	case "allow":
		return "allow"
	case "deny":
		return "deny"
	}
	return string(text)
}

func (r *saidReader) report(h *event.Header) {
	h.Link.Sequence, h.Link.Previous, h.Link.Skip, h.Recorded = r.integer(), r.hash(), r.hash(), r.hash()
	h.KeyID = r.text()
	signed := r.take(1)[0]
	h.Signed = event.Signed(signed &^ otherContent)
	switch {
	case h.Signed > event.OverRecorded, !h.Judged() && signed&otherContent != 0:
		r.bad = true
	case !h.Judged():
		h.Link.Body = r.hash()
		h.Signature = [event.SignatureSize]byte(r.take(event.SignatureSize))
	case signed&otherContent != 0:
		h.Computed = r.hash()
		r.bad = r.bad || h.Computed == h.Recorded
	default:
		h.Computed = h.Recorded
	}
}
