package read

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// kafka reads messages of a Kafka topic.
type kafka struct{ *doc }

// message reads a message as "kcat -J" prints it. Its payload is a JSON string,
// so that a binary one comes through only in base64.
func (k kafka) message() error {
	if k.fault != nil {
		return nil // finish says why
	}
	mark := len(k.batches)
	defer func() { k.batches = k.batches[:mark] }()
	k.headers(find(k.b, "headers"))
	literal := find(k.b, "payload")
	if len(literal) == 0 || literal[0] != '"' {
		return k.drop(k.b, &fault{finding.SourceNoRecord, 0, "a message without payload"})
	}
	payload, _, ok := k.unquote(k.level, literal)
	if !ok {
		return k.drop(k.b, &fault{finding.SourceUnparseable, 0, "the payload is not a string"})
	}
	return k.payload(payload)
}

// headers takes the batch ids out of the headers, which are names and
// values in turn.
func (k kafka) headers(list []byte) {
	var name []byte
	c := cursor{b: list}
	_ = c.array(func() error {
		v := c.value()
		switch {
		case name == nil:
			name = v
		default:
			if k.keys.matchJSON(name) {
				k.jsonBatches(InKafkaHeader, v)
			}
			name = nil
		}
		return nil
	})
}

// payload reads what is in a message: an export in JSON, a body as the
// raw encoding writes it, or an export in base64.
func (k kafka) payload(payload []byte) error {
	payload = bytes.TrimSpace(payload)
	if len(payload) > 1 && (payload[0] == '{' || payload[0] == '"') {
		return k.decoded(k.b, payload)
	}
	octets, err := base64.StdEncoding.AppendDecode(nil, payload)
	if err != nil || len(octets) < 2 || octets[0] != 0x0a || !plausibleLogs(octets) {
		text := "the payload is not JSON"
		if bytes.Contains(payload, []byte("\ufffd")) || !utf8.Valid(payload) {
			text += ", and seems to be binary, which JSON cannot hold; dump it in base64"
		}
		return k.drop(k.b, &fault{finding.SourceUnparseable, 0, text})
	}
	at := k.place(k.b)
	inner := &doc{stream: k.stream, b: octets, from: &at, level: k.level + 1, short: finding.SourceUnparseable}
	err = proto{inner}.logsData(octets)
	if err == nil {
		err = inner.finish()
	}
	k.reports += inner.reports
	return err
}

// raw reads a body that the raw encoding wrote as a JSON string.
func (k kafka) raw() error {
	return k.leaf(k.b, func(part []byte) *fault {
		if f := k.stored(part); f != nil {
			return f
		}
		if k.rec.Fidelity == Exact {
			k.rec.Fidelity = Unquoted
		}
		text := bytes.TrimLeft(k.rec.Body, " \t\r\n\ufeff")
		if (len(text) == 0 || text[0] != '{' && text[0] != '"') && !unwrap.HasTraces(text) {
			return &fault{finding.SourceNoRecord, 0, "a string that holds no JSON object"}
		}
		return nil
	})
}
