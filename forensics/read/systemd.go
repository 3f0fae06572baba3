package read

import (
	"bytes"
	"strconv"

	"github.com/svc-edge/svc-verify/finding"
)

// messages reads the texts of a record: a string, bytes as numbers, or a list of such, as
// "journalctl -o json" writes them.
func (d *doc) messages(literal []byte, p part) error {
	if len(literal) > 0 && literal[0] == '[' {
		if octets, ok := octetList(literal); ok {
			p.text = octets
			return d.part(p)
		}
		n := 0
		c := cursor{b: literal}
		err := c.array(func() error {
			n++
			inner := c.value()
			if octets, ok := octetList(inner); ok {
				p.text = octets
				return d.part(p)
			}
			if len(inner) > 0 && inner[0] == '[' {
				return d.drop(inner, &fault{finding.SourceUnparseable, 0, "a list of other things than octets"})
			}
			return d.messages(inner, p)
		})
		if n == 0 && err == nil {
			err = d.drop(d.b, &fault{finding.SourceNoRecord, 0, "a record without a log line"})
		}
		return err
	}
	text, _, ok := d.unquote(d.level, literal)
	if !ok {
		return d.drop(d.b, &fault{finding.SourceNoRecord, 0, "a record without a log line"})
	}
	if p.text = text; p.implied {
		p.last = bytes.HasSuffix(text, []byte("\n"))
	}
	return d.part(p)
}

// octetList returns the bytes of a list of numbers.
func octetList(literal []byte) ([]byte, bool) {
	var octets []byte
	c := cursor{b: literal}
	bad := len(literal) == 0 || literal[0] != '['
	_ = c.array(func() error {
		n, err := strconv.ParseUint(string(c.value()), 10, 8)
		if err != nil {
			bad = true
			return errFound
		}
		octets = append(octets, byte(n))
		return nil
	})
	return octets, !bad && len(octets) > 0
}
