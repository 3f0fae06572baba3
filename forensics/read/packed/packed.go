// Package packed reads documents in BSON (https://bsonspec.org/spec.html) and
// MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md), one after the
// other, as rows.
//
// Their lengths come before what they are of, and nothing is allocated for one.
package packed

import (
	"errors"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// The errors of a document.
var (
	ErrShort   = errors.New("a document that is not whole")
	ErrDamaged = errors.New("no document")
)

// mostDepth bounds documents within documents.
const mostDepth = 100

// decoder decodes one document.
type decoder struct {
	b     []byte
	t     *rows.Text
	err   error
	depth int
}

// fail notes the first error, and ends the walk.
func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.b = nil
}

// take takes n octets; nil if there are fewer.
func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail(ErrShort)
		return nil
	}
	taken := d.b[:n:n]
	d.b = d.b[n:]
	return taken
}

// byte takes an octet.
func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// deeper enters a document within the document.
func (d *decoder) deeper() bool {
	if d.depth++; d.depth > mostDepth {
		d.fail(ErrDamaged)
	}
	return d.err == nil
}
