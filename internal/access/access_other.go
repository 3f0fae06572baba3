//go:build !unix && !windows

package access

import (
	"errors"
	"os"
)

// Check fails: a system without permissions cannot show who may use a file.
func Check(*os.File, Others) error { return errors.New("a system without permissions") }
