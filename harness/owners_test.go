package harness

import (
	"os"
	"path/filepath"
	"testing"

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
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Errorf("%s %s: %v", section, id, err)
			}
		}
	}
	if want < 6 {
		t.Errorf("the trust file has %d members", want)
	}
}
