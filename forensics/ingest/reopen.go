package ingest

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
)

// Files are a file, or the volumes of one, that are opened by their paths.
type Files struct {
	*joined
	before fs.FileInfo
}

// Open opens a file, or the volumes of one in their order. They are regular files; no
// link is followed.
func Open(paths ...string) (*Files, error) {
	var parts []part
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: expected a regular file, found %s", finding.SourceNotEvidence,
				access.KindOf(info.Mode().Type()))
		}
		parts = append(parts, part{path, info})
	}
	f := &Files{joined: newJoined(parts)}
	var err error
	f.before, err = f.Stat()
	return f, err
}

// Size is how many octets there were when the files were opened.
func (f *Files) Size() int64 { return f.before.Size() }

// Changed reports whether the files are no longer what they were when they were opened.
func (f *Files) Changed() (bool, error) {
	now, err := f.Stat()
	if err != nil {
		return false, err
	}
	return now.Size() != f.before.Size() || !now.ModTime().Equal(f.before.ModTime()), nil
}
