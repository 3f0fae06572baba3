package clitest

import "testing"

func TestSlip(t *testing.T) {
	for text, want := range map[string]string{
		"mesh-oslo-1 has ended: <nil>":       "<nil>",
		`the nodes are ["a" "b"]`:            `["`,
		"read %!s(int=4)":                    "%!",
		"found map[a:1]":                     "map[",
		"found &{a}":                         "&{",
		"at least 2 distinct witness" + "s":  "sss",
		"2 branchs":                          "chs",
		"2 copys":                            "ys",
		"a *rsa.PublicKey":                   "*rsa.P",
		`expected one of a, b, found "c"`:    "",
		"[PATH...] is missing; keys, ways":   "",
		"at least 2 distinct witnesses":      "",
		"0 of 2 nodes, 100% of them, & more": "",
	} {
		if found := Slip(text); (found == "") != (want == "") {
			t.Errorf("%s: %q, want %q", text, found, want)
		}
	}
}
