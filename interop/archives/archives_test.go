package archives

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// peers is the folder that install.sh filled.
func peers(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("ARCHIVES_PEERS")
	if _, err := os.Stat(filepath.Join(folder, "python/bin/python")); folder == "" || err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("ARCHIVES_PEERS is %q: make archives installs what it names", folder)
		}
		t.Skip("make archives installs the peers")
	}
	return folder
}

// run runs a program, and returns both its streams and whether it accepts.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, accepts bool) {
	t.Helper()
	c := exec.Command(name, args...) // #nosec G204
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	must.That(t, c.ProcessState != nil, "%v", err)
	return out.String(), errs.String(), err == nil
}

// python runs a program in Python with the libraries of requirements.txt.
func python(t *testing.T, args ...string) (stdout, stderr string, accepts bool) {
	t.Helper()
	return run(t, filepath.Join(peers(t), "python/bin/python"), args...)
}

// TestPeers fails if a peer is not there.
func TestPeers(t *testing.T) {
	for _, library := range []string{"bagit", "cryptography"} {
		if _, said, ok := python(t, "-c", "import "+library); !ok {
			t.Errorf("%s: %s", library, said)
		}
	}
	for _, program := range []string{"xmllint", "openssl", "s3fs"} {
		check.Do(t, check.Err(exec.LookPath(program)))
	}
}
