package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostMembers is how many bytes of an archive are read to name the members that differ.
const mostMembers = 1 << 30

// digests are SHA-256 digests and the other things to compare, by the names of files.
type digests map[string]string

// compareReleases names the differences between two releases: files and, of archives, members.
// A signature is not compared, as no one else can make it.
func compareReleases(a, b string) (differences []string, err error) {
	inA, errA := readFolder(a)
	inB, errB := readFolder(b)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	for _, line := range inA.differingFiles(inB) {
		differences = append(differences, line)
		if name, both := strings.CutSuffix(line, ": differs"); both {
			differences = append(differences, compareMembers(filepath.Join(a, name), filepath.Join(b, name))...)
		}
	}
	return differences, nil
}

// readFolder returns the digests of the files in a folder but for signatures.
func readFolder(folder string) (digests, error) {
	entries, err := os.ReadDir(folder)
	all := digests{}
	for _, e := range entries {
		switch {
		case e.Name() == signatureName:
			continue
		case !e.Type().IsRegular() || !plainName.MatchString(e.Name()):
			return nil, fmt.Errorf("%q in the folder is no file of a release", e.Name())
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name())) // #nosec G304 -- the folder is given
		if err != nil {
			return nil, err
		}
		all[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no release in %s", folder)
	}
	return all, err
}

// differingFiles names the files whose digests differ.
func (a digests) differingFiles(b digests) (all []string) {
	for name, digest := range a {
		if other, both := b[name]; !both {
			all = append(all, name+": is only in the first")
		} else if digest != other {
			all = append(all, name+": differs")
		}
	}
	for name := range b {
		if _, both := a[name]; !both {
			all = append(all, name+": is only in the second")
		}
	}
	slices.Sort(all)
	return all
}

// compareMembers names the members in which two archives differ.
func compareMembers(a, b string) (all []string) {
	inA, errA := readMembers(a)
	inB, errB := readMembers(b)
	if err := errors.Join(errA, errB); err != nil {
		return []string{fmt.Sprintf("    its members cannot be read: %q", err)}
	}
	for _, line := range inA.differingFiles(inB) {
		all = append(all, "    "+line)
	}
	return all
}

// readMembers returns the digests of the members of an archive. Another file has none.
func readMembers(path string) (digests, error) {
	data, err := os.ReadFile(path) // #nosec G304 -- the folder is given
	r := bytes.NewReader(data)
	switch {
	case err != nil:
		return nil, err
	case strings.HasSuffix(path, ".zip"):
		return zipMembers(r)
	case strings.HasSuffix(path, ".tar.gz"):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return tarMembers(z)
	case strings.HasSuffix(path, ".tar"):
		return tarMembers(r)
	}
	return nil, nil
}

func tarMembers(r io.Reader) (digests, error) {
	all := digests{}
	for t := tar.NewReader(io.LimitReader(r, mostMembers)); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if err := all.addMember(h.FileInfo(), h.Name, t); err != nil {
			return nil, err
		}
	}
}

func zipMembers(r *bytes.Reader) (digests, error) {
	z, err := zip.NewReader(r, r.Size())
	if err != nil {
		return nil, err
	}
	all, left := digests{}, int64(mostMembers)
	for _, f := range z.File {
		content, err := f.Open()
		if err != nil {
			return nil, err
		}
		limited := &io.LimitedReader{R: content, N: left}
		if err := all.addMember(f.FileInfo(), f.Name, limited); err != nil {
			return nil, err
		}
		left = limited.N
	}
	return all, nil
}

// addMember adds the digest of a member, with its mode and its time.
func (a digests) addMember(info fs.FileInfo, name string, content io.Reader) error {
	h := sha256.New()
	_, err := io.Copy(h, content)
	a[fmt.Sprintf("%q", name)] += fmt.Sprintf("%x %s %d ", h.Sum(nil), info.Mode(), info.ModTime().Unix())
	return err
}
