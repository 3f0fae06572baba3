package read

// splunkHEC reads an event as the exporter sends it to the HTTP event
// collector.
func (d *doc) splunkHEC() error {
	return d.leaf(d.b, func(d *doc, part []byte) *fault {
		d.flattened(find(part, "fields"), []byte("fields"), 0)
		d.rec.ExportTime = seconds(find(part, "time"))
		event := find(part, "event")
		if len(event) > 0 && event[0] == '"' {
			return d.text(event)
		}
		return d.any(event)
	})
}

// splunkExport reads a row of search/jobs/export, or a bare result.
func (d *doc) splunkExport() error {
	if string(find(d.b, "preview")) == "true" {
		return d.drop(d.b, &fault{NoRecord, 0, "a preview, which comes again as a result"})
	}
	result := find(d.b, "result")
	if result == nil && find(d.b, "_raw") == nil && d.fault == nil {
		return d.drop(d.b, &fault{NoRecord, 0, "a row without a result"})
	}
	return d.leaf(d.b, func(d *doc, part []byte) *fault {
		if result := find(part, "result"); result != nil {
			part = result
		}
		d.flattened(part, nil, 0)
		d.rec.ExportTime = seconds(find(part, "_time"))
		raw := find(part, "_raw")
		if len(raw) == 0 || raw[0] != '"' {
			return &fault{NoRecord, 0, "a result without _raw"}
		}
		return d.stored(raw)
	})
}
