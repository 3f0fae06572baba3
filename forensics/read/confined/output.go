package confined

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// output is the destination of a decoder. A failed write ends the child: its parent has gone.
type output struct {
	w       *bufio.Writer
	in      bufio.Reader
	members int64 // more that may begin
	head    [headSize]byte
}

// mostText bounds names, and messages of a library.
const mostText = 64 << 10

func (o *output) write(k Kind, parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	_, err := o.w.Write(appendHead(o.head[:0], k, size))
	for _, p := range parts {
		_, err2 := o.w.Write(p)
		err = errors.Join(err, err2)
	}
	if err != nil {
		os.Exit(1)
	}
}

func (o *output) writeText(k Kind, text string) { o.write(k, []byte(text[:min(len(text), mostText)])) }

// Write writes content of a member.
func (o *output) Write(p []byte) (int, error) {
	o.write(isData, p)
	return len(p), nil
}

// writeStatus writes how something ended.
func (o *output) writeStatus(k Kind, err error) {
	status, text := statusOf(err)
	o.writeText(k, string(rune(status))+text)
}

// errMembers means that an archive has too many members.
var errMembers = &Fault{TooLarge, "it has more members than the limit"}

// countMember counts a member, link or table, and returns an error if there are too many.
func (o *output) countMember() error {
	if o.members--; o.members < 0 {
		return errMembers
	}
	return nil
}

// writeMember writes a member that open opens. It returns an error if there are too many.
func (o *output) writeMember(name string, open func() (io.Reader, error)) error {
	if err := o.countMember(); err != nil {
		return err
	}
	r, err := open()
	if err == nil {
		err = o.writeContent(name, r)
	} else {
		o.writeText(Lost, name)
	}
	o.writeStatus(End, err)
	return nil
}

// writeContent writes the content of a member, which is lost if nothing of it can be read.
func (o *output) writeContent(name string, r io.Reader) error {
	o.in.Reset(r)
	if _, err := o.in.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		o.writeText(Lost, name)
		return err
	}
	o.writeText(Member, name)
	_, err := o.in.WriteTo(struct{ io.Writer }{o})
	return err
}

// writeNamed writes a link, or begins a table.
func (o *output) writeNamed(k Kind, name string) error {
	if err := o.countMember(); err != nil {
		return err
	}
	o.writeText(k, name)
	return nil
}

// writeRow writes a row.
func (o *output) writeRow(text []byte) { o.write(Row, text) }

// writeNote writes a fault of the table or file.
func (o *output) writeNote(err error) { o.writeStatus(Note, err) }
