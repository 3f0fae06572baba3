package read

var lokiMembers = []string{"labels", "timestamp", "line"}

// loki reads a line of "logcli query -o jsonl".
func (d *doc) loki() error {
	return d.leaf(d.b, func(d *doc, part []byte) *fault {
		var parts [3][]byte
		pick(part, lokiMembers, parts[:])
		d.flattened(parts[0], "labels")
		d.rec.ExportTime = date(string(bare(parts[1])))
		return d.lokiLine(parts[2])
	})
}

// lokiAPI reads an answer of query_range: streams, each with its labels and
// its values.
func (d *doc) lokiAPI() error {
	c := cursor{b: d.b}
	return c.object(func(name []byte) error {
		if string(name) != "data" {
			return nil
		}
		return c.object(func(name []byte) error {
			if string(name) != "result" {
				return nil
			}
			return c.array(func() error { return d.lokiStream(&c) })
		})
	})
}

func (d *doc) lokiStream(c *cursor) error {
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	c.peek()
	d.flattened(find(c.b[c.i:], "stream"), "labels")
	return c.object(func(name []byte) error {
		if string(name) != "values" {
			return nil
		}
		return c.array(func() error { return d.leaf(c.value(), (*doc).lokiValue) })
	})
}

// lokiValue reads a time, a line and, if the answer was asked to keep them
// apart, the record's own attributes.
func (d *doc) lokiValue(part []byte) *fault {
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
		return &fault{NoRecord, 0, "a value without a line"}
	}
	d.rec.ExportTime = nanoseconds(parts[0])
	d.flattened(find(parts[2], "structuredMetadata"), "labels")
	return d.lokiLine(parts[1])
}

// lokiLine sets the body to a line. The exporter that Loki had before it read
// OTLP put the record into the line as JSON, with the body in it.
func (d *doc) lokiLine(literal []byte) *fault {
	if f := d.stored(literal); f != nil {
		return f
	}
	line := d.rec.Body
	if len(line) == 0 || line[0] != '{' || !isLokiJSON(line) {
		return nil
	}
	if v := d.check(line); v.fault != nil || v.end != len(line) {
		return nil
	}
	d.flattened(find(line, "attributes"), "attributes")
	d.flattened(find(line, "resources"), "resources")
	fidelity := d.rec.Fidelity
	d.level++
	f := d.any(find(line, "body"))
	d.level--
	if d.rec.Fidelity == Exact {
		d.rec.Fidelity = Unquoted
	}
	d.rec.Fidelity = max(d.rec.Fidelity, fidelity)
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
