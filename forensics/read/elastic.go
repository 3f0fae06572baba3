package read

import (
	"bytes"

	"github.com/svc-edge/svc-verify/finding"
)

// elastic reads documents of Elasticsearch and OpenSearch.
type elastic struct{ *doc }

// line reads a document of Elasticsearch or OpenSearch: a line of a dump,
// which has it as _source, a line of a bulk request, or the document itself.
// An action of a bulk request belongs to the document behind it.
func (e elastic) line() error {
	if source := find(e.b, "_source"); source != nil {
		return e.document(e.b)
	}
	if names := topNames(e.b); isAction(names) {
		return e.bulkAction(names)
	}
	e.stream.action = Skip{}
	return e.leaf(e.b, e.source)
}

// bulkAction remembers an action until its document comes.
func (e elastic) bulkAction(names string) error {
	if names == " delete " || names == " update " {
		return e.drop(e.b, &fault{finding.SourceNoRecord, 0, "a bulk action without a whole document"})
	}
	if err := e.noAction(); err != nil {
		return err
	}
	e.stream.action = Skip{Place: e.place(e.b), Code: finding.SourceUnparseable,
		Detail:  "a bulk action without its document",
		Excerpt: bytes.Clone(e.b[:min(len(e.b), excerptSize)])}
	e.reports++
	return nil
}

// noAction reports an action whose document does not come.
func (s *stream) noAction() error {
	if s.action.Code == "" {
		return nil
	}
	skip := s.action
	s.action = Skip{}
	return s.skip(skip)
}

// hits reads the answer to a search.
func (e elastic) hits() error {
	c := cursor{b: e.b}
	return c.object(func(name []byte) error {
		if string(name) != "hits" {
			return nil
		}
		return c.object(func(name []byte) error {
			if string(name) != "hits" {
				return nil
			}
			return c.array(func() error { return e.document(c.value()) })
		})
	})
}

// document reads a document with its source in it.
func (e elastic) document(part []byte) error {
	if is, err := e.runtimeRecord(find(part, "_source")); is {
		return err
	}
	return e.leaf(part, e.hit)
}

func (e elastic) hit(part []byte) *fault {
	source := find(part, "_source")
	if source == nil {
		return &fault{finding.SourceNoRecord, 0, "a hit without its source"}
	}
	return e.source(source)
}

// elasticMembers are the members of a document that are read: its times, its
// body as an object, the bodies that are text, and those that are structures.
// The modes of the exporter are otel (now, with dotted names, and as it was),
// ecs ("message"), and none and raw ("Body").
var elasticMembers = []string{
	"@timestamp", "observed_timestamp", "body",
	"body.text", "body_text", "message", "Body",
	"body.structured", "body.flattened", "body_structured",
}

// bodyMembers are the members of the body of mode otel.
var bodyMembers = []string{"text", "structured", "flattened"}

// source reads a document, in any of the modes of the exporter.
func (e elastic) source(source []byte) *fault {
	var members [10][]byte
	pick(source, elasticMembers, members[:])
	e.flattened(source, "")
	e.rec.ExportTime, e.rec.ObservedTime = elasticTime(members[0]), elasticTime(members[1])
	if isDocumentBody(source) { // mode bodymap
		e.structure(withoutTimestamp(source))
		return nil
	}
	body := members[2]
	var parts [3][]byte
	pick(body, bodyMembers, parts[:])
	for _, text := range append(parts[:1:1], members[3:7]...) {
		if len(text) > 0 && text[0] == '"' {
			return e.stored(text)
		}
	}
	for _, structured := range append(parts[1:], members[6:]...) {
		if len(structured) > 0 {
			return e.any(structured)
		}
	}
	if len(body) > 0 && body[0] == '"' {
		return e.stored(body)
	}
	return &fault{finding.SourceNoRecord, 0, "a document without a body"}
}

// isDocumentBody reports whether a document is itself an event.
func isDocumentBody(source []byte) bool {
	var members [3][]byte
	pick(source, []string{"body", "hash", "signature"}, members[:])
	return members[0] != nil && members[1] != nil && members[2] != nil
}

// withoutTimestamp takes out the member that a data stream adds to every
// document.
func withoutTimestamp(source []byte) []byte {
	if find(source, "@timestamp") == nil {
		return source
	}
	out := builder{out: []byte{'{'}}
	c := cursor{b: source}
	_ = c.object(func(name []byte) error {
		if value := c.value(); string(name) != "@timestamp" {
			out.comma()
			out.string(name)
			out.out = append(append(out.out, ':'), value...)
		}
		return nil
	})
	return append(out.out, '}')
}
