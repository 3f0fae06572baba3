package forge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// OnLine makes of a change of an event one of its canonical line.
func OnLine(change func(event seal.Object)) func(line []byte) []byte {
	return func(line []byte) []byte {
		event := Parse(line)
		change(event)
		return seal.Canonical(event)
	}
}

// Parse returns an event that can be changed. The harness must have made it.
func Parse(line []byte) seal.Object {
	return seal.Must(seal.Parse(line))
}

// SetBody sets a member of the body, which is neither hashed nor signed again.
func SetBody(member string, value any) func(event seal.Object) {
	return func(event seal.Object) { seal.Member(event, "body")[member] = value }
}

// AlterSalt changes the salt, which every event has.
func AlterSalt(event seal.Object) {
	body := seal.Member(event, "body")
	raw, _ := seal.Unbase64(seal.Text(body, "salt"))
	raw[0] ^= 1
	body["salt"] = seal.Base64(raw)
}

// Spoil replaces a character in the text of a usual event, as a transport does that does not
// accept it as text. Other events say nothing that can be spoilt.
func Spoil(event seal.Object) {
	data := seal.Member(seal.Member(event, "body"), "data")
	if text, ok := data["text"].(string); ok && text[0] == 'e' {
		data["text"] = "\ufffd" + text[1:]
	}
}

// AlterHash changes one of the hashes that are written in an event.
func AlterHash(member string) func(event seal.Object) {
	return func(event seal.Object) { event[member] = FlipHash(seal.Text(event, member)) }
}

// AlterSignature changes one digit of the signature.
func AlterSignature(event seal.Object) {
	event["signature"] = otherDigit(seal.Text(event, "signature"), 40)
}

// RenameKey writes another key id next to the signature.
func RenameKey(id string) func(event seal.Object) {
	return func(event seal.Object) { event["key_id"] = id }
}

// Shift dates an event later, or earlier.
func Shift(by time.Duration) func(event seal.Object) {
	return func(event seal.Object) {
		body := seal.Member(event, "body")
		body["occurred_at"] = seal.Time(OccurredAt(event).Add(by))
	}
}

// OccurredAt is the time of an event that the harness made.
func OccurredAt(event seal.Object) time.Time {
	return seal.Must(seal.ParseTime(seal.Text(seal.Member(event, "body"), "occurred_at")))
}

// Resequence lets an event say that its sequence is so much higher, or lower.
func Resequence(by int64) func(event seal.Object) {
	return func(event seal.Object) {
		body := seal.Member(event, "body")
		body["sequence"] = seal.Integer(body, "sequence") + by
	}
}

// Rehash writes down the hash that the changed content gives.
func Rehash(change func(event seal.Object)) func(event seal.Object) {
	return func(event seal.Object) {
		change(event)
		event["hash"] = linkOf(event).Hash().String()
	}
}

// Resign has a key sign the changed content.
func Resign(key seal.Key, change func(event seal.Object)) func(event seal.Object) {
	return func(event seal.Object) {
		change(event)
		maps.Copy(event, seal.SignEvent(seal.Member(event, "body"), linkOf(event), key))
	}
}

func linkOf(event seal.Object) seal.Link {
	hash := func(s string) seal.Hash { return seal.Must(seal.ParseHash(s)) }
	body := seal.Member(event, "body")
	return seal.Link{Sequence: uint64(seal.Integer(body, "sequence")), Previous: hash(seal.Text(event, "previous_hash")),
		Skip: hash(seal.Text(event, "skip_hash")), Body: hash(seal.Digest(body))}
}

// AlterTime changes the milliseconds in an event's line, and no other byte.
func AlterTime(line []byte) []byte {
	at := bytes.Index(line, []byte(`"occurred_at":"`)) + len(`"occurred_at":"2026-03-02T09:00:00.00`)
	line[at] = '0' + (line[at]-'0'+1)%10
	return line
}

// Spaced writes a line with spaces around its colons.
func Spaced(line []byte) []byte { return bytes.ReplaceAll(line, []byte(`":`), []byte(`" : `)) }

// Escaped escapes the letters from a to f of a line, without changing its meaning.
func Escaped(line []byte) []byte {
	var b []byte
	for _, c := range line {
		if 'a' <= c && c <= 'f' {
			b = fmt.Appendf(b, `\u%04x`, c)
		} else {
			b = append(b, c)
		}
	}
	return b
}

// Quoted makes a line a JSON string.
func Quoted(line []byte) []byte {
	return seal.Must(json.Marshal(string(line)))
}

// Hidden puts a line into a record of another service, in base64 more often than
// readers undo.
func Hidden(line []byte) []byte {
	const times = 9
	for range times {
		line = []byte(base64.StdEncoding.EncodeToString(line))
	}
	return fmt.Appendf(nil, `{"level":"info","payload":"%s"}`, line)
}
