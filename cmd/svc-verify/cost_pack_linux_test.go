//go:build heavy

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// written is a text as a writer packs it.
func written(open func(io.Writer) (io.WriteCloser, error), text string) []byte {
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

func gzipOf(text string) []byte {
	return written(func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }, text)
}

func zstdOf(text string) []byte {
	return written(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }, text)
}

func tarOf(members files) []byte {
	return written(func(b io.Writer) (io.WriteCloser, error) {
		w := tar.NewWriter(b)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			content := members[name]
			if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o600}); err != nil {
				return nil, err
			}
			if _, err := w.Write(content); err != nil {
				return nil, err
			}
		}
		return w, nil
	}, "")
}

// zipped is a zip archive to which nothing more is written.
type zipped struct{ *zip.Writer }

func (zipped) Write([]byte) (int, error) { return 0, nil }

func zipOf(members files, method uint16) []byte {
	return written(func(b io.Writer) (io.WriteCloser, error) {
		w := zip.NewWriter(b)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			content := members[name]
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err != nil {
				return nil, err
			}
			if _, err := f.Write(content); err != nil {
				return nil, err
			}
		}
		return zipped{w}, nil
	}, "")
}
