package ingest

import (
	"errors"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
)

// roots are the real paths of what was given: everything below them is read.
func roots(paths []string) (roots []string) {
	for _, path := range paths {
		if root, err := realPath(path); err == nil && path != "-" {
			roots = append(roots, root)
		}
	}
	return roots
}

// errLink says that a path is a symbolic link itself.
var errLink = errors.New("a symbolic link")

// realPath returns a path without symbolic links in it.
func realPath(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink != 0 {
		return "", errors.Join(err, errLink)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// link notes a symbolic link, which is never followed. Nothing is missing if its
// target is given as well: the kubelet keeps links to its logs in a folder of
// their own.
func (in *ingest) link(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		target, err = realPath(target)
	}
	if err == nil && in.gives(target) {
		const detail = "a symbolic link to what is given as well"
		if in.visitor != nil {
			return in.visitor.refuse(path, finding.SourceNoRecord, detail)
		}
		return in.w.Excuse(casefile.Unread{Path: path, Code: string(finding.SourceNoRecord), Detail: detail},
			string(finding.SourceNotEvidence))
	}
	return in.refuse(path, finding.SourceNotEvidence, "a symbolic link, which is not followed")
}

// gives reports whether a real path is below what was given, now or before.
func (in *ingest) gives(target string) bool {
	info, err := os.Lstat(target)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	for _, root := range in.roots {
		if target == root || strings.HasPrefix(target,
			strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			return true
		}
	}
	if len(in.earlier.source) == 0 {
		return false
	}
	_, ok := in.earlier.source[maphash.String(in.earlier.seed, target)]
	return ok
}
