package cases

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// encodings are ways in which a text has a copy of an event.
var encodings = map[string]func(string) string{
	"base16":   func(s string) string { return "0x" + hex.EncodeToString([]byte(s)) },
	"base32":   func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"base64":   func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"a dump":   func(s string) string { return hex.Dump([]byte(s)) },
	"uuencode": uuencoded,
	"base85": func(s string) string {
		out := make([]byte, ascii85.MaxEncodedLen(len(s)))
		return string(out[:ascii85.Encode(out, []byte(s))])
	},
	"base45": func(s string) string {
		const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
		var out strings.Builder
		for i := 0; i+1 < len(s); i += 2 {
			n := int(s[i])<<8 | int(s[i+1])
			out.WriteString(string([]byte{digits[n%45], digits[n/45%45], digits[n/45/45]}))
		}
		if n := int(s[len(s)-1]); len(s)%2 > 0 {
			out.WriteString(string([]byte{digits[n%45], digits[n/45]}))
		}
		return out.String()
	},
	"octets": func(s string) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprintf("%d", []byte(s)), " ", ","), "[]")
	},
}

func uuencoded(s string) string {
	var out strings.Builder
	for ; len(s) > 0; s = s[min(45, len(s)):] {
		row := s[:min(45, len(s))]
		out.WriteByte(byte(len(row)) + ' ')
		for i := 0; i < len(row); i += 3 {
			var b [3]byte
			copy(b[:], row[i:])
			for _, v := range []byte{b[0] >> 2, b[0]<<4 | b[1]>>4, b[1]<<2 | b[2]>>6, b[2]} {
				out.WriteByte(v&63 + ' ')
			}
		}
		out.WriteByte('\n')
	}
	return "begin 644 journal\n" + out.String() + "`\nend\n"
}

// strangeFiles are files with an altered event in a code that nothing decodes.
func strangeFiles(genuine, altered string) map[string]string {
	strange := new(big.Int).SetBytes([]byte(altered)).Text(62)
	return map[string]string{
		"an unknown code":                 "a copy:\n" + strange + "\n",
		"an unknown code beside an event": genuine + "\n" + strange + "\n",
		"an unknown code in JSON":         `{"level":"info","copy":"` + strange + `"}` + "\n",
		"an unknown code of a container":  "2026-03-02T09:00:00.123456789Z stdout F copy=" + strange + "\n",
		"an unknown code in a store":      `{"labels":{"app":"x"},"line":"copy ` + strange + `","timestamp":"1"}` + "\n",
		"an unknown code in a table":      "when,what\n1,a\n2," + strange + "\n3,c\n",
	}
}
