//go:build heavy

package main

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/svc-edge/svc-verify/internal/must"
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

func gzipOf(text string) []byte { return []byte(must.Gzip(text)) }

func zstdOf(text string) []byte {
	return written(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }, text)
}

func xzOf(text string) []byte {
	return written(func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }, text)
}

func zlibOf(text string) []byte {
	return written(func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }, text)
}

func snappyOf(text string) []byte {
	return written(func(w io.Writer) (io.WriteCloser, error) { return snappy.NewBufferedWriter(w), nil }, text)
}

func unbase64(text string) []byte { return must.Have(base64.StdEncoding.DecodeString(text)) }

func tarOf(members files) []byte { return []byte(must.Tar(must.Pairs(members)...)) }

func zipOf(members files, method uint16) []byte {
	return []byte(must.Zip(method, must.Pairs(members)...))
}
