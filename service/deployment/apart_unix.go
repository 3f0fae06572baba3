//go:build unix

package deployment

import (
	"os/exec"
	"syscall"
)

// apart puts a process in a group of its own.
func apart(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
