package schemas_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
)

// TestNearMissesOfOutputs changes one value of a document of a program; the
// violation must be at that value.
func TestNearMissesOfOutputs(t *testing.T) {
	for _, f := range must.Get(txtar.ParseFile(filepath.Join("testdata", "outputs.txtar")))(t).Files {
		doc, misses, _ := strings.Cut(string(f.Data), "}\n")
		conforms(t, example{f.Name, []byte(doc + "}")})
		for line := range strings.Lines(misses) {
			pointer, values, _ := strings.Cut(line, " ")
			t.Run(f.Name+pointer, func(t *testing.T) {
				root := decode(t, []byte(doc+"}"))
				for _, value := range decodeValues(t, values) {
					set(t, root, pointer, value)
					if v := violations(t, f.Name, root); !slices.ContainsFunc(v,
						func(v schemas.Violation) bool { return v.Pointer == pointer }) {
						t.Errorf("%.60v: the violations are %v", value, v)
					}
				}
			})
		}
	}
}

// decodeValues reads values of JSON. N*LIST is a list that is repeated N times.
func decodeValues(t *testing.T, text string) (all []any) {
	t.Helper()
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		times, list, isRepeated := strings.Cut(text, "*[")
		n, err := strconv.Atoi(times)
		if isRepeated = isRepeated && err == nil; isRepeated {
			text = "[" + list
		}
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		var value any
		must.Do(t, d.Decode(&value))
		if text = text[d.InputOffset():]; isRepeated {
			value = slices.Repeat(value.([]any), n)
		}
		all = append(all, value)
	}
	return all
}
