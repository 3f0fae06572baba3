package schemas

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestNames: schemas are only ever added.
func TestNames(t *testing.T) {
	want := strings.Fields(string(must.Get(os.ReadFile(filepath.Join("testdata", "names.txt")))(t)))
	got := Names()
	check.That(t, slices.Equal(got, want), "Names() = %q, want %q", got, want)
}

// TestSources holds every schema to the house rules: its id and draft, closed
// objects, a description of every member, a bound on every list, and no
// reference beyond the embedded files.
func TestSources(t *testing.T) {
	for _, name := range append(Names(), shared) {
		text := must.Get(Source(name))(t)
		var s map[string]any
		must.OK(t, json.Unmarshal(text, &s), "%s", name)
		id, _, _ := strings.Cut(ID(name), "#")
		check.That(t, s["$id"] == id && s["$schema"] == "https://json-schema.org/draft/2020-12/schema",
			"%s: $id %v, $schema %v", name, s["$id"], s["$schema"])
		inspect(t, name, s)
	}
	for _, name := range []string{"", "../schemas", "bundle.schema.json", "nothing"} {
		_, err := Source(name)
		check.That(t, err != nil, "Source(%q) gave a text", name)
	}
}

func inspect(t *testing.T, place string, v any) {
	if list, ok := v.([]any); ok {
		for _, element := range list {
			inspect(t, place, element)
		}
		return
	}
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	if ref, ok := s["$ref"].(string); ok && !strings.HasPrefix(ref, urnPrefix) && !strings.HasPrefix(ref, "#/$defs/") {
		t.Errorf("%s refers to %q", place, ref)
	}
	check.That(t, s["type"] != "array" || s["maxItems"] != nil, "%s: a list without a bound", place)
	if members, ok := s["properties"].(map[string]any); ok && s["additionalProperties"] == false {
		for name, m := range members {
			if d, ok := m.(map[string]any); !ok || d["description"] == nil {
				t.Errorf("%s: %s has no description", place, name)
			}
		}
	}
	for key, inner := range s {
		inspect(t, place+"/"+key, inner)
	}
}
