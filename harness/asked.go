package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteAsked writes the files of the case in docs/case.md below a folder: the scene revoked as
// the folder scene, and three collected files. It returns the paths of those.
func WriteAsked(dir string) (collected []string, err error) {
	scene, err := Build("revoked", 1, Options{})
	if err != nil {
		return nil, err
	}
	if err := scene.Write(filepath.Join(dir, "scene")); err != nil {
		return nil, err
	}
	files := scene.Files()
	lines := slices.Collect(strings.Lines(string(files["journals/mesh-berlin-1.ndjson"])))
	altered := strings.Replace(lines[3], `"occurred_at":"2026`, `"occurred_at":"2025`, 1)
	for _, file := range [][2]string{
		{"berlin.ndjson", strings.Join(slices.Concat(lines[:9], lines[12:]), "")},
		{"loki.ndjson", altered + lines[4] + lines[5] + "{\"body\":\n"},
		{"tenant.ndjson", string(files[tenantFile])},
	} {
		path := filepath.Join(dir, file[0])
		if err := os.WriteFile(path, []byte(file[1]), 0o600); err != nil {
			return nil, err
		}
		collected = append(collected, path)
	}
	return collected, nil
}
