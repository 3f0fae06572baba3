package read

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestRespell(t *testing.T) {
	for _, row := range must.Rows(t, "testdata", "respell.txt") {
		text, want := row[0], row[1]
		got, changed := Respell([]byte(text))
		if !changed {
			got = nil
		}
		check.That(t, string(got) == want, "%s: %q, want %q", text, got, want)
	}
}

// TestRespellKeepsTheValue: a number that is respelt is the same number.
func TestRespellKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		must.That(t, json.Valid([]byte(text)), "%v", text)
		value, _ := new(big.Rat).SetString(text)
		got, changed := Respell([]byte(text))
		if !changed {
			got = []byte(text)
		}
		again, ok := new(big.Rat).SetString(string(got))
		check.That(t, ok && again.Cmp(value) == 0, "%s became %s", text, got)
		check.That(t, !changed || !strings.ContainsAny(string(got), ".eE"), "%s became %s", text, got)
	})
}
