package read

import (
	"encoding/binary"
	"unicode/utf16"
)

// files reads the names of files.
func (r *sevenReader) files() []sevenFile {
	n := r.count()
	if n > len(r.b) { // each has a name
		r.fail()
		return nil
	}
	files := make([]sevenFile, n)
	for !r.bad {
		id := r.number()
		if id == sevenEnd {
			return files
		}
		p := &sevenReader{b: r.take(r.number()), limit: r.limit}
		switch id {
		case sevenNoStream:
			for i, no := range p.bits(n) {
				files[i].noStream = no
			}
		case sevenEmptyFile:
			p.emptyFiles(files)
		case sevenNames:
			p.names(files)
		case sevenAttributes:
			p.attributes(files)
		}
		if p.bad {
			r.fail()
		}
	}
	return nil
}

// emptyFiles reads which of the files without a stream are files.
func (r *sevenReader) emptyFiles(files []sevenFile) {
	n := 0
	for i := range files {
		if files[i].noStream {
			n++
		}
	}
	empty := r.bits(n)
	for i := range files {
		if files[i].noStream && len(empty) > 0 {
			files[i].emptyFile, empty = empty[0], empty[1:]
		}
	}
}

// names reads names in UTF-16, each with a zero behind it.
func (r *sevenReader) names(files []sevenFile) {
	if r.octet() != 0 {
		r.fail()
		return
	}
	for i := range files {
		var units []uint16
		for {
			b := r.take(2)
			if b == nil {
				return
			}
			unit := binary.LittleEndian.Uint16(b)
			if unit == 0 {
				break
			}
			units = append(units, unit)
		}
		files[i].name = string(utf16.Decode(units))
	}
}

// attributes reads the modes of files that were packed on Unix.
func (r *sevenReader) attributes(files []sevenFile) {
	known := make([]bool, len(files))
	if r.octet() == 0 {
		copy(known, r.bits(len(files)))
	} else {
		for i := range known {
			known[i] = true
		}
	}
	if r.octet() != 0 {
		r.fail()
		return
	}
	for i := range files {
		if !known[i] {
			continue
		}
		if b := r.take(4); b != nil {
			if a := binary.LittleEndian.Uint32(b); a&sevenUnixAttributes != 0 {
				files[i].mode = a >> 16
			}
		}
	}
}
