package read

import (
	"bytes"
	"encoding/asn1"
	"encoding/pem"
	"errors"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// skipUnknown skips an unknown stream, as a whole.
func (s *stream) skipUnknown(why string) error {
	if len(s.in.peekBytes(1)) == 0 {
		return s.skip(Skip{Place: Place{Container: s.container}, Code: finding.SourceNoRecord, Detail: "the stream is empty"})
	}
	if what := kindBeside(s.in.peekBytes(sniffSize)); what != "" {
		return s.skipRest(finding.SourceNoRecord, what)
	}
	return s.searchUnknown(why)
}

// kindBeside returns the kind of a stream that people and programs keep next to the evidence; ""
// if it is nothing of that kind.
func kindBeside(b []byte) string {
	switch {
	case isPEM(b):
		return "keys or certificates in PEM, which are no evidence"
	case isDER(b):
		return "a key or certificate in DER, which is no evidence"
	}
	return keeperKind(b)
}

// isPEM reports whether b is nothing but blocks of PEM, which people keep next to the
// evidence, from its beginning to its end.
func isPEM(b []byte) bool {
	if len(b) == sniffSize {
		return false // there can be more behind it
	}
	for blocks := 0; ; blocks++ {
		b = bytes.TrimSpace(b)
		if len(b) == 0 {
			return blocks > 0
		}
		block, rest := pem.Decode(b)
		if block == nil || !bytes.HasPrefix(b, []byte("-----BEGIN ")) || unwrap.MayHold(block.Bytes) {
			return false
		}
		b = rest
	}
}

// isDER reports whether b is one sequence in DER and nothing else, as certificates
// and keys are, which people keep besides the evidence.
func isDER(b []byte) bool {
	var v asn1.RawValue
	rest, err := asn1.Unmarshal(b, &v)
	return len(b) < sniffSize && err == nil && len(rest) == 0 && v.Tag == asn1.TagSequence && v.IsCompound &&
		!unwrap.MayHold(b)
}

// skipRest skips the rest of the stream.
func (s *stream) skipRest(code finding.Code, detail string) error {
	if len(s.in.peekBytes(1)) == 0 {
		return nil
	}
	err := s.passSpan(code, detail, func() {
		for s.ctx.Err() == nil && s.in.dropWindow() {
		}
	})
	return errors.Join(err, s.ctx.Err())
}

// findDigits notes the first digits of a text without events that is a part of b.
func (d *doc) findDigits(text []byte) {
	d.findStrange(text)
	if part := unwrap.Undecoded(text); part != nil && d.undecoded.Code == "" {
		d.undecoded = Skip{Place: d.placeOf(part), Code: finding.SourceListed,
			Detail: "digits in a row, whose code is unknown", Excerpt: bytes.Clone(part)}
	}
}

// findStrange notes the first digits in a part of b that are enough for an event, and of no
// known code.
func (d *doc) findStrange(part []byte) {
	if d.undecoded.Code == finding.SourceUnparseable {
		return
	}
	if digits := unwrap.Strange(part); digits != nil {
		d.undecoded = Skip{Place: d.placeOf(digits), Code: finding.SourceUnparseable,
			Detail: "digits of an unknown code, which can stand for an event", Excerpt: bytes.Clone(digits)}
	}
}

// notRead reports the first digits in text that were not decoded. In a stream that gave no
// event they are listed, unless they can be one (SPEC 13.1).
func (s *stream) notRead() error {
	if s.undecoded.Code == "" {
		return nil
	}
	if s.given > s.givenBefore {
		s.undecoded.Code = finding.SourceUnparseable
	}
	return s.skip(s.undecoded)
}
