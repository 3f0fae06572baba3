//go:build heavy

package house_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestStatic: make build makes programs that need no loader and no library of the system,
// with a C compiler or without, and svc-verify stays small.
func TestStatic(t *testing.T) {
	here, err := os.Getwd()
	must.Do(t, err)
	bin, err := filepath.Rel(here, t.TempDir()) // the recipe of the service goes up from its folder
	must.Do(t, err)
	if out, err := exec.Command("make", "build", "BIN="+bin).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"svc-verify", "svc-harness", "svc-edge"} {
		f, err := elf.Open(filepath.Join(bin, name))
		must.Do(t, err)
		defer f.Close()
		for _, p := range f.Progs {
			check.That(t, p.Type != elf.PT_INTERP && p.Type != elf.PT_DYNAMIC,
				"%s is linked dynamically: build it with CGO_ENABLED=0", name)
		}
	}
	const most = 31_500_000 // half a MB of it validates schemas
	if info, err := os.Stat(filepath.Join(bin, "svc-verify")); err != nil || info.Size() > most {
		t.Errorf("svc-verify: expected at most %d bytes, found %d: %v", most, info.Size(), err)
	}
}
