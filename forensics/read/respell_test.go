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
	for text, want := range map[string]string{
		`7.0`:                           `7`,
		`7.`:                            ``,
		`7e0`:                           `7`,
		`7E+2`:                          `700`,
		`70e-1`:                         `7`,
		`75e-1`:                         ``,
		`7.5`:                           ``,
		`7.50e1`:                        `75`,
		`0.0`:                           `0`,
		`-0`:                            `0`,
		`-0.0e9`:                        `0`,
		`-7.0`:                          `-7`,
		`0e999999999999999999`:          `0`,
		`1e999999999999999999`:          ``,
		`1e-999999999999999999`:         ``,
		`1e40`:                          ``,
		`01.0`:                          ``,
		`7`:                             ``,
		`-7`:                            ``,
		`"7.0"`:                         ``,
		`"\"7.0"`:                       ``,
		`{"7.0":"7.0\\","a":[7.0,8.0]}`: `{"7.0":"7.0\\","a":[7,8]}`,
		`{"é":1.0, "x":true}`:           `{"é":1, "x":true}`,
		"\ufeff{}":                      `{}`,
		"\ufeff7.0":                     `7`,
		`"7.0`:                          ``,
		``:                              ``,
	} {
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
