package must

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// WriteFile writes a file, and the folders above it, and returns its path.
func WriteFile[C ~string | ~[]byte](t T, path string, content C) string {
	t.Helper()
	Do(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600))
	return path
}

// WriteFiles writes files below a folder, and returns it. A name that ends with a slash is a folder's.
func WriteFiles[C ~string | ~[]byte](t T, dir string, files map[string]C) string {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			Do(t, os.MkdirAll(path, 0o700))
			continue
		}
		WriteFile(t, path, content)
	}
	return dir
}

// Rows reads a table: a row on each line, whose fields are quoted as in Go. Lines that begin with "#" are comments.
func Rows(t T, path ...string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(string(Get(os.ReadFile(filepath.Join(path...)))(t))) {
		var row []string
		for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimSpace(line) {
			field := Get(strconv.QuotedPrefix(line))(t)
			row, line = append(row, Get(strconv.Unquote(field))(t)), line[len(field):]
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// Pairs returns the names of files, in order, each with its content.
func Pairs[C ~string | ~[]byte](files map[string]C) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, name, string(files[name]))
	}
	return all
}

// Tar packs files, each a name and its content. A name that ends with a slash is a folder's.
func Tar(files ...string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for pair := range slices.Chunk(files, 2) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: pair[0], Mode: 0o600, Size: int64(len(pair[1]))}
		if strings.HasSuffix(pair[0], "/") {
			h.Typeflag = tar.TypeDir
		}
		Have(0, w.WriteHeader(h))
		Have(io.WriteString(w, pair[1]))
	}
	Have(0, w.Close())
	return b.String()
}

// Zip packs files as Tar does, each by the same method.
func Zip(method uint16, files ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for pair := range slices.Chunk(files, 2) {
		Have(io.WriteString(Have(w.CreateHeader(&zip.FileHeader{Name: pair[0], Method: method})), pair[1]))
	}
	Have(0, w.Close())
	return b.String()
}

// Gzip compresses a content.
func Gzip[C ~string | ~[]byte](content C) C {
	var b bytes.Buffer
	w := Have(gzip.NewWriterLevel(&b, gzip.BestCompression))
	Have(w.Write([]byte(content)))
	Have(0, w.Close())
	return C(b.Bytes())
}
