package confined

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/linkedin/goavro/v2"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// avroMagic begins every object container file, and avroSync is the size of the marker
// behind its header and each of its blocks.
const (
	avroMagic = "Obj\x01"
	avroSync  = 16
)

// mostBlock bounds a block, also when it is decompressed.
const mostBlock = 64 << 20

func init() { goavro.MaxBlockCount, goavro.MaxBlockSize = 1<<24, mostBlock }

// avroFile is Avro files, one behind the other. The framing is read here, so that a damaged
// block costs itself; the library reads schemas and values.
type avroFile struct {
	*output
	r      *io.SectionReader
	at     int64
	codec  *goavro.Codec
	packed string // how blocks are compressed
	marker []byte
	row    rows.Text
}

// decodeAvro writes the values of Avro files.
func decodeAvro(r *io.SectionReader, o *output) error {
	a := &avroFile{output: o, r: r}
	for a.at < r.Size() {
		if string(a.peekBytes(len(avroMagic))) == avroMagic {
			if err := a.readHeader(); err != nil {
				return err
			}
			continue
		}
		err := a.readBlock()
		if err == nil {
			continue
		}
		if fault := (*Fault)(nil); errors.As(err, &fault) {
			return err
		}
		a.writeNote(err)
		a.passDamage()
	}
	return nil
}

// peekBytes returns up to n of the next bytes.
func (a *avroFile) peekBytes(n int) []byte {
	b := make([]byte, max(0, min(int64(n), a.r.Size()-a.at)))
	n, _ = a.r.ReadAt(b, a.at)
	return b[:n]
}

// readNumber reads a number of variable size.
func (a *avroFile) readNumber() (int64, error) {
	v, n := binary.Varint(a.peekBytes(binary.MaxVarintLen64))
	if n <= 0 {
		if a.r.Size()-a.at < binary.MaxVarintLen64 {
			return 0, &Fault{Truncated, "it ends within a number"}
		}
		return 0, errors.New("a number without an end")
	}
	a.at += int64(n)
	return v, nil
}

// readField reads bytes with their length before them.
func (a *avroFile) readField() ([]byte, error) {
	n, err := a.readNumber()
	if err != nil || n < 0 || n > mostBlock {
		return nil, errors.Join(err, errHeader)
	}
	b := a.peekBytes(int(n))
	a.at += int64(len(b))
	if int64(len(b)) < n {
		return nil, &Fault{Truncated, "it ends within the header of an Avro file"}
	}
	return b, nil
}

var errHeader = &Fault{Damaged, "the header of an Avro file is damaged"}

// readHeader reads the header of a file: its schema, its compression and its marker.
func (a *avroFile) readHeader() error {
	a.at += int64(len(avroMagic))
	about := map[string][]byte{}
	for {
		count, err := a.readNumber()
		if err != nil {
			return err
		}
		if count == 0 {
			break
		}
		if count < 0 { // the size of this part follows
			count = -count
			if _, err := a.readNumber(); err != nil {
				return err
			}
		}
		for ; count > 0; count-- {
			key, err := a.readField()
			if err != nil {
				return err
			}
			if about[string(key)], err = a.readField(); err != nil {
				return err
			}
		}
	}
	if a.marker = a.peekBytes(avroSync); len(a.marker) < avroSync {
		return &Fault{Truncated, "it ends within the header of an Avro file"}
	}
	a.at += avroSync
	a.packed = string(about["avro.codec"])
	var err error
	if a.codec, err = goavro.NewCodec(string(about["avro.schema"])); err != nil {
		return &Fault{Damaged, "the header of an Avro file: " + err.Error()}
	}
	if _, err = unpackBlock(a.packed, nil); errors.Is(err, errCodec) {
		return &Fault{Unknown, fmt.Sprintf("its blocks are compressed with %q", a.packed)}
	}
	return nil
}

// readBlock reads a block. A Fault means that nothing follows.
func (a *avroFile) readBlock() error {
	start := a.at
	count, err := a.readNumber()
	if err != nil {
		return err
	}
	size, err := a.readNumber()
	if err != nil {
		return err
	}
	if count < 0 || size < 0 || size > mostBlock {
		a.at = start
		return errors.New("no length of a block")
	}
	b := a.peekBytes(int(size) + avroSync)
	cut := len(b) < int(size)+avroSync
	if !cut && !bytes.Equal(b[size:], a.marker) {
		a.at = start
		return errors.New("a block without its marker")
	}
	a.at += int64(len(b))
	read, err := a.writeValues(b[:min(int64(len(b)), size)], count)
	if cut {
		return &Fault{Truncated, fmt.Sprintf("it ends within a block of %d values, and %d are whole", count, read)}
	}
	if err != nil {
		a.writeNote(fmt.Errorf("a block of %d values, and %d could be read: %w", count, read, err))
	}
	return nil
}

// passDamage continues after the next marker.
func (a *avroFile) passDamage() {
	const step = 1 << 20
	for a.at++; a.at < a.r.Size(); a.at += step {
		if i := bytes.Index(a.peekBytes(step+avroSync), a.marker); i >= 0 {
			a.at += int64(i) + avroSync
			return
		}
	}
}

// writeValues writes the values of a block, as far as they can be read, and returns how many.
func (a *avroFile) writeValues(packed []byte, count int64) (read int64, err error) {
	b, wrong := unpackBlock(a.packed, packed)
	for ; read < count; read++ {
		var v any
		if v, b, err = a.codec.NativeFromBinary(b); err != nil {
			return read, errors.Join(wrong, err)
		}
		a.row.Open()
		record, ok := v.(map[string]any)
		if !ok {
			record = map[string]any{"value": v}
		}
		appendMembers(&a.row, record)
		a.output.writeRow(a.row.Close())
	}
	return read, wrong
}

// unionName reports whether a name is the name of a type of Avro, which the library puts
// around the value of a union.
func unionName(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	switch base {
	case "boolean", "int", "long", "float", "double", "bytes", "string", "array", "map", "fixed":
		return true
	}
	return false
}
