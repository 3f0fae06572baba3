package entry

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/internal/must"
)

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
