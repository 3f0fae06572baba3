package read

import (
	"bytes"
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/internal/form"
)

// Lines describes which lines of a file that is [Cuttable] are alone. It is called for all of
// them, in order: all have to be of the format of the first.
//
// A line is alone if its reader finds records in it and reports nothing else, and comes out of
// it as it went in: no value, list or line of a container is open, no action waits for its
// document, and nothing was decompressed. To know that, the line is read. Only a line that
// looks like an event is not, because it yields nothing but a record.
type Lines struct {
	options Options
	plain   func(*Record) bool
	reader  *reader
	lonely  lonely
	octets  bytes.Reader

	format Format // of the lines before, and why they are of it
	why    string
}

// NewLines begins a file. The caller's plain reports whether it keeps a record in the
// same way wherever the record is in a file; nil is true for all.
func NewLines(o Options, plain func(*Record) bool) *Lines {
	l := &Lines{options: o, plain: plain}
	l.options.Range = &Position{}
	return l
}

// MostAlone is how many bytes a line that is alone has at most, with its line feed.
const MostAlone = 16 << 20

// leastAlone is the size of the shortest line that is alone: no event is shorter.
const leastAlone = 256

// Alone reports whether a line, which ends with its line feed, is alone, and how many of
// its bytes are consumed by reading it.
func (l *Lines) Alone(line []byte) (consumed int64, ok bool) {
	n := len(line) - 1
	if n < leastAlone || n >= MostAlone || n >= l.options.Limits.WithDefaults().Unit || line[n] != '\n' {
		return 0, false
	}
	switch l.options.Format {
	case Bodies:
		text := bytes.TrimRight(line, "\r\n")
		return int64(len(text)), leastAlone <= len(text) && len(text) <= form.MaxEvent
	case "", Journal:
		text := bytes.TrimRight(line, " \t\r\n")
		if len(text) <= form.MaxEvent && text[len(text)-1] == '}' && startsEvent(text) {
			return int64(len(text)), leastAlone <= len(text) && l.hasFormat(Journal, eventsWhy)
		}
	}
	if line[0] != '{' && line[0] != '"' {
		return 0, false
	}
	return l.readLine(line)
}

// hasFormat reports whether a line is of the format of those before it, and that format is cut.
func (l *Lines) hasFormat(f Format, why string) bool {
	if l.format == "" {
		l.format, l.why = f, why
	}
	return f.IsCut() && l.format == f && l.why == why
}

// readLine reads a line as if it were a file of its own, and checks the rest.
func (l *Lines) readLine(line []byte) (int64, bool) {
	if l.reader == nil {
		l.lonely.lines = l
		l.reader = newReader(context.Background(), nil, l.options, &l.lonely)
	}
	r := l.reader
	l.octets.Reset(line)
	l.lonely.records = 0
	r.file = &file{r: &l.octets}
	r.restartFor(r.borrowInput(r.file, 0))
	defer r.giveBack(r.root)
	v := values{stream: &stream{reader: r, in: r.root, forced: l.options.Format, known: true}}
	err := errors.Join(v.readValues(), v.readUnfinished(), r.flushSkip())
	left := v.array || v.lonely != 0 || v.again != 0 || v.chains.open != nil || r.made != 0 || r.taken != 0
	return r.consumed, err == nil && !left && l.lonely.records > 0
}

// lonely is the handler of a line that is read by itself. Whatever shows that the line is
// not alone is an error.
type lonely struct {
	lines   *Lines
	records int
}

var errNotAlone = errors.New("not alone")

func (o *lonely) Format(container string, f Format, why string) error {
	if container != "" || why == textWhy || !o.lines.hasFormat(f, why) {
		return errNotAlone
	}
	return nil
}

func (o *lonely) Skip(Skip) error { return errNotAlone }

func (o *lonely) Record(r *Record) error {
	if r.Place.Container != "" || o.lines.plain != nil && !o.lines.plain(r) {
		return errNotAlone
	}
	o.records++
	return nil
}
