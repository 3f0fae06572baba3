package listing

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxName is how long a name in a list can be, in bytes. No system has longer ones.
const maxName = 64 << 10

// mark is the byte order mark of UTF-8.
const mark = "\xef\xbb\xbf"

// ReadList hands take the names in a list, which is a file or [Stdin]. An error names the
// list, unless take returned it.
func ReadList(ctx context.Context, name string, stdin io.Reader, take func(string) error) error {
	r := stdin
	if name != Stdin {
		f, err := access.OpenRegular(name)
		if err != nil {
			return fmt.Errorf("reading the list %s: %w", safetext.Quote(name), access.WithoutPath(err))
		}
		defer f.Close()
		r = f
	}
	in, end := Unblocked(ctx, r)
	defer end()
	for path, err := range Names(in) {
		if err != nil {
			return fmt.Errorf("reading the list %s: %w", safetext.Quote(name), err)
		}
		if err := take(path); err != nil {
			return err
		}
	}
	return nil
}

// Names yields the paths of a list: one on each line, or ended by NUL if the first is.
// "-" is a file there. An error is the last thing that it yields.
func Names(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in := bufio.NewReaderSize(r, maxName)
		end, err := nameSeparator(in)
		for err == nil {
			var line []byte
			line, err = in.ReadSlice(end)
			if errors.Is(err, bufio.ErrBufferFull) {
				err = fmt.Errorf("expected names, found one of more than %d bytes", maxName)
				break
			}
			if name := listedName(line, end); name != "" && !yield(name, nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield("", access.WithoutPath(err))
		}
	}
}

// nameSeparator returns the byte that ends each name: NUL, if there is one where the first
// name must have ended, and else a line feed.
func nameSeparator(in *bufio.Reader) (byte, error) {
	head, err := in.Peek(maxName)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return 0, err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return 0, errors.New("expected names in UTF-8, found UTF-16")
	case bytes.IndexByte(head, 0) >= 0:
		return 0, nil
	case bytes.HasPrefix(head, []byte(mark)):
		_, err := in.Discard(len(mark))
		return '\n', err
	}
	return '\n', nil
}

// listedName is a name without its end. "-" is a file here.
func listedName(line []byte, end byte) string {
	name := bytes.TrimSuffix(line, []byte{end})
	if end == '\n' {
		name = bytes.TrimSuffix(name, []byte{'\r'})
	}
	if string(name) == Stdin {
		return "./" + Stdin
	}
	return string(name)
}
