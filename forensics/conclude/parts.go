package conclude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// Suffix is how the names of parts end that are found in a directory.
const Suffix = ".part"

// Find returns the files of parts: a directory means all files in it, and none below it, whose
// names end in [Suffix].
func Find(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, &FileError{path, err}
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path) // in order
		if err != nil {
			return nil, &FileError{path, err}
		}
		before := len(files)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), Suffix) && !e.IsDir() {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
		if len(files) == before {
			return nil, &FileError{path, errors.New("expected files that end in " + Suffix + ", found none")}
		}
	}
	return files, nil
}

// FileError is an error about a file.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return safetext.Quote(e.Path) + ": " + access.WithoutPath(e.Err).Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// Parts are the parts of several files as one content.
type Parts struct {
	part.Content
	paths []string
	files []*part.File
}

// Open opens the parts of files. With a key, each must hold under it. The error names the file
// that is damaged, or those that do not join. Progress, if not nil, is called with the number
// of opened parts, by one goroutine at a time.
func Open(ctx context.Context, paths []string, key *part.Key, progress func(opened int)) (_ *Parts, err error) {
	p := &Parts{paths: paths, files: make([]*part.File, len(paths))}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if err := p.openAll(ctx, key, progress); err != nil {
		return nil, err
	}
	for i, f := range p.files {
		if i == 0 || f.Header() == p.files[0].Header() {
			continue
		}
		_, err := part.Merge(p.files[0], f)
		return nil, &PairError{paths[0], paths[i], err}
	}
	p.Content, err = part.Merge(p.files...)
	var overlaps *part.Overlaps
	if errors.As(err, &overlaps) {
		return nil, &PairError{p.holding(&overlaps.One), p.holding(&overlaps.Other), err}
	}
	return p, err
}

// PairError is an error about two parts that do not join.
type PairError struct {
	One, Other string
	Err        error
}

func (e *PairError) Error() string {
	return fmt.Sprintf("%s and %s: %v", safetext.Quote(e.One), safetext.Quote(e.Other), e.Err)
}

func (e *PairError) Unwrap() error { return e.Err }

// openAll opens all files, several at once. Of the files that cannot be opened, the error
// names the first.
func (p *Parts) openAll(ctx context.Context, key *part.Key, progress func(int)) error {
	var workers sync.WaitGroup
	var next atomic.Int64 // all before it are being opened
	var failed atomic.Bool
	var mu sync.Mutex
	opened, faults := 0, make([]error, len(p.paths))
	for range min(runtime.GOMAXPROCS(0), len(p.paths)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(p.paths)) && !failed.Load(); i = next.Add(1) - 1 {
				faults[i] = tasks.Guard(func() (err error) {
					p.files[i], err = part.OpenPath(ctx, p.paths[i], key)
					return err
				})
				if faults[i] != nil {
					failed.Store(true)
					return
				}
				mu.Lock()
				if opened++; progress != nil {
					progress(opened)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	for i, err := range faults {
		if err != nil && ctx.Err() == nil {
			return &FileError{p.paths[i], err}
		}
	}
	return ctx.Err()
}

// Files returns how many files there are.
func (p *Parts) Files() int { return len(p.files) }

// holding returns the first file that has a share.
func (p *Parts) holding(s *part.Share) string {
	for i, f := range p.files {
		if slices.ContainsFunc(f.Shares(), func(own part.Share) bool {
			return own.Source == s.Source && own.Range == s.Range
		}) {
			return p.paths[i]
		}
	}
	return p.paths[0]
}

// Close closes the files.
func (p *Parts) Close() (err error) {
	for _, f := range p.files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
