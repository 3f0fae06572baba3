package read

import "github.com/svc-edge/svc-verify/finding"

// clickhouse reads rows of a table of ClickHouse.
type clickhouse struct{ *doc }

// line reads a row of the table otel_logs in FORMAT JSONEachRow. That
// format writes the octets of a string as they are.
func (h clickhouse) line() error {
	return h.leaf(h.b, h.row)
}

// result reads a result in FORMAT JSON, which replaces what is not
// UTF-8.
func (h clickhouse) result() error {
	c := cursor{b: h.b}
	return c.object(func(name []byte) error {
		if string(name) != "data" {
			return nil
		}
		return c.array(func() error {
			return h.leaf(c.value(), func(part []byte) *fault {
				f := h.row(part)
				h.replaced()
				return f
			})
		})
	})
}

// clickhouseColumns are the columns that are read: first those that hold
// attributes.
var (
	clickhouseColumns = []string{"LogAttributes", "ResourceAttributes", "ScopeAttributes", "Timestamp", "Body"}
	clickhouseOwners  = []string{"logattributes", "resourceattributes", "scopeattributes"}
)

func (h clickhouse) row(row []byte) *fault {
	var columns [5][]byte
	pick(row, clickhouseColumns, columns[:])
	for i, owner := range clickhouseOwners {
		h.flattened(columns[i], owner)
	}
	h.rec.ExportTime = date(string(bare(columns[3])))
	body := columns[4]
	switch {
	case len(body) == 0:
		return &fault{finding.SourceNoRecord, 0, "a row without the column Body"}
	case body[0] == '"':
		return h.text(body)
	}
	return h.any(body)
}
