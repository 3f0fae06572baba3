package form

import "unicode/utf8"

// IsLine reports whether a text is UTF-8 of 1 to most bytes, without control characters, line
// separators and noncharacters.
func IsLine(s string, most int) bool {
	if len(s) == 0 || len(s) > most || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		control := r < ' ' || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029
		if noncharacter := r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef; control || noncharacter {
			return false
		}
	}
	return true
}
