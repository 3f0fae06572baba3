package shapes

import (
	"fmt"
	"strings"
	"time"
)

// record is one line of a log with what a store keeps beside it.
type record struct {
	n     int // from 1
	line  string
	at    time.Time
	batch string
}

// records returns the records of a log, in its order.
func (l Log) records() []record {
	all := make([]record, len(l.Lines))
	for i, line := range l.Lines {
		all[i] = record{i + 1, string(line), l.At(i).UTC(), l.Batch}
	}
	return all
}

// stamp is the record's time as most databases write it.
func (r record) stamp() string { return r.at.Format("2006-01-02 15:04:05.000") }

// iso is the record's time as most services write it.
func (r record) iso() string { return r.at.Format("2006-01-02T15:04:05.000Z") }

// id is the record's number as text.
func (r record) id() string { return fmt.Sprint(r.n) }

// columns are the names of cells.
var columns = []string{"id", "received_at", batchName, "body"}

// batchName is the column of batch ids.
const batchName = "x_svc_edge_audit_batch"

// cells are the record as a row of a table.
func (r record) cells() []string { return []string{r.id(), r.stamp(), r.batch, r.line} }

// page is a form of text: what stands before, between and after the records.
type page struct {
	name                string
	head, between, foot string
}

// of returns the writer of a shape: write makes the text of each record.
func (p page) of(write func(record) string) func(Log) Files {
	return func(l Log) Files {
		var parts []string
		for _, r := range l.records() {
			parts = append(parts, write(r))
		}
		return file(p.name, []byte(p.head+strings.Join(parts, p.between)+p.foot))
	}
}

// lined is a page of lines: write returns each without its line feed.
func lined(name string, write func(record) string) func(Log) Files {
	return page{name: name, between: "\n", foot: "\n"}.of(write)
}

// table is a form of text for rows of cells, with a row of names at its head.
func table(name, between string, cell func(string) string) func(Log) Files {
	return func(l Log) Files {
		var out strings.Builder
		out.WriteString(row(columns, between, cell))
		for _, r := range l.records() {
			out.WriteString(row(r.cells(), between, cell))
		}
		return file(name, []byte(out.String()))
	}
}

func row(cells []string, between string, cell func(string) string) string {
	written := make([]string, len(cells))
	for i, c := range cells {
		written[i] = cell(c)
	}
	return strings.Join(written, between) + "\n"
}

// encoded is a shape's one file behind an encoding of the whole.
func encoded(name string, write func(Log) Files, encode func([]byte) []byte) func(Log) Files {
	return func(l Log) Files {
		for _, content := range write(l) {
			return file(name, encode(content))
		}
		return nil
	}
}

// plain is the log itself: a line for each event.
func plain(name string) func(Log) Files {
	return lined(name, func(r record) string { return r.line })
}
