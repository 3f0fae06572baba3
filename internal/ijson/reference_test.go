package ijson

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/vectors"
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

// referenceFind follows a JSON pointer as specified in RFC 6901, section 4.
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

// TestOfficialVectors runs the vectors of RFC 8785's authors. Where the profile admits a
// document, Canonical gives the official bytes. Otherwise it reports why, and the library that
// Canonical relies on gives them.
func TestOfficialVectors(t *testing.T) {
	tests := []struct{ name, refusedFor string }{
		{"arrays", null},
		{"french", ""},
		{"structures", number},
		{"unicode", ""},
		{"values", number},
		{"weird", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			input := vectors.JCS(t, "input/"+test.name+".json")
			output := vectors.JCS(t, "output/"+test.name+".json")
			digits := strings.Fields(string(vectors.JCS(t, "outhex/"+test.name+".txt")))
			if want, err := hex.DecodeString(strings.Join(digits, "")); err != nil || !bytes.Equal(want, output) {
				t.Fatalf("output and outhex of the vector differ: %v", err)
			}

			library, err := jcs.Transform(input)
			check.That(t, err == nil && bytes.Equal(library, output), "Transform gives %q, %v, want %q", library, err, output)
			got, fault := Canonical(input)
			if test.refusedFor != "" {
				check.That(t, fault.breaks(test.refusedFor), "Canonical: %v, want %s", fault, test.refusedFor)
				return
			}
			must.That(t, fault == nil, "%v", fault)
			check.That(t, bytes.Equal(got, output), "Canonical gives %q, want %q", got, output)
			check.That(t, IsCanonical(output), "IsCanonical(%q) = false", output)
		})
	}
}

// TestES6Numbers reads the bits of a double and its canonical text from each
// line. The profile accepts exactly the integers within ±(2^53-1), which are
// their own canonical form; the library agrees with every text.
func TestES6Numbers(t *testing.T) {
	lines := bufio.NewScanner(bytes.NewReader(vectors.ES6Numbers(t)))
	accepted, refused := 0, 0
	for lines.Scan() {
		digits, text, ok := strings.Cut(lines.Text(), ",")
		bits, err := strconv.ParseUint(digits, 16, 64)
		must.That(t, ok && err == nil, "line %q: %v", lines.Text(), err)
		f := math.Float64frombits(bits)
		if got, err := jcs.NumberToJSON(f); err != nil || got != text {
			t.Errorf("%s: NumberToJSON gives %q, %v, want %q", digits, got, err, text)
		}

		v, fault := Parse([]byte(text))
		inRange := f == math.Trunc(f) && math.Abs(f) <= maxInteger
		check.That(t, IsCanonical([]byte(text)) == inRange, "IsCanonical(%s) = %v", text, !inRange)
		switch {
		case !inRange:
			refused++
			check.That(t, fault.breaks(number) && fault.Found == safetext.Excerpt(text, safetext.Glimpse),
				"Parse(%s): %v, want %s", text, fault, number)
		case fault != nil:
			t.Errorf("Parse(%s): %v", text, fault)
		default:
			accepted++
			check.That(t, v.Int() == int64(f) && string(v.Canonical()) == text, "Parse(%s) is %d, canonical %s", text, v.Int(),
				v.Canonical())
		}
	}
	if err := lines.Err(); err != nil || accepted == 0 || refused == 0 || accepted+refused != 10_000 {
		t.Errorf("%d numbers accepted, %d refused, %v: want 10,000, some of each", accepted, refused, err)
	}
}
