package batch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/form"
)

// maxLine is how long a line of a list can be, in bytes: a digest, and the longest
// path that a system has, with every byte of it escaped.
const maxLine = 64 << 10

// ReadDigests reads digests as sha256sum writes them: a digest, two spaces or a space and an
// asterisk, and a name; or with --tag "SHA256 (name) = digest". A backslash before that means
// that backslashes, line feeds and carriage returns in the name are escaped. Lines that are
// blank or begin with "#" are passed over, as sha256sum does. An error names the line that is
// wrong; a list without a digest is wrong too.
func ReadDigests(r io.Reader) (*ExpectedList, error) {
	return readList(r, "a digest", func(l *ExpectedList, line []byte, number int64) error {
		digest, name, ok := digestLine(line)
		var key [sha256.Size]byte
		if !ok || len(digest) != hex.EncodedLen(len(key)) || bytes.IndexByte(name, 0) >= 0 {
			return errDigest
		}
		if _, err := hex.Decode(key[:], digest); err != nil {
			return errDigest
		}
		l.add(key, name, number)
		return nil
	})
}

var errDigest = errors.New("expected a line of sha256sum, as DIGEST  NAME or SHA256 (NAME) = DIGEST")

// ReadTransactions reads the ids of transactions (SPEC 1.5), one on each line. Lines that are
// blank or begin with "#" are passed over. An error names the line that is wrong; a list
// without an id is wrong too.
func ReadTransactions(r io.Reader) (*ExpectedList, error) {
	return readList(r, "a transaction", func(l *ExpectedList, line []byte, number int64) error {
		if !form.Subject(line) {
			return errors.New("expected the id of a transaction: 1 to 100 characters out of A-Z a-z 0-9 . _ : @ -")
		}
		l.add(sha256.Sum256(line), line, number)
		return nil
	})
}

// readList reads a list of things.
func readList(r io.Reader, thing string, add func(*ExpectedList, []byte, int64) error) (*ExpectedList, error) {
	in := bufio.NewReaderSize(r, maxLine)
	l := &ExpectedList{}
	for number := int64(1); ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("line %d: expected at most %d bytes, found more", number, maxLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(bytes.Trim(line, " \t")) > 0 && line[0] != '#' {
			if err := add(l, line, number); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
		if err != nil {
			break
		}
	}
	if len(l.items) == 0 {
		return nil, fmt.Errorf("expected at least %s, found none", thing)
	}
	l.sort()
	return l, nil
}

// digestLine splits a line into a digest and a name.
func digestLine(line []byte) (digest, name []byte, ok bool) {
	line, escaped := bytes.CutPrefix(line, []byte(`\`))
	if tagged, is := bytes.CutPrefix(line, []byte("SHA256 (")); is {
		at := bytes.LastIndex(tagged, []byte(") = ")) // the name can have one, a digest cannot
		if at < 0 {
			return nil, nil, false
		}
		name, digest = tagged[:at], tagged[at+4:]
	} else {
		size := hex.EncodedLen(sha256.Size)
		if len(line) < size+2 || line[size] != ' ' || line[size+1] != ' ' && line[size+1] != '*' {
			return nil, nil, false
		}
		digest, name = line[:size], line[size+2:]
	}
	if !escaped {
		return digest, name, len(name) > 0
	}
	name, ok = unescapeName(name)
	return digest, name, ok && len(name) > 0
}

// unescapeName undoes the escapes of a name.
func unescapeName(name []byte) ([]byte, bool) {
	var b []byte
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			b = append(b, name[i])
			continue
		}
		if i++; i == len(name) {
			return nil, false
		}
		at := bytes.IndexByte([]byte(`\nr`), name[i])
		if at < 0 {
			return nil, false
		}
		b = append(b, "\\\n\r"[at])
	}
	return b, true
}
