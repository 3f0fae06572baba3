package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestManySeals: a bag of many seals and proofs is compared with few files open at a time.
func TestManySeals(t *testing.T) {
	s := newSealedScene(t)
	s.must(t, "archive export --ledger l.db --trust trust.json --seal s.seal --seal a.proof --out whole data")
	b, dir := bagFiles{}, filepath.Join(t.TempDir(), "bag")
	const many = 60
	for name, content := range must.FilesBelow(t, ".") {
		inner, ok := strings.CutPrefix(name, "whole/")
		if !ok {
			continue
		}
		b[inner] = content
		if sealed, ok := strings.CutPrefix(inner, "svc-verify/seals/"); ok {
			for i := range many {
				b[fmt.Sprintf("svc-verify/seals/%d-%s", i, sealed)] = content
			}
		}
	}
	b.writeTo(t, dir)
	var limit syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	low := limit
	low.Cur = uint64(len(must.Get(os.ReadDir("/proc/self/fd"))(t))) + 40
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low))
	code, stdout, stderr := call(nil, "archive", "verify", dir)
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	check.That(t, code == 0, "exit code %d\n%s%s", code, stdout, stderr)
}
