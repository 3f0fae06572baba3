package read

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// readQueued reads a message of a queue. Its payload is a JSON string, so that a binary one
// comes through only in base64.
func (d *doc) readQueued(f *Store) error {
	var p picked
	d.pickOf(f, d.b, &p)
	d.readHeaders(p.memberOf(f.headers))
	literal := p.memberOf(f.message)
	if len(literal) == 0 || literal[0] != '"' {
		return d.dropPart(d.b, &fault{finding.SourceNoRecord, 0, "a message without payload"})
	}
	payload, _, ok := d.unquoteString(d.level, literal)
	if !ok {
		return d.dropPart(d.b, &fault{finding.SourceUnparseable, 0, "the payload is not a string"})
	}
	return d.readPayload(payload)
}

// readHeaders reads the batch ids in the headers, which are names and values in turn.
func (d *doc) readHeaders(list []byte) {
	var name []byte
	c := cursor{b: list}
	_ = c.eachElement(func() error {
		v := c.passValue()
		switch {
		case name == nil:
			name = v
		default:
			if d.keys.matchJSON(name) {
				d.jsonBatches(InKafkaHeader, v)
			}
			name = nil
		}
		return nil
	})
}

// readPayload reads the content of a message: an export in JSON, a body as the
// raw encoding writes it, or an export in base64.
func (d *doc) readPayload(payload []byte) error {
	payload = bytes.TrimSpace(payload)
	if len(payload) > 1 && (payload[0] == '{' || payload[0] == '"') {
		return d.withText(d.b, payload, func(inner *doc) error { return inner.readValue(nil, d.checkValue(payload)) })
	}
	octets, err := base64.StdEncoding.AppendDecode(nil, payload)
	if err != nil || len(octets) < 2 || octets[0] != 0x0a || !plausibleLogs(octets) {
		text := "the payload is not JSON"
		if bytes.Contains(payload, []byte("\ufffd")) || !utf8.Valid(payload) {
			text += ", and seems to be binary, which JSON cannot hold; dump it in base64"
		}
		return d.dropPart(d.b, &fault{finding.SourceUnparseable, 0, text})
	}
	return d.withText(d.b, octets, func(inner *doc) error { return proto{inner}.readLogsData(octets) })
}

// quotedBody reads a body that the raw encoding wrote as a JSON string.
func (d *doc) quotedBody() error {
	return d.readLeaf(d.b, func(part []byte) *fault {
		if f := d.setStoredText(part); f != nil {
			return f
		}
		if d.rec.Fidelity == Exact {
			d.rec.Fidelity = Unquoted
		}
		text := bytes.TrimLeft(d.rec.Body, " \t\r\n\ufeff")
		if (len(text) == 0 || text[0] != '{' && text[0] != '"') && !unwrap.HasTraces(text) {
			return &fault{finding.SourceNoRecord, 0, "a string that holds no JSON object"}
		}
		return nil
	})
}
