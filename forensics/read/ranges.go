package read

import (
	"bytes"

	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// A file of lines can be read in ranges, by several readers that know nothing of each other:
// from a cut to the next, or to the end. Together they report the same as one reader of the
// whole file, except for the numbers of the reports, which each counts from 0, and for
// formats, which each reports anew.
//
// A cut is at the end of a line. All lines before it, and the line behind it, must be alone
// ([Lines]): nothing that was read before can change how they are read, and they change
// nothing for the lines behind them. Between the last cut and the end of the file there may be
// anything.

// Position is a place where a file is cut: the bytes before it, and how many of them
// are consumed there ([Record]). The zero value is the beginning of a file.
type Position struct{ Offset, Consumed int64 }

// Cuttable reports whether a file can be cut, as far as its first bytes tell: its lines
// are values of a format that is cut ([Format.IsCut]), and are not read in another way, such as
// one that decodes them. head is the first [HeadSize] bytes of the file, or all of it.
func Cuttable(head []byte, o Options) bool {
	if len(head) == 0 {
		return false
	}
	f, _ := sniffFormat(head)
	switch {
	case o.Format == Bodies:
		return !f.wrapsOnly()
	case f.wrapsOnly() || o.Format == "" && (f != textual || kindBeside(head) != ""):
		return false
	}
	f, _ = Describe(head, o)
	if !f.IsCut() {
		return false
	}
	line, _, whole := bytes.Cut(head, []byte("\n"))
	if !whole {
		return len(head) == HeadSize // the line continues
	}
	_, alone := NewLines(o, nil).Alone(head[:len(line)+1])
	return alone
}

// HeadSize is how much of a file its recognition depends on.
const HeadSize = sniffSize

// startsEvent reports whether a line begins as an event does, nothing else in it does, and
// it cannot be read in another way.
func startsEvent(line []byte) bool {
	return bytes.HasPrefix(line, []byte(unwrap.EventStart)) && !bytes.Contains(line[1:], []byte(unwrap.EventStart)) &&
		!unwrap.MayBeRespelled(line)
}

// Describe returns the format of a file, and the reason, as far as its first bytes show. The
// format of lines of values is the format of the first of them, and [General] if that has
// none.
func Describe(head []byte, o Options) (Format, string) {
	f, why := sniffFormat(head)
	switch {
	case o.Format != "" && !f.wrapsOnly():
		return o.Format, "as the caller says"
	case f != textual:
		return f, why
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n"), []byte("\n"))
	if startsEvent(line) {
		return Journal, eventsWhy
	}
	if f, why := formsWith(o.Stores).formOf(line); len(line) > 0 && (line[0] == '{' || line[0] == '"') && f != nil {
		return f.Name, why
	}
	return General, "lines of text or values"
}
