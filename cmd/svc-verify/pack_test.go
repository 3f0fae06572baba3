package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptPack packs files: pack tar|tar.gz|zip|jsonl TO FILE...
func scriptPack(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	put, end := packer(args[0], &b)
	for _, name := range args[2:] {
		w, err := put(name, int64(len(ts.ReadFile(name))))
		ts.Check(err)
		_, err = io.WriteString(w, ts.ReadFile(name))
		ts.Check(err)
	}
	ts.Check(end())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}

// packer returns what begins a member and what ends the archive.
func packer(form string, b *bytes.Buffer) (put func(string, int64) (io.Writer, error), end func() error) {
	switch form {
	case "zip":
		w := zip.NewWriter(b)
		return func(name string, _ int64) (io.Writer, error) { return w.Create(name) }, w.Close
	case "jsonl":
		return func(string, int64) (io.Writer, error) {
			if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
				b.WriteByte('\n')
			}
			return b, nil
		}, func() error { return nil }
	case "tar.gz":
		z := gzip.NewWriter(b)
		put, end := tarPacker(z)
		return put, func() error {
			if err := end(); err != nil {
				return err
			}
			return z.Close()
		}
	}
	return tarPacker(b)
}

func tarPacker(to io.Writer) (func(string, int64) (io.Writer, error), func() error) {
	w := tar.NewWriter(to)
	return func(name string, size int64) (io.Writer, error) {
		return w, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600})
	}, w.Close
}

// scriptCut cuts octets off the end of a file: cut FILE TO N.
func scriptCut(ts *testscript.TestScript, _ bool, args []string) {
	less, err := strconv.Atoi(args[2])
	ts.Check(err)
	content := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(content[:len(content)-less]), 0o644))
}

// scriptSides writes both bundles of a contradiction file: sides FILE ONE OTHER.
func scriptSides(ts *testscript.TestScript, _ bool, args []string) {
	var c struct{ Bundles []struct{ Document string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &c))
	for i, b := range c.Bundles {
		doc, err := base64.RawURLEncoding.DecodeString(b.Document)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1+i]), doc, 0o644))
	}
}
