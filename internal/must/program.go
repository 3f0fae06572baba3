package must

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program. Where it is missing, the test is
// skipped; in CI it fails, so that a skipped test is not taken for a passed one.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("the program %s is missing: %v", name, err)
	default:
		t.Skipf("the program %s is missing: %v", name, err)
	}
	return path
}
