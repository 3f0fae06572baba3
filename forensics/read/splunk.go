package read

var hecMembers = []string{"fields", "time", "event"}

// splunkHEC reads an event as the exporter sends it to the HTTP event
// collector.
func (d *doc) splunkHEC() error {
	return d.leaf(d.b, func(d *doc, part []byte) *fault {
		var parts [3][]byte
		pick(part, hecMembers, parts[:])
		d.flattened(parts[0], "fields")
		d.rec.ExportTime = seconds(parts[1])
		event := parts[2]
		if len(event) > 0 && event[0] == '"' {
			return d.text(event)
		}
		return d.any(event)
	})
}

// splunkExport reads a row of search/jobs/export, or a bare result. A preview is
// read as well: nothing shows that it comes again.
func (d *doc) splunkExport() error {
	result := find(d.b, "result")
	if result == nil && find(d.b, "_raw") == nil && d.fault == nil {
		return d.drop(d.b, &fault{NoRecord, 0, "a row without a result"})
	}
	return d.leaf(d.b, func(d *doc, part []byte) *fault {
		if result := find(part, "result"); result != nil {
			part = result
		}
		d.flattened(part, "")
		d.rec.ExportTime = seconds(find(part, "_time"))
		raw := find(part, "_raw")
		if len(raw) == 0 || raw[0] != '"' {
			return &fault{NoRecord, 0, "a result without _raw"}
		}
		return d.stored(raw)
	})
}
