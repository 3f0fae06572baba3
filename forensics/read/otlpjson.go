package read

import "github.com/svc-edge/svc-verify/finding"

// otlpJSON reads OTLP in its JSON form.
type otlpJSON struct{ *doc }

// logsData reads one LogsData or ExportLogsServiceRequest in its JSON form. The
// collector also reads names with underscores, so these count as well.
func (o otlpJSON) logsData() error {
	c := cursor{b: o.b}
	return c.object(func(name []byte) error {
		switch string(name) {
		case "resourceLogs", "resource_logs":
			return c.array(func() error { return o.resourceLogs(&c) })
		case "resourceSpans", "resourceMetrics", "resourceProfiles":
			return o.drop(c.value(), &fault{finding.SourceNoRecord, 0, "not logs but " + string(name)})
		}
		return nil
	})
}

// resourceLogs reads a ResourceLogs.
func (o otlpJSON) resourceLogs(c *cursor) error {
	return o.withOwner(c, "resource", InResource, func(name []byte) error {
		if is(name, "scopeLogs", "scope_logs") {
			return c.array(func() error { return o.scopeLogs(c) })
		}
		return nil
	})
}

// scopeLogs reads a ScopeLogs.
func (o otlpJSON) scopeLogs(c *cursor) error {
	return o.withOwner(c, "scope", InScope, func(name []byte) error {
		if is(name, "logRecords", "log_records") {
			return c.array(func() error { return o.leaf(c.value(), o.logRecord) })
		}
		return nil
	})
}

// withOwner reads an object whose records share the attributes of its owner.
// These count for all of the records, also for those before them.
func (o otlpJSON) withOwner(c *cursor, owner string, where Where, records func(name []byte) error) error {
	mark := len(o.batches)
	defer func() { o.batches = o.batches[:mark] }()
	c.peek()
	start, known := c.i, false
	return c.object(func(name []byte) error {
		if is(name, owner, owner) {
			known = true
			o.attributes(find(c.value(), "attributes"), where)
			return nil
		}
		if !known {
			known = true
			o.attributes(find(c.b[start:], owner, "attributes"), where)
		}
		return records(name)
	})
}

func is(name []byte, camel, snake string) bool {
	return string(name) == camel || string(name) == snake
}

// logRecord reads a LogRecord.
func (o otlpJSON) logRecord(part []byte) *fault {
	var body anyJSON
	c := cursor{b: part}
	// The walk itself cannot fail.
	_ = c.object(func(name []byte) error {
		switch string(name) {
		case "body":
			body = lastJSON(&c)
		case "attributes":
			o.attributes(c.value(), InRecord)
		case "timeUnixNano", "time_unix_nano":
			o.rec.ExportTime = nanoseconds(c.value())
		case "observedTimeUnixNano", "observed_time_unix_nano":
			o.rec.ObservedTime = nanoseconds(c.value())
		}
		return nil
	})
	if c.broken {
		return &fault{finding.SourceUnparseable, c.i, "no log record"}
	}
	return o.body(body)
}

// attributes reads the batch ids in a list of KeyValue.
func (o otlpJSON) attributes(list []byte, where Where) {
	c := cursor{b: list}
	_ = c.array(func() error {
		pair := c.value()
		if !o.keys.matchJSON(find(pair, "key")) {
			return nil
		}
		value := find(pair, "value")
		if text := either(value, "stringValue", "string_value"); text != nil {
			o.jsonBatches(where, text)
		}
		each := cursor{b: find(either(value, "arrayValue", "array_value"), "values")}
		return each.array(func() error {
			o.jsonBatches(where, either(each.value(), "stringValue", "string_value"))
			return nil
		})
	})
}

// matchJSON is match for a name that is a JSON string.
func (k *keys) matchJSON(literal []byte) bool {
	if len(literal) < 2 || literal[0] != '"' {
		return false
	}
	name, _ := appendUnquoted(k.form[:0], literal[1:len(literal)-1])
	return k.match(name)
}

// either returns the member of one of two names.
func either(b []byte, camel, snake string) []byte {
	if v := find(b, camel); v != nil {
		return v
	}
	return find(b, snake)
}
