package forge

import "strings"

// otherDigit changes one digit of a text in base64url.
func otherDigit(text string, at int) string {
	digit := "A"
	if text[at] == 'A' {
		digit = "B"
	}
	return text[:at] + digit + text[at+1:]
}

// SpareBits sets the unused bits of the last character of 64 bytes in base64url.
func SpareBits(text string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, text[len(text)-1]) | 1
	return text[:len(text)-1] + alphabet[last:last+1]
}

// Disarrange writes a canonical document another way that means the same: the
// first member at the end, white space between tokens, escaped letters.
func Disarrange(document string) string {
	text := strings.TrimSuffix(document, "\n")
	text = strings.ReplaceAll(text, `"decision":"allow"`, "\"decision\" :\n\t\"\\u0061llow\"")
	text = strings.ReplaceAll(text, `"tenant_id":`, `"\u0074enant_id" : `)
	first := strings.Index(text, ",\"audit_path\":")
	return "{" + text[first+1:len(text)-1] + " , " + text[1:first] + "}\n"
}

// FlipHash changes the first digit of a hash in hex.
func FlipHash(hash string) string {
	first := "0"
	if hash[0] == '0' {
		first = "1"
	}
	return first + hash[1:]
}
