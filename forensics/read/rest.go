package read

import (
	"bytes"
	"encoding/asn1"
	"encoding/pem"
	"errors"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// unknown skips an unknown stream, as a whole.
func (s *stream) unknown(why string) error {
	if len(s.in.peek(1)) == 0 {
		return s.skip(Skip{Place: Place{Container: s.container}, Code: finding.SourceNoRecord, Detail: "the stream is empty"})
	}
	if what := beside(s.in.peek(sniffSize)); what != "" {
		return s.rest(finding.SourceNoRecord, what)
	}
	return s.octets(why)
}

// beside returns the kind of a stream that people and programs keep next to the evidence; ""
// if it is nothing of that kind.
func beside(b []byte) string {
	switch {
	case isPEM(b):
		return "keys or certificates in PEM, which are no evidence"
	case isDER(b):
		return "a key or certificate in DER, which is no evidence"
	}
	return keeper(b)
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

// rest skips the rest of the stream.
func (s *stream) rest(code finding.Code, detail string) error {
	if len(s.in.peek(1)) == 0 {
		return nil
	}
	err := s.passSpan(code, detail, func() {
		for s.ctx.Err() == nil && s.in.drop() {
		}
	})
	return errors.Join(err, s.ctx.Err())
}
