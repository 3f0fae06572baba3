//go:build unix

package examine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// childEnv has a folder for the case and one with evidence for a process of this
// test that has no room.
const childEnv = "EXAMINE_TEST_CHILD"

func init() {
	if below, evidence, ok := strings.Cut(os.Getenv(childEnv), "\n"); ok {
		fmt.Println(withoutRoom(below, evidence))
		os.Exit(0)
	}
}

// withoutRoom reads evidence where no file can grow beyond a little, as on a full disk.
func withoutRoom(below, evidence string) error {
	signal.Ignore(syscall.SIGXFSZ)
	const most = 10 << 10
	must.Have(0, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}))
	root := must.Have(trust.Parse(must.Have(os.ReadFile(filepath.Join(evidence, fleet.TrustFile)))))
	e, err := ReadPaths(context.Background(), []string{evidence}, root, share.Options{Dir: below, Memory: 50_000})
	if errors.Is(err, ErrFull) {
		err = fmt.Errorf("full: %w", err)
	}
	if err == nil {
		err = e.Close()
	}
	return err
}

// TestNoRoom: a check without room on the disk reports that, and leaves nothing behind.
func TestNoRoom(t *testing.T) {
	dir, below := t.TempDir(), t.TempDir()
	writeScene(t, harness.Description{Name: "revoked"}, dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+below+"\n"+dir)
	out, err := cmd.CombinedOutput()
	check.That(t, err == nil && string(out) == "full: "+ErrFull.Error()+"\n", "%v: %s", err, out)
	empty(t, below)
}
