//go:build !linux

package secretstore

import (
	"os"
	"os/exec"
)

// itself has a command run the file at the path of the opened file. Between
// the check and the run another file could be put there: only Linux runs a file
// by its descriptor.
func itself(command *exec.Cmd, program *os.File) {
	command.Path, command.Err = program.Name(), nil
}
