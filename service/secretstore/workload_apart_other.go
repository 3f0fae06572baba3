//go:build !unix

package secretstore

import "os/exec"

// apart does nothing where there are no process groups: the command alone is
// killed when its context ends.
func apart(*exec.Cmd) {}
