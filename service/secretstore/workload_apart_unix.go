//go:build unix

package secretstore

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// apart puts a command in a process group of its own, which is killed as a whole
// when the command's context ends. A process that has left the group stays.
func apart(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error {
		err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
