package forge

import (
	"encoding/hex"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestDER: the notation gives the bytes that it describes, and wrong notation is refused.
func TestDER(t *testing.T) {
	for notation, want := range map[string]string{
		"":                            "",
		"05 00":                       "0500",
		"30(0500 04(00))":             "30050500040100",
		"82('a.example')":             "8209612e6578616d706c65",
		"04(3*'ab' '12')":             "04086162616261623132",
		"30({2.5.29.17} 04(300*'a'))": "30820135" + "0603551d11" + "0482012c" + hex.EncodeToString(repeatText("a", "300")),
	} {
		got, err := DER(notation)
		check.That(t, err == nil && hex.EncodeToString(got) == want,
			"%s: expected %s, found %x, %v", notation, want, got, err)
	}
	for _, wrong := range []string{"0", "zz", "30(", "30(05", ")", "30)", "'a", "{2.5", "{2}", "{a.b}", "3*"} {
		got, err := DER(wrong)
		check.That(t, err != nil, "%s: %x", wrong, got)
	}
}
