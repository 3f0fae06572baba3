package evidence

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// LineOf writes the canonical form of an event that was scanned, without line feed.
func LineOf(l *event.Line) []byte {
	e := facts.Event{Header: event.Header{Event: chain.Event{Link: l.Link, Recorded: l.Recorded}, KeyID: string(l.KeyID),
		Signature: l.Signature}}
	return canonicalLine(l.Body, &e)
}

// canonicalLine writes the canonical form of an event (SPEC 4.2): its members in order,
// none of whose values but the body needs an escape.
func canonicalLine(body []byte, e *facts.Event) []byte {
	const hashes, names = 3 * 2 * sha256.Size, 100
	b := make([]byte, 0, len(body)+hashes+names+len(e.KeyID)+base64.RawURLEncoding.EncodedLen(event.SignatureSize))
	b = append(append(b, `{"body":`...), body...)
	b = hex.AppendEncode(append(b, `,"hash":"`...), e.Recorded[:])
	b = append(append(b, `","key_id":"`...), e.KeyID...)
	b = hex.AppendEncode(append(b, `","previous_hash":"`...), e.Link.Previous[:])
	b = base64.RawURLEncoding.AppendEncode(append(b, `","signature":"`...), e.Signature[:])
	b = hex.AppendEncode(append(b, `","skip_hash":"`...), e.Link.Skip[:])
	return append(b, `"}`...)
}
