package read

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

var arMagic = []byte("!<arch>\n")

// arHeader is the size of a header in ar, whose last two octets are arEnd.
const (
	arHeader = 60
	arEnd    = "`\n"
)

// maxLongNames is how much is kept of the table of long names.
const maxLongNames = 4 << 20

// arPacker reads ar, with long names as GNU and BSD write them.
type arPacker struct {
	sized
	long []byte // the names that others refer to
}

func openAr(s *stream) packer { return &arPacker{sized: sized{in: s.in}} }

func (*arPacker) starts(b []byte) bool {
	if bytes.HasPrefix(b, arMagic) {
		return true
	}
	_, ok := arSize(b)
	return ok
}

// arSize returns the size that a header says.
func arSize(b []byte) (int64, bool) {
	if len(b) < arHeader || string(b[58:60]) != arEnd {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimRight(string(b[48:58]), " "), 10, 63)
	return n, err == nil && n >= 0
}

func (a *arPacker) next() (entry, error) {
	if err := a.pass(); err != nil {
		return entry{}, err
	}
	if b := a.in.peek(len(arMagic)); bytes.Equal(b, arMagic) {
		a.in.skip(len(b))
	}
	b, err := a.header(arHeader)
	if err != nil {
		return entry{}, err
	}
	size, ok := arSize(b)
	if !ok {
		return entry{}, errHeader
	}
	name := strings.TrimRight(string(b[:16]), " ")
	a.in.skip(arHeader)
	a.left, a.fill = size, size&1
	return a.resolve(name)
}

// resolve finds the name of a member that has a long one.
func (a *arPacker) resolve(name string) (entry, error) {
	switch {
	case name == "/" || name == "/SYM64/" || strings.HasPrefix(name, "__.SYMDEF"):
		return entry{kind: isAside}, nil
	case name == "//":
		a.long = bytes.Clone(a.in.peek(int(min(a.left, maxLongNames))))
		return entry{kind: isAside}, nil
	case strings.HasPrefix(name, "#1/"):
		n, err := strconv.ParseInt(name[3:], 10, 32)
		if err != nil || n < 0 || n > min(a.left, maxName) {
			return entry{}, errHeader
		}
		b, err := a.header(int(n))
		if err != nil {
			return entry{}, io.ErrUnexpectedEOF
		}
		name = strings.TrimRight(string(b), "\x00")
		a.in.skip(len(b))
		a.left -= n
		return entry{name: name}, nil
	case strings.HasPrefix(name, "/"):
		at, err := strconv.ParseInt(name[1:], 10, 32)
		if err != nil || at < 0 || at >= int64(len(a.long)) {
			return entry{name: name}, nil // the content is there, whatever it is called
		}
		line, _, _ := bytes.Cut(a.long[at:], []byte("\n"))
		name = string(line[:min(len(line), maxName)])
	}
	return entry{name: strings.TrimSuffix(name, "/")}, nil
}
