//go:build heavy

package main

import (
	"bytes"
	"os/exec"
	"testing"
)

// TestNoRoomForLedger: a full disk ends a check with 2, and the records written so far are of
// use: with room, the next one ends well.
func TestNoRoomForLedger(t *testing.T) {
	k := crowd(t)
	for _, blocks := range []string{"0", "1", "16", "128", "256"} {
		c := exec.Command("sh", "-c", `trap '' XFSZ; ulimit -f "$1"; shift; exec "$@"`, "sh",
			blocks, // #nosec G204 -- made here
			"svc-verify", "archive", "check", k.dir, "--ledger", k.ledger, "--trust", k.trust)
		out, _ := c.CombinedOutput() // the exit code shows the error
		if code := c.ProcessState.ExitCode(); code != 2 || bytes.Contains(out, []byte("goroutine")) {
			t.Errorf("%s blocks: exit code %d\n%s", blocks, code, out)
		}
	}
	k.must(t, 0)
	k.must(t, 0)
}
