package confined

import (
	"errors"
	"io"
	"io/fs"
	"strconv"

	"github.com/nwaples/rardecode/v2"
)

// mostDictionary bounds the memory in which an archive of RAR looks back.
const mostDictionary = 128 << 20

// decodeRar writes the members of a RAR archive.
func decodeRar(r *io.SectionReader, o *output) error {
	seen := &slowReader{SectionReader: r}
	z, err := rardecode.NewReader(seen, rardecode.MaxDictionarySize(mostDictionary))
	for err == nil {
		var h *rardecode.FileHeader
		if h, err = z.Next(); err != nil {
			break
		}
		switch {
		case h.IsDir:
		case h.LinkType != 0 || h.Mode()&fs.ModeType != 0:
			err = o.writeNamed(Link, h.Name)
		default:
			err = o.writeMember(h.Name, func() (io.Reader, error) { return rarContent{z}, nil })
		}
	}
	if err != io.EOF {
		return rarFault(err)
	}
	if seen.n < r.Size() {
		o.writeNote(&Fault{Behind, strconv.FormatInt(seen.n, 10)})
	}
	return nil
}

// slowReader counts the bytes read. Towards its end it gives a byte at a time, so that the
// library, which reads ahead, shows where the archive ends.
type slowReader struct {
	*io.SectionReader
	n int64
}

// Read implements io.Reader.
func (s *slowReader) Read(p []byte) (int, error) {
	const end = 256 << 10
	if len(p) > 1 && s.Size()-s.n <= int64(end+len(p)) {
		p = p[:1]
	}
	n, err := s.SectionReader.Read(p)
	s.n += int64(n)
	return n, err
}

// rarContent is the content of a member.
type rarContent struct{ r *rardecode.Reader }

// Read implements io.Reader.
func (c rarContent) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		err = rarFault(err)
	}
	return n, err
}

// rarFaults are the statuses of the library's errors; others are damage.
var rarFaults = map[error]Status{
	rardecode.ErrArchiveEncrypted: Unknown, rardecode.ErrArchivedFileEncrypted: Unknown,
	rardecode.ErrBadPassword: Unknown, rardecode.ErrUnknownEncryptMethod: Unknown,
	rardecode.ErrUnsupportedDecoder: Unknown, rardecode.ErrUnknownDecoder: Unknown,
	rardecode.ErrMultipleDecoders: Unknown, rardecode.ErrUnknownVersion: Unknown,
	rardecode.ErrMultiVolume: Truncated, rardecode.ErrUnexpectedArcEnd: Truncated,
	rardecode.ErrShortFile: Truncated, rardecode.ErrDecoderOutOfData: Truncated,
	rardecode.ErrDictionaryTooLarge: TooLarge,
}

// rarFault gives an error its status.
func rarFault(err error) error {
	for known, status := range rarFaults {
		if errors.Is(err, known) {
			return &Fault{status, err.Error()}
		}
	}
	return err
}
