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

	"github.com/svc-edge/svc-verify/internal/must"
)

// packed is a member that the tests pack.
type packed struct{ name, data string }

func tarOf(t must.T, members ...packed) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: 0o600, Size: int64(len(m.data))}
		if len(m.name) > 0 && m.name[len(m.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		must.Do(t, w.WriteHeader(h))
		must.Get(io.WriteString(w, m.data))(t)
	}
	must.Do(t, w.Close())
	return b.String()
}

// headersOf is an archive of members without content.
func headersOf(t must.T, headers ...*tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		must.Do(t, w.WriteHeader(h))
	}
	must.Do(t, w.Close())
	return b.String()
}

func zipOf(t must.T, method uint16, members ...packed) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f := must.Get(w.CreateHeader(&zip.FileHeader{Name: m.name, Method: method}))(t)
		must.Get(io.WriteString(f, m.data))(t)
	}
	must.Do(t, w.Close())
	return b.String()
}

// zipOfSame is an archive that has the one member of another so many times.
func zipOfSame(t must.T, one string, times int) string {
	t.Helper()
	from := must.Get(zip.NewReader(strings.NewReader(one), int64(len(one))))(t)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for range times {
		must.Do(t, w.Copy(from.File[0]))
	}
	must.Do(t, w.Close())
	return b.String()
}

func gzipOf(t must.T, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(io.WriteString(w, data))(t)
	must.Do(t, w.Close())
	return b.String()
}

func zstdOf(t must.T, data string) string {
	t.Helper()
	w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)))(t)
	defer w.Close()
	return string(w.EncodeAll([]byte(data), nil))
}

// bzip2OfOne is "{}\n" as bzip2 packs it.
var bzip2OfOne = unbase64("QlpoOTFBWSZTWVfI3pYAAADAgAAQAAogACGYGYRhdyRThQkFfI3pYA==")

func unbase64(s string) string {
	return string(must.Have(base64.StdEncoding.DecodeString(s)))
}
