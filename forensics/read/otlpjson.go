package read

import "github.com/svc-edge/svc-verify/finding"

// otlpJSON reads OTLP in its JSON form.
type otlpJSON struct{ *doc }

// logsData reads one LogsData or ExportLogsServiceRequest in its JSON form. The
// collector also reads names with underscores, so these count as well.
func (o otlpJSON) logsData() error {
	c := cursor{b: o.b}
	return c.eachMember(func(name []byte) error {
		switch string(name) {
		case "resourceLogs", "resource_logs":
			return c.eachElement(func() error { return o.resourceLogs(&c) })
		case "resourceSpans", "resourceMetrics", "resourceProfiles":
			return o.dropPart(c.passValue(), &fault{finding.SourceNoRecord, 0, "not logs but " + string(name)})
		}
		return nil
	})
}

// resourceLogs reads a ResourceLogs, and the ScopeLogs within it.
func (o otlpJSON) resourceLogs(c *cursor) error {
	return o.withOwner(c, "resource", InResource, func(name []byte) error {
		if !isOneOf(name, "scopeLogs", "scope_logs") {
			return nil
		}
		return c.eachElement(func() error {
			return o.withOwner(c, "scope", InScope, func(name []byte) error {
				if !isOneOf(name, "logRecords", "log_records") {
					return nil
				}
				return c.eachElement(func() error { return o.readLeaf(c.passValue(), o.logRecord) })
			})
		})
	})
}

// withOwner reads an object whose records share the attributes of its owner.
// These count for all of the records, also for those before them.
func (o otlpJSON) withOwner(c *cursor, owner string, where Where, records func(name []byte) error) error {
	mark := len(o.batches)
	defer func() { o.batches = o.batches[:mark] }()
	c.peekToken()
	start, known := c.i, false
	return c.eachMember(func(name []byte) error {
		if isOneOf(name, owner, owner) {
			known = true
			o.readAttributes(valueAt(c.passValue(), "attributes"), where)
			return nil
		}
		if !known {
			known = true
			o.readAttributes(valueAt(c.b[start:], owner, "attributes"), where)
		}
		return records(name)
	})
}

func isOneOf(name []byte, camel, snake string) bool {
	return string(name) == camel || string(name) == snake
}

// logRecord reads a LogRecord.
func (o otlpJSON) logRecord(part []byte) *fault {
	var body anyJSON
	c := cursor{b: part}
	// The walk itself cannot fail.
	_ = c.eachMember(func(name []byte) error {
		switch string(name) {
		case "body":
			body = lastJSON(&c)
		case "attributes":
			o.readAttributes(c.passValue(), InRecord)
		case "timeUnixNano", "time_unix_nano":
			o.rec.ExportTime = parseNanoseconds(c.passValue())
		case "observedTimeUnixNano", "observed_time_unix_nano":
			o.rec.ObservedTime = parseNanoseconds(c.passValue())
		}
		return nil
	})
	if c.broken {
		return &fault{finding.SourceUnparseable, c.i, "no log record"}
	}
	return o.setBody(body)
}

// readAttributes reads the batch ids in a list of KeyValue.
func (o otlpJSON) readAttributes(list []byte, where Where) {
	c := cursor{b: list}
	_ = c.eachElement(func() error {
		pair := c.passValue()
		if !o.keys.matchJSON(valueAt(pair, "key")) {
			return nil
		}
		value := valueAt(pair, "value")
		if text := eitherMember(value, "stringValue", "string_value"); text != nil {
			o.jsonBatches(where, text)
		}
		each := cursor{b: valueAt(eitherMember(value, "arrayValue", "array_value"), "values")}
		return each.eachElement(func() error {
			o.jsonBatches(where, eitherMember(each.passValue(), "stringValue", "string_value"))
			return nil
		})
	})
}

// matchJSON is hasBatchName for a name that is a JSON string.
func (k *keys) matchJSON(literal []byte) bool {
	if len(literal) < 2 || literal[0] != '"' {
		return false
	}
	name, _ := appendUnquoted(k.form[:0], literal)
	return k.hasBatchName(name)
}

// eitherMember returns the member of one of two names.
func eitherMember(b []byte, camel, snake string) []byte {
	if v := valueAt(b, camel); v != nil {
		return v
	}
	return valueAt(b, snake)
}
