package form

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
)

// Mode is how a part of a deployment behaves: as its file names it, or without a file as it was set.
type Mode[W ~string] struct {
	All  []W    // the first is the usual one
	File string // that names one; it may be absent, and then the usual one counts
	Log  *slog.Logger

	mu        sync.Mutex
	current   W
	complaint string // about the file
}

// Now returns the mode. A file that names none changes nothing.
func (m *Mode[W]) Now() W {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current == "" {
		m.current = m.All[0]
	}
	if m.File == "" {
		return m.current
	}
	b, err := os.ReadFile(m.File)
	mode := m.All[0]
	if err == nil {
		mode, err = OneOf(strings.TrimSpace(string(b)), m.All)
	}
	complaint := ""
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		m.current = mode
	} else if complaint = err.Error(); complaint != m.complaint {
		m.Log.Warn("the mode stays as it was", "mode", m.current, "file", m.File, "error", complaint)
	}
	m.complaint = complaint
	return m.current
}

// Set sets the mode, which must be one of them.
func (m *Mode[W]) Set(mode W) error {
	_, err := OneOf(string(mode), m.All)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.current = mode
	}
	return err
}
