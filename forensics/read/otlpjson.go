package read

// otlp reads one LogsData or ExportLogsServiceRequest in its JSON form. The
// collector also reads names with underscores, so these count as well.
func (d *doc) otlp() error {
	c := cursor{b: d.b}
	return c.object(func(name []byte) error {
		switch string(name) {
		case "resourceLogs", "resource_logs":
			return c.array(func() error { return d.otlpResource(&c) })
		case "resourceSpans", "resourceMetrics", "resourceProfiles":
			return d.drop(c.value(), &fault{NoRecord, 0, "not logs but " + string(name)})
		}
		return nil
	})
}

// otlpResource reads a ResourceLogs.
func (d *doc) otlpResource(c *cursor) error {
	return d.otlpOwned(c, "resource", InResource, func(name []byte) error {
		if is(name, "scopeLogs", "scope_logs") {
			return c.array(func() error { return d.otlpScope(c) })
		}
		return nil
	})
}

// otlpScope reads a ScopeLogs.
func (d *doc) otlpScope(c *cursor) error {
	return d.otlpOwned(c, "scope", InScope, func(name []byte) error {
		if is(name, "logRecords", "log_records") {
			return c.array(func() error { return d.leaf(c.value(), (*doc).otlpRecord) })
		}
		return nil
	})
}

// otlpOwned reads an object whose records share the attributes of its owner.
// These count for all of the records, also for those before them.
func (d *doc) otlpOwned(c *cursor, owner string, where Where, records func(name []byte) error) error {
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	c.peek()
	start, known := c.i, false
	return c.object(func(name []byte) error {
		if is(name, owner, owner) {
			known = true
			d.otlpAttributes(find(c.value(), "attributes"), where)
			return nil
		}
		if !known {
			known = true
			d.otlpAttributes(find(c.b[start:], owner, "attributes"), where)
		}
		return records(name)
	})
}

func is(name []byte, camel, snake string) bool {
	return string(name) == camel || string(name) == snake
}

// otlpRecord reads a LogRecord.
func (d *doc) otlpRecord(part []byte) *fault {
	var body anyJSON
	c := cursor{b: part}
	// The walk itself cannot fail.
	_ = c.object(func(name []byte) error {
		switch string(name) {
		case "body":
			body = lastJSON(&c)
		case "attributes":
			d.otlpAttributes(c.value(), InRecord)
		case "timeUnixNano", "time_unix_nano":
			d.rec.ExportTime = nanoseconds(c.value())
		case "observedTimeUnixNano", "observed_time_unix_nano":
			d.rec.ObservedTime = nanoseconds(c.value())
		}
		return nil
	})
	if c.broken {
		return &fault{Unparseable, c.i, "no log record"}
	}
	return d.otlpBody(body)
}

// otlpAttributes takes the batch ids out of a list of KeyValue.
func (d *doc) otlpAttributes(list []byte, where Where) {
	c := cursor{b: list}
	_ = c.array(func() error {
		pair := c.value()
		if !d.keys.matchJSON(find(pair, "key")) {
			return nil
		}
		value := find(pair, "value")
		if text := either(value, "stringValue", "string_value"); text != nil {
			d.jsonBatches(where, text)
		}
		each := cursor{b: find(either(value, "arrayValue", "array_value"), "values")}
		return each.array(func() error {
			d.jsonBatches(where, either(each.value(), "stringValue", "string_value"))
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
