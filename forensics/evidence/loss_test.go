package evidence

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

const genuine = `{"data":{"list":["a","b"],"names":"Müller & Söhne","version":7},"decision":"allow"}`

func TestExplains(t *testing.T) {
	for name, tt := range map[string]struct {
		old, new string
		want     bool
	}{
		"a letter replaced":                 {"Müller", "M\ufffdller", true},
		"a letter replaced, octet by octet": {"Müller", "M\ufffd\ufffdller", true},
		"two letters replaced":              {"Müller & Söhne", "M\ufffdller & S\ufffdhne", true},
		"a plain letter replaced":           {"Müller", "Müll\ufffdr", true},
		"four octets as one":                {"Müller & Söhne", "Mül\ufffd& Söhne", true},
		"five octets as one":                {"Müller & Söhne", "Mü\ufffd& Söhne", false},
		"one octet as two":                  {"allow", "a\ufffd\ufffdlow", false},
		"cut within a character":            {"Müller & Söhne", "Müller & S\ufffd", true},
		"all of it cut":                     {"Müller & Söhne", "\ufffd", true},
		"cut between characters":            {"Müller & Söhne", "Müller & S", false},
		"longer than it was":                {"allow", "allow\ufffd", false},
		"octets in base64": {`"allow"`, `"` + base64.StdEncoding.EncodeToString([]byte("allow")) + `"`,
			true},
		"other octets in base64": {`"allow"`, `"` + base64.StdEncoding.EncodeToString([]byte("deny")) + `"`,
			false},
		"another word":                        {"allow", "deny", false},
		"another word with a letter replaced": {"allow", "d\ufffdny", false},
		"another word, a letter lost elsewhere": {`"names":"Müller & Söhne","version":7},"decision":"allow"`,
			`"names":"M` + "\ufffd" + `ller & Söhne","version":7},"decision":"deny"`, false},
		"another number":      {"7", "8", false},
		"a number as text":    {"7", `"7"`, false},
		"a number lost":       {"7", `"` + "\ufffd" + `"`, false},
		"a member more":       {`"version":7`, `"version":7,"w":"` + "\ufffd" + `"`, false},
		"a member less":       {`,"version":7`, "", false},
		"a name replaced":     {"names", "n\ufffdmes", false},
		"an element more":     {`"b"]`, `"b","` + "\ufffd" + `"]`, false},
		"an element replaced": {`"b"]`, `"` + "\ufffd" + `"]`, true},
		"nothing":             {"x", "x", false},
		"no JSON":             {`{"data"`, `{data`, false},
	} {
		got := LossExplains([]byte(genuine), []byte(strings.Replace(genuine, tt.old, tt.new, 1)))
		check.That(t, got == tt.want, "%s: %t, want %t", name, got, tt.want)
	}
}

// TestReplacedCharacters: whatever characters are replaced, one for one, is a
// loss; and none that is another character besides.
func TestReplacedCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []rune(rapid.StringMatching(`[a-cé漢🙂]{1,12}`).Draw(t, "text"))
		lost := []rune(string(text))
		for range rapid.IntRange(1, 4).Draw(t, "replaced") {
			lost[rapid.IntRange(0, len(lost)-1).Draw(t, "at")] = '\ufffd'
		}
		check.That(t, new(comparison).ofText(string(text), string(lost)), "%q is not %q with a loss", lost, text)
		at := rapid.IntRange(0, len(lost)-1).Draw(t, "changed")
		if lost[at] == '\ufffd' {
			return
		}
		lost[at] = 'x'
		check.That(t, !new(comparison).ofText(string(text), string(lost)), "%q is taken for %q with a loss", lost, text)
	})
}

// TestSteps: two events that are mostly replaced take no longer than the bound
// allows, in one string or in many.
func TestSteps(t *testing.T) {
	long := strings.Repeat("a", 2000)
	spoilt := strings.Repeat("\ufffd", 400) + strings.Repeat("a", 400)
	for _, n := range []int{1, 500} {
		list := func(text string) []byte { return []byte(`["` + strings.Repeat(text+`","`, n) + `"]`) }
		var c comparison
		a, _ := ijson.Parse(list(long))
		b, _ := ijson.Parse(list(spoilt))
		got := c.explains(a, b)
		check.That(t, got == (n == 1) && c.steps <= mostSteps+len(long), "%d strings: %t after %d steps", n, got, c.steps)
	}
}

// TestFilter: added hashes are remembered, and few others seem to be, at both loads that the
// package names.
func TestFilter(t *testing.T) {
	for most, size := range map[int]uint64{20: 1 << 20, 100: 1 << 21} {
		const hashes = 1 << 17
		random := rand.New(rand.NewPCG(size, 1))
		f, others := NewFilter(size), 0
		for range hashes {
			f.Add(random.Uint64())
		}
		random = rand.New(rand.NewPCG(size, 1))
		for range hashes {
			must.That(t, f.Has(random.Uint64()), "a hash was forgotten")
		}
		for range hashes {
			if f.Has(random.Uint64()) {
				others++
			}
		}
		check.That(t, others != 0 && others <= hashes/most,
			"%d bits: %d of %d others seem to be remembered, want less than one in %d", size, others, hashes, most)
	}
	check.That(t, !Filter(nil).Has(1), "the nil Filter has a hash")
}
