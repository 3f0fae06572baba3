package read

import (
	"errors"
)

// reports are the reports of the reader of a piece. The memory of their slices is in one place
// for each type, which is used again.
type reports struct {
	most  int // how many are kept
	all   []report
	kept  []byte
	ids   []Batch
	steps []string
}

func (r *reports) resetReports() {
	r.all, r.kept, r.ids, r.steps = r.all[:0], r.kept[:0], r.ids[:0], r.steps[:0]
}

// report is a record, a skip or a format.
type report struct {
	record         Record
	skip           Skip
	container, why string
	format         Format
}

// Format implements Handler.
func (r *reports) Format(container string, f Format, why string) error {
	return r.addReport(report{container: container, format: f, why: why})
}

// Record implements Handler.
func (r *reports) Record(rec *Record) error {
	kept := report{record: *rec}
	kept.record.Body = keepValues(&r.kept, rec.Body)
	kept.record.Batches, kept.record.Wrapping = keepValues(&r.ids, rec.Batches), keepValues(&r.steps, rec.Wrapping)
	return r.addReport(kept)
}

// Skip implements Handler.
func (r *reports) Skip(s Skip) error {
	s.Excerpt = keepValues(&r.kept, s.Excerpt)
	return r.addReport(report{skip: s})
}

// errManyReports means that a piece would need much more memory than it has bytes.
var errManyReports = errors.New("too many reports of a piece")

func (r *reports) addReport(one report) error {
	if len(r.all) >= r.most {
		return errManyReports
	}
	r.all = append(r.all, one)
	return nil
}

// keepValues returns a copy of values that are valid only now. They are kept behind others; a
// place that is full stays with those who have it, and a larger one follows.
func keepValues[T any](place *[]T, values []T) []T {
	if values == nil {
		return nil
	}
	if cap(*place)-len(*place) < len(values) {
		*place = make([]T, 0, max(len(values), 2*cap(*place), 1<<10))
	}
	from := len(*place)
	*place = append(*place, values...)
	return (*place)[from:len(*place):len(*place)]
}
