package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestWriteOwners: there is a file for each key of the trust file, and for each pinned registry.
func TestWriteOwners(t *testing.T) {
	scene := must.Get(Build("rotated-keys", 1, Options{}))(t)
	dir := t.TempDir()
	must.Do(t, scene.WriteOwners(dir))
	want := 0
	for _, section := range []string{"audit_keys", "protected_signer_keys", "nodes", "registries"} {
		for id := range scene.Trust[section].(map[string]any) {
			want++
			name := id + ".pem"
			if section == "registries" {
				name = "registry-" + id + ".json"
			}
			check.OK(t, check.Err(os.Stat(filepath.Join(dir, filepath.FromSlash(name)))), "%s %s", section, id)
		}
	}
	check.That(t, want >= 6, "the trust file has %d members", want)
}
