package read

import "github.com/svc-edge/svc-verify/finding"

var lokiMembers = []string{"labels", "timestamp", "line"}

// loki reads what Loki gives out.
type loki struct{ *doc }

// line reads a line of "logcli query -o jsonl".
func (l loki) line() error {
	return l.leaf(l.b, func(part []byte) *fault {
		var parts [3][]byte
		pick(part, lokiMembers, parts[:])
		l.flattened(parts[0], "labels")
		l.rec.ExportTime = date(string(bare(parts[1])))
		return l.body(parts[2])
	})
}

// answer reads an answer of query_range: streams, each with its labels and
// its values.
func (l loki) answer() error {
	c := cursor{b: l.b}
	return c.object(func(name []byte) error {
		if string(name) != "data" {
			return nil
		}
		return c.object(func(name []byte) error {
			if string(name) != "result" {
				return nil
			}
			return c.array(func() error { return l.streamOf(&c) })
		})
	})
}

func (l loki) streamOf(c *cursor) error {
	mark := len(l.batches)
	defer func() { l.batches = l.batches[:mark] }()
	c.peek()
	l.flattened(find(c.b[c.i:], "stream"), "labels")
	return c.object(func(name []byte) error {
		if string(name) != "values" {
			return nil
		}
		return c.array(func() error { return l.leaf(c.value(), l.entry) })
	})
}

// entry reads a time, a line and, if the answer was asked to keep them
// apart, the record's own attributes.
func (l loki) entry(part []byte) *fault {
	var parts [3][]byte
	n := 0
	c := cursor{b: part}
	_ = c.array(func() error {
		if n < len(parts) {
			parts[n] = c.value()
		}
		n++
		return nil
	})
	if n < 2 {
		return &fault{finding.SourceNoRecord, 0, "a value without a line"}
	}
	l.rec.ExportTime = nanoseconds(parts[0])
	l.flattened(find(parts[2], "structuredMetadata"), "labels")
	return l.body(parts[1])
}

// body sets the body to a line. The exporter that Loki had before it read
// OTLP put the record into the line as JSON, with the body in it.
func (l loki) body(literal []byte) *fault {
	if f := l.stored(literal); f != nil {
		return f
	}
	line := l.rec.Body
	if len(line) == 0 || line[0] != '{' || !isLokiJSON(line) {
		return nil
	}
	if v := l.check(line); v.fault != nil || v.end != len(line) {
		return nil
	}
	l.flattened(find(line, "attributes"), "attributes")
	l.flattened(find(line, "resources"), "resources")
	fidelity := l.rec.Fidelity
	l.level++
	f := l.any(find(line, "body"))
	l.level--
	if l.rec.Fidelity == Exact {
		l.rec.Fidelity = Unquoted
	}
	l.rec.Fidelity = max(l.rec.Fidelity, fidelity)
	return f
}

// isLokiJSON tells a record in JSON from an event, which has a body too.
func isLokiJSON(line []byte) bool {
	body, others := false, false
	c := cursor{b: line}
	_ = c.object(func(name []byte) error {
		switch string(name) {
		case "body":
			body = true
		case "traceid", "spanid", "severity", "attributes", "resources", "instrumentation_scope", "flags":
			others = true
		case "signature":
			body = false
			return errFound
		}
		return nil
	})
	return body && others
}
