package read

import (
	"github.com/svc-edge/svc-verify/finding"
)

// table hands on the rows of one table, each as the text of a JSON object, so that
// the readers of JSON values recognise the columns of their stores.
type table struct {
	*stream       // of the rows: its container names the table
	n       int64 // of the next row
	doc     doc
}

// startTable starts a table that a step leads to. The rows have no bytes of their own
// there: a place in it is the number of a row, with a length of 1.
func (s *stream) startTable(step string, f Format) *table {
	inner := s.innerStream(step, nil)
	inner.forced, inner.told = "", []Format{f}
	return &table{stream: inner}
}

// addText passes on a row. It returns errExpansion if the rows are larger than the bytes read
// of the file admit: columns can repeat one value very often.
func (t *table) addText(text []byte) error {
	at := Place{Container: t.container, Offset: t.n, Length: 1}
	t.n++
	if len(text) == len("{}") { // nothing is in it that could be reported
		return t.growBy(rowCost)
	}
	return t.emitRow(&t.doc, at, text)
}

// reportLost reports that the next row, or the rest of the table, could not be read.
func (t *table) reportLost(code finding.Code, detail string) error {
	at := Place{Container: t.container, Offset: t.n, Length: 1}
	t.n++
	return t.skip(Skip{Place: at, Code: code, Detail: detail})
}

// rowCost is the cost of a row in addition to its bytes, in decompressed bytes.
const rowCost = 256

// emitRow hands on a row as a value that was decoded at a place. d is scratch, except that
// d.torn means that the stream ends within the row.
func (s *stream) emitRow(d *doc, at Place, text []byte) error {
	if err := s.growBy(len(text) + rowCost); err != nil {
		return err
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if len(text) > s.limits.Unit {
		return s.skip(Skip{Place: at, Code: finding.SourceLimit, Detail: "a row " + s.limitText(), Excerpt: text})
	}
	*d = doc{stream: s, b: text, from: &at, short: finding.SourceUnparseable, torn: d.torn}
	return d.readValue(nil, d.checkValue(text))
}

// endOverfilled ends a table whose rows are larger than they may be.
func (s *stream) endOverfilled() error {
	const why = "the rows of a table expand beyond the limit"
	if len(s.in.peekBytes(1)) > 0 {
		return s.skipRest(finding.SourceLimit, why)
	}
	return s.noteAt(s.in.offset, finding.SourceLimit, why)
}

// looseEnd searches bytes of a table that are no row: a damaged one, or bytes around the rows.
// torn means that the stream ends within b.
func (s *stream) looseEnd(at Place, b []byte, why string, torn bool) error {
	d := &doc{stream: s, b: b, from: &at, short: finding.SourceUnparseable, torn: torn}
	d.rec = Record{}
	f := s.freeFinder()
	defer s.doneWith(f)
	count, pieces, err := d.searchPart(f, b, true)
	if err != nil || count > 0 || pieces {
		return err
	}
	return s.skip(Skip{Place: at, Code: finding.SourceNoRecord, Detail: why, Excerpt: b})
}
