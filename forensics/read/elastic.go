package read

import "bytes"

// elastic reads a document of Elasticsearch or OpenSearch: a line of a dump,
// which has it as _source, a line of a bulk request, or the document itself.
// An action of a bulk request belongs to the document behind it.
func (d *doc) elastic() error {
	if source := find(d.b, "_source"); source != nil {
		return d.leaf(d.b, (*doc).elasticHit)
	}
	if names := topNames(d.b); isAction(names) {
		return d.elasticAction(names)
	}
	d.stream.action = Skip{}
	return d.leaf(d.b, (*doc).elasticSource)
}

// elasticAction remembers an action until its document comes.
func (d *doc) elasticAction(names string) error {
	if names == " delete " || names == " update " {
		return d.drop(d.b, &fault{NoRecord, 0, "a bulk action without a whole document"})
	}
	if err := d.noAction(); err != nil {
		return err
	}
	d.stream.action = Skip{Place: d.place(d.b), Code: Unparseable, Detail: "a bulk action without its document", Excerpt: bytes.Clone(d.b[:min(len(d.b), excerptSize)])}
	d.reports++
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

// elasticHits reads the answer to a search.
func (d *doc) elasticHits() error {
	c := cursor{b: d.b}
	return c.object(func(name []byte) error {
		if string(name) != "hits" {
			return nil
		}
		return c.object(func(name []byte) error {
			if string(name) != "hits" {
				return nil
			}
			return c.array(func() error { return d.leaf(c.value(), (*doc).elasticHit) })
		})
	})
}

func (d *doc) elasticHit(part []byte) *fault {
	source := find(part, "_source")
	if source == nil {
		return &fault{NoRecord, 0, "a hit without its source"}
	}
	return d.elasticSource(source)
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

// elasticSource reads a document, in any of the modes of the exporter.
func (d *doc) elasticSource(source []byte) *fault {
	var members [10][]byte
	pick(source, elasticMembers, members[:])
	d.flattened(source, "")
	d.rec.ExportTime, d.rec.ObservedTime = elasticTime(members[0]), elasticTime(members[1])
	if isDocumentBody(source) { // mode bodymap
		d.structure(withoutTimestamp(source))
		return nil
	}
	body := members[2]
	var parts [3][]byte
	pick(body, bodyMembers, parts[:])
	for _, text := range append(parts[:1:1], members[3:7]...) {
		if len(text) > 0 && text[0] == '"' {
			return d.stored(text)
		}
	}
	for _, structured := range append(parts[1:], members[6:]...) {
		if len(structured) > 0 {
			return d.any(structured)
		}
	}
	if len(body) > 0 && body[0] == '"' {
		return d.stored(body)
	}
	return &fault{NoRecord, 0, "a document without a body"}
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
