package shapes

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// numbered writes a number before each line, as nl and cat -n do.
func numbered(r record) string { return fmt.Sprintf("%6d\t%s", r.n, r.line) }

// crlf ends each line with CR LF.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// utf16Little writes a text in UTF-16, little endian, behind a byte order mark.
func utf16Little(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// percent writes percent codes; of a form, + for a space.
func percent(text string, form bool) string {
	var out strings.Builder
	for i := range len(text) {
		b := text[i]
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', strings.IndexByte("-_.~", b) >= 0:
			out.WriteByte(b)
		case form && b == ' ':
			out.WriteByte('+')
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// colored writes JSON as jq -C does: each part between its color and a reset.
func colored(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		end, color := i+1, "1;39"
		switch {
		case line[i] == '"':
			color = "0;32"
			for line[end] != '"' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			end++
			if end < len(line) && line[end] == ':' {
				color = "34;1"
			}
		case strings.IndexByte("{}[],:", line[i]) < 0:
			color = "0;39"
			for strings.IndexByte("{}[],:", line[end]) < 0 {
				end++
			}
		}
		out.WriteString("\x1b[" + color + "m" + line[i:end] + "\x1b[0m")
		i = end
	}
	return out.String()
}
