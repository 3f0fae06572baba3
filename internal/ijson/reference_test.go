package ijson

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// referenceAccepts is the profile (SPEC 1) rule by rule, for comparison with
// Parse: slow, without places, and with other means where there are any.
func referenceAccepts(doc []byte) bool {
	if !jsontext.Value(doc).IsValid() { // grammar, names, UTF-8, surrogates, one value
		return false
	}
	tokens := json.NewDecoder(bytes.NewReader(doc))
	tokens.UseNumber()
	depth := 0
	for {
		token, err := tokens.Token()
		if err != nil {
			return true // the end, since the document is valid
		}
		switch token := token.(type) {
		case nil:
			return false
		case json.Number:
			if !referenceNumber(token.String()) {
				return false
			}
		case string:
			if strings.ContainsFunc(token, referenceNoncharacter) {
				return false
			}
		case json.Delim:
			if token == '[' || token == '{' {
				depth++
			} else {
				depth--
			}
			if depth > 32 {
				return false
			}
		}
	}
}

var plainDecimal = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

func referenceNumber(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return plainDecimal.MatchString(s) && err == nil && -9007199254740991 <= n && n <= 9007199254740991
}

func referenceNoncharacter(r rune) bool {
	return 0xFDD0 <= r && r <= 0xFDEF || r%0x10000 == 0xFFFE || r%0x10000 == 0xFFFF
}

// referenceIsCanonical is IsCanonical by its definition.
func referenceIsCanonical(doc []byte) bool {
	if !referenceAccepts(doc) {
		return false
	}
	canonical, err := jcs.Transform(doc)
	return err == nil && bytes.Equal(canonical, doc)
}

// referenceFind follows a JSON pointer as RFC 6901, section 4, says.
func referenceFind(v *Value, pointer string) *Value {
	tokens := strings.Split(pointer, "/")
	for _, token := range tokens[1:] {
		if v.Kind() == Array {
			i, _ := strconv.Atoi(token)
			v = v.Elements()[i]
			continue
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		u, ok := v.Member(token)
		if !ok {
			return nil
		}
		v = u
	}
	return v
}
