package read

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
)

// The fields of a record of Docker's local driver, and of its statement on a part of a line
// ("api/types/plugins/logdriver/entry.proto").
const (
	localSource  = 1
	localTime    = 2
	localLine    = 3
	localPartial = 4
	localMeta    = 5

	metaLast    = 1
	metaID      = 2
	metaOrdinal = 3
)

// localFrame returns the size of the frame that b begins with, which has the length
// of its message before and behind it; 0 if there is none.
func localFrame(b []byte) int {
	if len(b) < prefixSize {
		return 0
	}
	size := int64(binary.BigEndian.Uint32(b))
	if end := size + 2*prefixSize; size > 0 && end <= int64(len(b)) &&
		int64(binary.BigEndian.Uint32(b[size+prefixSize:])) == size {
		return int(end)
	}
	return 0
}

// isLocal reports whether a stream begins with a record of the local driver: its
// first field names an output.
func isLocal(b []byte) bool {
	if len(b) < prefixSize+2 || b[0] != 0 || b[prefixSize] != localSource<<3|byte(protowire.BytesType) {
		return false
	}
	source, n := protowire.ConsumeBytes(b[prefixSize+1:])
	return n > 0 && (string(source) == "stdout" || string(source) == "stderr") &&
		(localFrame(b) > 0 || int64(binary.BigEndian.Uint32(b)) > int64(len(b)))
}

// readDockerLocal reads a file of Docker's local driver.
func (s *stream) readDockerLocal() error { return s.eachPart(s.localRecord) }

func (s *stream) localRecord() error {
	at := s.in.offset
	b, f := s.localUnit()
	s.countLooked(len(b))
	var p part
	if f == nil {
		p, f = localPart(b[prefixSize : len(b)-prefixSize])
	}
	var err error
	if f != nil {
		err = s.skipLost(at, b, f)
	} else {
		p.place = Place{Container: s.container, Offset: at, Length: int64(len(b))}
		err = s.addPart(p)
	}
	s.in.skipBytes(len(b))
	s.noteFollowed(at)
	return err
}

// localUnit returns the record that comes next, or other bytes.
func (s *stream) localUnit() ([]byte, *fault) {
	b := s.in.peekBytes(sniffSize)
	if n := localFrame(b); n > 0 {
		return b[:n], nil
	}
	if len(b) >= prefixSize {
		if size := int64(binary.BigEndian.Uint32(b)) + 2*prefixSize; size <= int64(s.limits.Unit) {
			whole := s.in.peekBytes(int(size))
			if n := localFrame(whole); n > 0 {
				return whole, nil
			}
			b = s.in.peekBytes(sniffSize)
		}
	}
	for i := 1; i < len(b); i++ {
		if isLocal(b[i:]) {
			return b[:i], &fault{finding.SourceUnparseable, 0, "no record with its length before and behind it"}
		}
	}
	if len(b) < sniffSize && (len(b) < 2*prefixSize || isLocal(b)) {
		return b, &fault{finding.SourcePartialTail, 0, "the file ends within a record"}
	}
	return b, &fault{finding.SourceUnparseable, 0, "no record with its length before and behind it"}
}

// localPart reads a record.
func localPart(b []byte) (p part, f *fault) {
	w := wire{b: b}
	partial := false
	for w.nextField() && !w.cut {
		switch {
		case w.is(localSource):
			p.key = "local " + string(w.v)
		case w.is(localLine):
			p.text = w.v
		case w.is(localMeta):
			p.setOrdinal(w.v)
		case w.typ != protowire.VarintType:
		case w.num == localTime:
			p.time = int64(w.u)
		case w.num == localPartial:
			partial = w.u != 0
		}
	}
	if w.bad >= 0 || w.cut {
		return p, &fault{finding.SourceUnparseable, 0, "a record is damaged"}
	}
	if p.ordinal == 0 {
		p.last = !partial
	}
	return p, nil
}

// setOrdinal reads a record's statement on its part of a line.
func (p *part) setOrdinal(b []byte) {
	w := wire{b: b}
	for w.nextField() && !w.cut {
		switch {
		case w.is(metaID):
			p.key += " " + string(w.v)
		case w.typ != protowire.VarintType:
		case w.num == metaLast:
			p.last = w.u != 0
		case w.num == metaOrdinal:
			p.ordinal = int(int32(w.u))
		}
	}
	p.ordinal = max(p.ordinal, 0)
}
