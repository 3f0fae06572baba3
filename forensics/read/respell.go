package read

import (
	"bytes"
	"strconv"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// tokens are strings, and anything that a number can be.
var tokens = safetext.Pattern(`(?s)"(?:[^"\\]|\\.)*"?|[-+.0-9eE]+`)

// number is a number of JSON (RFC 8259): sign, whole part, fraction, exponent.
var number = safetext.Pattern(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// Respell returns a JSON text without a byte order mark, in which integers in
// another spelling, such as 7.0, 70e-1 or -0, are plain decimals. JSON readers see
// the same document in both texts, so nothing is lost and nothing can be hidden by
// the spelling. changed is false if the text stays as it is, as does one that is
// not JSON.
func Respell(text []byte) (respelled []byte, changed bool) {
	rest, changed := bytes.CutPrefix(text, []byte("\ufeff"))
	respelled = tokens().ReplaceAllFunc(rest, func(token []byte) []byte {
		if plain, ok := plainInteger(token); ok {
			changed = true
			return plain
		}
		return token
	})
	return respelled, changed
}

// mostDigits is more than any integer of an event has (SPEC 1.4).
const mostDigits = 20

// plainInteger returns a number that is an integer, in plain decimal; ok is false if
// it is in plain decimal already, or no integer that an event could have.
func plainInteger(token []byte) (plain []byte, ok bool) {
	m := number().FindSubmatch(token)
	if m == nil || m[3] == nil && m[4] == nil && string(token) != "-0" {
		return nil, false
	}
	digits := bytes.TrimLeft(append(append([]byte{}, m[2]...), m[3]...), "0")
	if len(digits) == 0 {
		return []byte("0"), true
	}
	exponent := 0
	if m[4] != nil {
		var err error
		exponent, err = strconv.Atoi(string(m[4]))
		if err != nil || exponent > len(token)+mostDigits || exponent < -len(token) {
			return nil, false
		}
	}
	whole := bytes.TrimRight(digits, "0")
	zeros := exponent - len(m[3]) + len(digits) - len(whole)
	if zeros < 0 || len(whole)+zeros > mostDigits {
		return nil, false
	}
	plain = append(append([]byte{}, m[1]...), whole...)
	return append(plain, bytes.Repeat([]byte("0"), zeros)...), true
}
