package read_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestUTF32: a text in UTF-32 is read as in UTF-8, in both orders, also if it is cut within a unit; a unit
// that is no character is none of an event.
func TestUTF32(t *testing.T) {
	bodies := append(dumps.Bodies(3), []byte(`{"a":"é😀"}`))
	text := string(bytes.Join(bodies, []byte("\n"))) + "\n"
	o := read.Options{Format: read.Bodies}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var wide []byte
		for _, c := range "\ufeff" + text {
			wide = order.AppendUint32(wide, uint32(c))
		}
		checkBodies(t, valueAt(t, wide, o), bodies, read.Exact)
		cut := valueAt(t, wide[:len(wide)-5], o)
		check.That(t, len(cut.Records) >= len(bodies)-1 && len(cut.Skips) > 0, "%v: %+v", order, cut)
		odd := order.AppendUint32(order.AppendUint32(nil, 0xfeff), 0xffffffff)
		found := valueAt(t, append(odd, 0, 0), read.Options{})
		check.That(t, len(found.Records) == 0, "%v: %+v", order, found.Records)
	}
}
