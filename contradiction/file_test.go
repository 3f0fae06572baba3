package contradiction

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

func marshal(t rapid.TB, code Code, a, b []byte) []byte {
	t.Helper()
	return must.Get(Marshal(code, a, b))(t)
}

// TestFiles: the file of a pair verifies under its own code, whichever bundle comes first, and
// under no other one; the file of a near miss never verifies. Files and reports have the form
// of their schemas.
func TestFiles(t *testing.T) {
	for _, p := range allPairs() {
		root := rootOf(t, p)
		for _, code := range Codes() {
			doc := marshal(t, code, p.A, p.B)
			check.That(t, bytes.Equal(doc, marshal(t, code, p.B, p.A)),
				"%s: the order of the bundles counts", p.Name)
			r := Verify(doc, root, verify.Policy{})
			want := verify.Rejected
			if string(code) == p.Code {
				want = verify.Verified
			}
			check.That(t, r.Verdict == want && (r.Contradiction != nil) == (want == verify.Verified), "%s as %s: %s, %v",
				p.Name, code, r.Verdict, r.Findings)
			if want == verify.Rejected && (len(r.Findings) != 1 || r.Findings[0].Code != NotShown) {
				t.Errorf("%s as %s: %v", p.Name, code, r.Findings)
			}
			check.OK(t, schemas.Conformance("contradiction-file", doc), "the file")
			check.OK(t, schemas.Conformance("contradiction", must.Get(json.Marshal(r))(t)), "the report")
		}
	}
}

// TestOtherFiles: files that are no contradiction file, and files of bundles that prove
// nothing.
func TestOtherFiles(t *testing.T) {
	p := allPairs()[0]
	root := rootOf(t, p)
	good := string(marshal(t, Code(p.Code), p.A, p.B))
	half := strings.Index(good, `},{`)
	swapped := beforeBundles + good[half+2:strings.Index(good, beforeCode)] + "," + good[len(beforeBundles):half+1] +
		good[strings.Index(good, beforeCode):]
	first := good[len(beforeBundles) : half+1]
	for name, tt := range map[string]struct {
		doc     string
		verdict verify.Verdict
		code    Code
	}{
		"empty":             {"", verify.Inconclusive, "json.empty"},
		"white space":       {" \t\r\n", verify.Inconclusive, "json.empty"},
		"much white space":  {strings.Repeat(" ", MaxFile+1), verify.Rejected, form.TooLarge},
		"cut":               {good[:len(good)/2], verify.Rejected, Malformed},
		"no line feed":      {good[:len(good)-1], verify.Rejected, Malformed},
		"two line feeds":    {good + "\n", verify.Rejected, Malformed},
		"white space first": {" " + good, verify.Rejected, Malformed},
		"swapped":           {swapped, verify.Rejected, Malformed},
		"doubled": {strings.Replace(good, good[half+2:strings.Index(good, beforeCode)], first, 1),
			verify.Rejected, Malformed},
		"unknown code":      {strings.Replace(good, p.Code, "chain.fork", 1), verify.Rejected, Malformed},
		"a bundle":          {string(p.A), verify.Rejected, Malformed},
		"another protocol":  {strings.Replace(good, ".v1\"}\n", ".v2\"}\n", 1), verify.Rejected, Malformed},
		"a member too many": {strings.Replace(good, `"code":`, `"a":1,"code":`, 1), verify.Rejected, Malformed},
		"padded base64":     {strings.Replace(good, `","sha256":"`, `=","sha256":"`, 1), verify.Rejected, Malformed},
	} {
		r := Verify([]byte(tt.doc), root, verify.Policy{})
		check.That(t, r.Verdict == tt.verdict && len(r.Findings) == 1 && r.Findings[0].Code == tt.code &&
			len(r.Bundles) == 0, "%s: %s, %v", name, r.Verdict, r.Findings)
	}
	broken := bytes.Replace(p.B, []byte("payments-api"), []byte("payments-apj"), 1)
	r := Verify(marshal(t, Code(p.Code), p.A, broken), root, verify.Policy{})
	check.That(t, r.Verdict == verify.Rejected && len(r.Bundles) == 2 && r.Findings[0].Code == NotShown,
		"a bundle that does not verify: %s, %v", r.Verdict, r.Findings)
	check.That(t, check.Err(Marshal(Code(p.Code), p.A, p.A)) != nil, "a file of one bundle twice")
	check.That(t, check.Err(Marshal(Code(p.Code), p.A, make([]byte, form.MaxBundle+1))) != nil,
		"a file of a bundle that is too large")
}

// TestLargestFile: a file of the two largest bundles is within the limit.
func TestLargestFile(t *testing.T) {
	a := make([]byte, form.MaxBundle)
	b := bytes.Repeat([]byte{1}, form.MaxBundle)
	doc := marshal(t, Codes()[1], a, b)
	check.That(t, len(doc) <= MaxFile, "%d octets are more than %d", len(doc), MaxFile)
	f, fault := parseFile(doc)
	check.That(t, fault == nil && len(f.docs[0]) == form.MaxBundle, "%v", fault)
}

// TestMutationsNeverVerify changes a file of each kind anywhere: a byte, a
// range, or a bundle in it under a digest that is right.
func TestMutationsNeverVerify(t *testing.T) {
	all := allPairs()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(all).Filter(func(p pairs.Pair) bool { return p.Code != "" }).Draw(t, "pair")
		root := rootOf(t, p)
		a, b := p.A, p.B
		inside := rapid.Bool().Draw(t, "inside a bundle")
		if inside {
			b = mutation(t, b)
		}
		doc := marshal(t, Code(p.Code), a, b)
		if !inside {
			doc = mutation(t, doc)
		}
		must.That(t, Verify(doc, root, verify.Policy{}).Verdict != verify.Verified,
			"%s verifies after a mutation", p.Name)
	})
}

// mutation returns a document with other bytes in one place, none of them white
// space.
func mutation(t *rapid.T, doc []byte) []byte {
	at := rapid.IntRange(0, len(doc)-1).Draw(t, "at")
	switch rapid.IntRange(0, 3).Draw(t, "how") {
	case 0:
		other := append([]byte{}, doc...)
		other[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		return other
	case 1:
		return append(append([]byte{}, doc[:at]...), doc[at+1:]...)
	case 2:
		return append(append(append([]byte{}, doc[:at]...), '0'), doc[at:]...)
	}
	return doc[:at]
}

// FuzzVerify: no input panics. One that verifies is in its only spelling.
func FuzzVerify(f *testing.F) {
	file := must.Get(os.ReadFile(filepath.Join("..", "fixtures", "contradictions", "two-heads",
		"contradiction.json")))(f)
	keys := must.Get(os.ReadFile(filepath.Join("..", "fixtures", "contradictions", "two-heads", "trust.json")))(f)
	root := must.Get(trust.Parse(keys))(f)
	f.Add(file)
	for _, code := range Codes() { // small, so that the form is tried
		f.Add(marshal(f, code, []byte("{}"), []byte("[]")))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if r := Verify(doc, root, verify.Policy{}); r.Verdict != verify.Verified {
			return
		}
		file, fault := parseFile(doc)
		must.That(t, fault == nil && bytes.Equal(marshal(t, file.code, file.docs[0], file.docs[1]), doc),
			"a file that verifies has another spelling")
	})
}

// TestForm: the bytes are those that SPEC 14.4 shows.
func TestForm(t *testing.T) {
	a, b := []byte("one"), []byte("two")
	sum := func(doc []byte) string { s := sha256.Sum256(doc); return hex.EncodeToString(s[:]) }
	if sum(a) > sum(b) {
		a, b = b, a
	}
	want := fmt.Sprintf(`{"bundles":[{"document":"%s","sha256":"%s"},{"document":"%s","sha256":"%s"}],"code":"%s","protocol":"svc.contradiction.v1"}`+"\n",
		base64.RawURLEncoding.EncodeToString(a), sum(a), base64.RawURLEncoding.EncodeToString(b), sum(b), "anchor.split-view")
	got := marshal(t, "anchor.split-view", b, a)
	check.That(t, string(got) == want, "%s is not %s", got, want)
}
