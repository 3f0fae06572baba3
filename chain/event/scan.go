package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Line is an event as [Scan] reads it. Its texts are slices of the scanned bytes.
type Line struct {
	TenantID, LogID, Type, TransactionID, KeyID []byte
	OccurredAt                                  int64 // milliseconds since 1970, UTC
	Link                                        chain.Link
	Recorded                                    chain.Hash
	Signature                                   [SignatureSize]byte
	Salt                                        [SaltSize]byte
	Body, Data                                  []byte // canonical
}

// Scan reads an event from its canonical bytes, without a line feed. It returns
// false for bytes that are not canonical, and for an event in which [Read] would
// find a fault. It allocates no memory for the usual event.
//
// Canonical objects have their members in one order, and no value but data can
// contain a quotation mark or an escape. So canonical bytes have a fixed shape
// everywhere except in data, and are read from both ends.
func Scan(line []byte, l *Line) bool {
	const start = `{"body":{"data":`
	if len(line) > form.MaxEvent || !bytes.HasPrefix(line, []byte(start)) {
		return false
	}
	cut := tailStart(line)
	if cut < len(start) {
		return false
	}
	l.Body = line[len(`{"body":`) : cut+1]
	return line[cut] == '}' && l.readTail(line[cut:]) && l.readBody(l.Body) &&
		ijson.IsCanonical(l.Data) && l.checkData()
}

// The members after the body have a fixed length but for the key id: the digests and the
// signature have one length each.
const (
	tailBeforeKey = len(`},"hash":""`) + 2*len(chain.Hash{}) + len(`,"key_id":"`)
	tailAfterKey  = len(`","previous_hash":""`) + 2*len(chain.Hash{}) + len(`,"signature":""`) + (8*SignatureSize+5)/6 +
		len(`,"skip_hash":""}`) + 2*len(chain.Hash{})
)

// tailStart returns where the end of the body would be, with the bracket that
// closes it, or -1 if there is no such place.
func tailStart(line []byte) int {
	end := len(line) - tailAfterKey
	if end < 0 {
		return -1
	}
	return bytes.LastIndexByte(line[:end], '"') + 1 - tailBeforeKey
}

// maxRest is larger than any rest of a body after its data: the members' names, and the
// longest values that their forms allow.
const maxRest = 768

// dataEnd returns where the data of a body ends, which is where its last log_id
// begins, or -1. It searches forward, which is fast on most machines, for letters
// that do not occur in a digest.
func dataEnd(b []byte) int {
	const before, name = `,"`, `log_id":`
	at := -1
	for from := max(0, len(b)-maxRest); ; from++ {
		i := bytes.Index(b[from:], []byte(name))
		if i < 0 {
			return at
		}
		from += i
		if bytes.HasSuffix(b[:from], []byte(before)) {
			at = from - len(before)
		}
	}
}

// readTail reads the rest of a line after the body, from the bracket that closes it on.
func (l *Line) readTail(b []byte) bool {
	s := scanner{rest: b[1:]}
	return s.takeLiteral(`,"hash":`) && s.takeDigest(&l.Recorded) &&
		s.takeLiteral(`,"key_id":`) && s.takeString(&l.KeyID) && form.Identifier(l.KeyID) &&
		s.takeLiteral(`,"previous_hash":`) && s.takeDigest(&l.Link.Previous) &&
		s.takeLiteral(`,"signature":`) && s.takeOctets(l.Signature[:]) &&
		s.takeLiteral(`,"skip_hash":`) && s.takeDigest(&l.Link.Skip) &&
		string(s.rest) == "}"
}

// readBody reads the body, whose data ends where the rest begins.
func (l *Line) readBody(b []byte) bool {
	cut := dataEnd(b)
	if cut < 0 {
		return false
	}
	l.Data = b[len(`{"data":`):cut]
	s := scanner{rest: b[cut:]}
	var at []byte
	ok := s.takeLiteral(`,"log_id":`) && s.takeString(&l.LogID) && form.ValidLogID(l.LogID) &&
		s.takeLiteral(`,"occurred_at":`) && s.takeString(&at) && l.readTime(at) &&
		s.takeLiteral(`,"protocol":"`+Protocol+`","salt":`) && s.takeOctets(l.Salt[:]) &&
		s.takeLiteral(`,"sequence":`)
	l.Link.Sequence = uint64(s.takeCounter())
	ok = ok && l.Link.Sequence > 0 &&
		s.takeLiteral(`,"tenant_id":`) && s.takeString(&l.TenantID) && form.Subject(l.TenantID)
	l.TransactionID = nil
	if ok && s.takeLiteral(`,"transaction_id":`) {
		ok = s.takeString(&l.TransactionID) && form.Subject(l.TransactionID)
	}
	l.Link.Body = sha256.Sum256(b)
	return ok && s.takeLiteral(`,"type":`) && s.takeString(&l.Type) && form.Identifier(l.Type) && string(s.rest) == "}"
}

func (l *Line) readTime(at []byte) (ok bool) {
	l.OccurredAt, ok = form.Millis(at)
	return ok
}

// checkData checks the data as readData does.
func (l *Line) checkData() bool {
	if members, ok := closed[string(l.Type)]; ok {
		return scanMembers(members, l.Data, func(string, []byte) {})
	}
	return openObject(l.Data)
}

// Closed calls take with each member of the data of an event whose type has
// closed data (SPEC 4.4). A value is the text between the quotation marks, or the
// digits. Closed returns false if the data is not canonical or has another form.
func Closed(eventType string, data []byte, take func(name string, value []byte)) bool {
	members, ok := closed[eventType]
	return ok && scanMembers(members, data, take)
}

func scanMembers(members []member, data []byte, take func(name string, value []byte)) bool {
	s := scanner{rest: data}
	for i, m := range members {
		before := `,"`
		if i == 0 {
			before = `{"`
		}
		if !s.takeLiteral(before) || !s.takeLiteral(m.name) || !s.takeLiteral(`":`) {
			return false
		}
		value := s.rest
		if !m.kind.scan(&s) {
			return false
		}
		take(m.name, bytes.Trim(value[:len(value)-len(s.rest)], `"`))
	}
	return string(s.rest) == "}"
}

// openObject reports whether a canonical value is an object that does not nest deeper than
// open data may.
func openObject(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i+1)
		case '{', '[':
			if depth++; depth > form.MaxDataDepth {
				return false
			}
		case '}', ']':
			depth--
		}
	}
	return b[0] == '{'
}

// stringEnd returns where the quotation mark is that ends the string whose
// inside begins at i, or the length of b.
func stringEnd(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		escapes := 0
		for escapes < n && b[i+n-1-escapes] == '\\' {
			escapes++
		}
		if i += n; escapes%2 == 0 {
			return i
		}
		i++
	}
}

// scanner reads canonical bytes whose shape is known.
type scanner struct{ rest []byte }

// takeLiteral reads the given text.
func (s *scanner) takeLiteral(text string) bool {
	if len(s.rest) < len(text) || string(s.rest[:len(text)]) != text {
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

// takeString reads a string without escapes and yields its inside.
func (s *scanner) takeString(to *[]byte) bool {
	if len(s.rest) < 2 || s.rest[0] != '"' {
		return false
	}
	end := bytes.IndexByte(s.rest[1:], '"')
	if end < 0 {
		return false
	}
	*to, s.rest = s.rest[1:1+end], s.rest[2+end:]
	return true
}

// takeAccepted reads a string that the given form accepts.
func (s *scanner) takeAccepted(ok func([]byte) bool) bool {
	var t []byte
	return s.takeString(&t) && ok(t)
}

// takeDigest reads 64 lower-case hex digits.
func (s *scanner) takeDigest(to *chain.Hash) (ok bool) {
	var t []byte
	if !s.takeString(&t) {
		return false
	}
	*to, ok = form.Digest(t)
	return ok
}

// base64url refuses unused bits that are not zero. It passes over line breaks, so takeOctets
// counts the bytes.
var base64url = base64.RawURLEncoding.Strict()

// takeOctets reads the canonical base64url of as many bytes as to holds.
func (s *scanner) takeOctets(to []byte) bool {
	var t []byte
	if !s.takeString(&t) || len(t) != base64url.EncodedLen(len(to)) {
		return false
	}
	n, err := base64url.Decode(to, t)
	return err == nil && n == len(to)
}

// takeCounter reads an integer from 1 and returns it, 0 if there is none.
func (s *scanner) takeCounter() int64 {
	if bytes.HasPrefix(s.rest, []byte("0")) {
		return 0
	}
	var n int64
	i := 0
	for ; i < len(s.rest) && i < 16 && s.rest[i]-'0' <= 9; i++ {
		n = 10*n + int64(s.rest[i]-'0')
	}
	s.rest = s.rest[i:]
	if n > form.MaxInt {
		return 0
	}
	return n
}
