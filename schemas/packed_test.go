package schemas

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the archive of all schemas anew")

// TestPacked: the program embeds the files of this folder, all and no others.
func TestPacked(t *testing.T) {
	want := map[string]json.RawMessage{}
	for _, path := range must.Get(filepath.Glob("*.schema.json"))(t) {
		var b bytes.Buffer
		text := must.Get(os.ReadFile(path))(t)
		must.Do(t, json.Compact(&b, text))
		want[strings.TrimSuffix(path, ".schema.json")] = b.Bytes()
		var indented bytes.Buffer
		must.Do(t, json.Indent(&indented, b.Bytes(), "", "  "))
		check.That(t, indented.String()+"\n" == string(text), "%s is not indented by two spaces", path)
	}
	equal := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	got, err := unpackFiles(packed)
	if *update && (err != nil || !maps.EqualFunc(got, want, equal)) {
		z := must.Get(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression)))(t)
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		must.Do(t, e.Encode(want))
		packed = z.EncodeAll(b.Bytes(), nil)
		must.Do(t, os.WriteFile("schemas.json.zst", packed, 0o644))
		got, err = unpackFiles(packed)
	}
	check.That(t, err == nil && len(want) > 0 && maps.EqualFunc(got, want, equal),
		"schemas.json.zst has other schemas (%v): go generate ./schemas", err)
}
