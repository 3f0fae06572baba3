package read

// clickhouse reads a row of the table otel_logs in FORMAT JSONEachRow. That
// format writes the octets of a string as they are.
func (d *doc) clickhouse() error {
	return d.leaf(d.b, (*doc).clickhouseRow)
}

// clickhouseJSON reads a result in FORMAT JSON, which replaces what is not
// UTF-8.
func (d *doc) clickhouseJSON() error {
	c := cursor{b: d.b}
	return c.object(func(name []byte) error {
		if string(name) != "data" {
			return nil
		}
		return c.array(func() error {
			return d.leaf(c.value(), func(d *doc, part []byte) *fault {
				f := d.clickhouseRow(part)
				d.replaced()
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

func (d *doc) clickhouseRow(row []byte) *fault {
	var columns [5][]byte
	pick(row, clickhouseColumns, columns[:])
	for i, owner := range clickhouseOwners {
		d.flattened(columns[i], owner)
	}
	d.rec.ExportTime = date(string(bare(columns[3])))
	body := columns[4]
	switch {
	case len(body) == 0:
		return &fault{NoRecord, 0, "a row without the column Body"}
	case body[0] == '"':
		return d.text(body)
	}
	return d.any(body)
}
