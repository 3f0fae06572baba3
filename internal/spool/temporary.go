package spool

import (
	"errors"
	"os"
)

// Temporary is a file that only its user can read. It has no name where the system
// allows that, so that a kill leaves nothing behind. It must come from [Create].
type Temporary struct {
	*os.File
	named bool // the file still has its name
}

// Create returns an empty file in dir or, if dir is "", where temporary files usually
// are.
func Create(dir string) (*Temporary, error) {
	f, err := os.CreateTemp(dir, "svc-verify-")
	if err != nil {
		return nil, err
	}
	named := os.Remove(f.Name()) != nil // a file in use keeps its name on some systems
	return &Temporary{f, named}, nil
}

// Close removes the file.
func (t *Temporary) Close() error {
	err := t.File.Close()
	if t.named {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}
