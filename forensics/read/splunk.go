package read

import "github.com/svc-edge/svc-verify/finding"

var hecMembers = []string{"fields", "time", "event"}

// splunk reads events of Splunk.
type splunk struct{ *doc }

// hec reads an event as the exporter sends it to the HTTP event
// collector.
func (s splunk) hec() error {
	return s.leaf(s.b, func(part []byte) *fault {
		var parts [3][]byte
		pick(part, hecMembers, parts[:])
		s.flattened(parts[0], "fields")
		s.rec.ExportTime = seconds(parts[1])
		event := parts[2]
		if len(event) > 0 && event[0] == '"' {
			return s.text(event)
		}
		return s.any(event)
	})
}

// row reads a row of search/jobs/export, or a bare result. A preview is
// read as well: nothing shows that it comes again.
func (s splunk) row() error {
	result := find(s.b, "result")
	if result == nil && find(s.b, "_raw") == nil && s.fault == nil {
		return s.drop(s.b, &fault{finding.SourceNoRecord, 0, "a row without a result"})
	}
	return s.leaf(s.b, func(part []byte) *fault {
		if result := find(part, "result"); result != nil {
			part = result
		}
		s.flattened(part, "")
		s.rec.ExportTime = seconds(find(part, "_time"))
		raw := find(part, "_raw")
		if len(raw) == 0 || raw[0] != '"' {
			return &fault{finding.SourceNoRecord, 0, "a result without _raw"}
		}
		return s.stored(raw)
	})
}
