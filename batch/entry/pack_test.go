package entry

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// tester is a test, also one of rapid.
type tester interface {
	Helper()
	Fatal(...any)
}

// packed is a member that the tests pack.
type packed struct{ name, data string }

func tarOf(t tester, members ...packed) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: 0o600, Size: int64(len(m.data))}
		if len(m.name) > 0 && m.name[len(m.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		must(t, w.WriteHeader(h))
		must2(t)(io.WriteString(w, m.data))
	}
	must(t, w.Close())
	return b.String()
}

// headersOf is an archive of members without content.
func headersOf(t tester, headers ...*tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		must(t, w.WriteHeader(h))
	}
	must(t, w.Close())
	return b.String()
}

func zipOf(t tester, method uint16, members ...packed) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
		must(t, err)
		must2(t)(io.WriteString(f, m.data))
	}
	must(t, w.Close())
	return b.String()
}

// zipOfSame is an archive that has the one member of another so many times.
func zipOfSame(t tester, one string, times int) string {
	t.Helper()
	from, err := zip.NewReader(strings.NewReader(one), int64(len(one)))
	must(t, err)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for range times {
		must(t, w.Copy(from.File[0]))
	}
	must(t, w.Close())
	return b.String()
}

func gzipOf(t tester, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must2(t)(io.WriteString(w, data))
	must(t, w.Close())
	return b.String()
}

func zstdOf(t tester, data string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	must(t, err)
	defer w.Close()
	return string(w.EncodeAll([]byte(data), nil))
}

// bzip2OfOne is "{}\n" as bzip2 packs it.
var bzip2OfOne = unbase64("QlpoOTFBWSZTWVfI3pYAAADAgAAQAAogACGYGYRhdyRThQkFfI3pYA==")

func unbase64(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must2(t tester) func(int, error) {
	return func(_ int, err error) {
		t.Helper()
		must(t, err)
	}
}
