package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// file is a file of a release or of an archive. The name of a folder ends with a slash.
type file struct {
	name string
	mode int64 // in an archive
	data []byte
}

// tarOf returns files as a tar archive. They belong to no one, and have the same time.
func tarOf(files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode,
			Size: int64(len(f.data)), ModTime: when}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// gzipOf compresses data. The frame has neither a name nor a time.
func gzipOf(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// tarGz returns files as a compressed tar archive.
func tarGz(files []file, when time.Time) ([]byte, error) {
	archive, err := tarOf(files, when)
	if err != nil {
		return nil, err
	}
	return gzipOf(archive)
}

// zipOf returns files as a zip archive.
func zipOf(files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		h.SetMode(fs.FileMode(f.mode)) // #nosec G115 -- permissions
		entry, err := w.CreateHeader(h)
		if err == nil {
			_, err = entry.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
