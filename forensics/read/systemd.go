package read

import (
	"bytes"
	"encoding/json"

	"github.com/svc-edge/svc-verify/finding"
)

// readTexts reads the texts of a record: a string, bytes as numbers, or a list of such, as
// "journalctl -o json" writes them.
func (d *doc) readTexts(literal []byte, p part) error {
	if len(literal) > 0 && literal[0] == '[' {
		if octets, ok := octetList(literal); ok {
			p.text = octets
			return d.readLinePart(p)
		}
		n := 0
		c := cursor{b: literal}
		err := c.eachElement(func() error {
			n++
			inner := c.passValue()
			if octets, ok := octetList(inner); ok {
				p.text = octets
				return d.readLinePart(p)
			}
			if len(inner) > 0 && inner[0] == '[' {
				return d.dropPart(inner, &fault{finding.SourceUnparseable, 0, "a list of other things than octets"})
			}
			return d.readTexts(inner, p)
		})
		if n == 0 && err == nil {
			err = d.dropPart(d.b, &fault{finding.SourceNoRecord, 0, "a record without a log line"})
		}
		return err
	}
	text, _, ok := d.unquoteString(d.level, literal)
	if !ok {
		return d.dropPart(d.b, &fault{finding.SourceNoRecord, 0, "a record without a log line"})
	}
	if p.text = text; p.implied {
		p.last = bytes.HasSuffix(text, []byte("\n"))
	}
	return d.readLinePart(p)
}

// octetList returns the bytes of a list of numbers.
func octetList(literal []byte) (octets []byte, ok bool) {
	ok = len(literal) > 0 && literal[0] == '[' && json.Unmarshal(literal, &octets) == nil
	return octets, ok && len(octets) > 0
}
