package schemas

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the archive of all schemas anew")

// TestPacked: the program embeds the files of this folder, all and no others.
func TestPacked(t *testing.T) {
	want := map[string]string{}
	for _, path := range must.Get(filepath.Glob("*.schema.json"))(t) {
		want[strings.TrimSuffix(path, ".schema.json")] = string(must.Get(os.ReadFile(path))(t))
	}
	got, err := unpackTexts(packed)
	if *update && (err != nil || !maps.Equal(got, want)) {
		z := must.Get(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression)))(t)
		packed = z.EncodeAll(must.Get(json.Marshal(want))(t), nil)
		must.Do(t, os.WriteFile("schemas.json.zst", packed, 0o644))
		got, err = unpackTexts(packed)
	}
	if err != nil || len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("schemas.json.zst has other schemas (%v): go generate ./schemas", err)
	}
}
