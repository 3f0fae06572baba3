package seal

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestCanonicalBytes(t *testing.T) {
	for _, c := range []struct {
		document any
		want     string
	}{
		{Object{}, `{}`},
		{[]any{}, `[]`},
		{[]any{int64(0), int64(-7), int64(largestInteger), true, false, "x"}, `[0,-7,9007199254740991,true,false,"x"]`},
		{"\b\t\n\f\r\"\\/<>&\u2028\x00\x1f\x7f", `"\b\t\n\f\r\"\\/<>&` + "\u2028" + `\u0000\u001f` + "\x7f" + `"`},
		{Object{"b": Object{"d": "", "c": []any{"e"}}, "a": "é"}, `{"a":"é","b":{"c":["e"],"d":""}}`},
		// U+FB33 is below U+1F600, but not in UTF-16: RFC 8785 section 3.2.3.
		{Object{"\ufb33": "", "\U0001f600": "", "€": "", "ö": "", "1": "", "\r": ""},
			`{"\r":"","1":"","ö":"","€":"",` + "\"\U0001f600\":\"\",\"\ufb33\":\"\"}"},
		{Object{"ab": "", "a": "", "": ""}, `{"":"","a":"","ab":""}`},
		{Object{"n": Raw("1.5")}, `{"n":1.5}`},
		{Object{"n": Raw("1.50")}, `{"n":1.5}`}, // by the library alone
	} {
		got := string(Canonical(c.document))
		check.That(t, got == c.want, "Canonical(%#v)\n got %s\nwant %s", c.document, got, c.want)
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, document := range []any{
		nil, 1, 1.5, []string{"a"}, Object{"a": nil}, []any{uint64(1)},
		"\xff", Object{"\xff": ""}, int64(largestInteger + 1), int64(-largestInteger - 1),
	} {
		func() {
			defer func() {
				check.That(t, recover() != nil, "Canonical(%#v) did not panic", document)
			}()
			Canonical(document)
		}()
	}
}

// documents draws documents of all shapes, with names that are hard to order.
func documents() *rapid.Generator[any] {
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("a\u0000\ue000\uffee\U00010000\U0010fffe\""))))
	scalar := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(rapid.Int64Range(-largestInteger, largestInteger), func(n int64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
	)
	list := rapid.Map(rapid.SliceOfN(scalar, 0, 4), func(l []any) any { return l })
	inner := rapid.OneOf(scalar, list)
	return rapid.Map(rapid.MapOfN(text, inner, 0, 6), func(m map[string]any) any { return m })
}

// TestCanonicalAgreesWithAnotherEncoder: the form of a document equals the library's form of
// another encoder's text, in bulk too.
func TestCanonicalAgreesWithAnotherEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := documents().Draw(t, "document")
		text := must.Get(json.Marshal(document))(t)
		want := must.Get(jcs.Transform(text))(t)
		got := appendValue(nil, document)
		must.That(t, bytes.Equal(got, want), "in bulk: got %q, want %q", got, want)
		got = Canonical(document)
		must.That(t, bytes.Equal(got, want), "got %q, want %q", got, want)
		got = Canonical(Clone(document))
		must.That(t, bytes.Equal(got, want), "the clone differs: got %q, want %q", got, want)
	})
}

func TestCloneIsDeep(t *testing.T) {
	original := Object{"o": Object{"a": "b"}, "l": []any{Object{"c": "d"}}}
	clone := CloneObject(original)
	Member(clone, "o")["a"] = "changed"
	List(clone, "l")[0].(Object)["c"] = "changed"
	check.Equal(t, string(Canonical(original)), `{"l":[{"c":"d"}],"o":{"a":"b"}}`, "the original changed with its clone")
}

func TestMembersOfTheWrongKind(t *testing.T) {
	o := Object{"x": true, "l": []any{"a", int64(1), "b"}}
	if Text(o, "x") != "" || Integer(o, "x") != 0 || Member(o, "x") != nil || List(o, "x") != nil || Texts(o, "x") != nil {
		t.Error("a member of another kind was read")
	}
	got := Texts(o, "l")
	check.That(t, slices.Equal(got, []string{"a", "b"}), "Texts: got %q", got)
	if got := Canonical(SortedStrings([]string{"b", "a", "b"})); string(got) != `["a","b"]` {
		t.Errorf("SortedStrings: got %s", got)
	}
}

func TestTime(t *testing.T) {
	moment := time.Date(2026, 3, 2, 10, 4, 5, 6_999_999, time.FixedZone("", 3600))
	got := Time(moment)
	check.That(t, got == "2026-03-02T09:04:05.006Z", "got %s", got)
}

// The example of the DSSE specification.
func TestPAE(t *testing.T) {
	got := PAE("http://example.com/HelloWorld", []byte("hello world"))
	check.Equal(t, "DSSEv1 29 http://example.com/HelloWorld 11 hello world", string(got), "got %q, want", got)
}

var testKey = Key{ID: "k", Private: ed25519.NewKeyFromSeed(make([]byte, 32))}

func TestSeal(t *testing.T) {
	envelope := Seal(Object{"protocol": "svc.x.v1", "b": int64(1)}, testKey)
	signature := must.Get(Unbase64(Text(envelope, "signature")))(t)
	signed := []byte(`DSSEv1 8 svc.x.v1 29 {"b":1,"protocol":"svc.x.v1"}`)
	check.That(t, ed25519.Verify(testKey.Public(), signed, signature),
		"the signature is not over the bytes of the specification")
	got, want := StatementDigest(envelope), SHA256([]byte(`{"b":1,"protocol":"svc.x.v1"}`))
	check.That(t, got == want, "digest: got %s, want %s", got, want)
}

func TestSigned(t *testing.T) {
	body := []byte("body")
	good := Sign("svc.x.v1", body, testKey)
	for name, ok := range map[string]bool{
		"true":            Signed("svc.x.v1", body, testKey.Public(), good),
		"other type":      !Signed("svc.y.v1", body, testKey.Public(), good),
		"other body":      !Signed("svc.x.v1", []byte("bodY"), testKey.Public(), good),
		"no key":          !Signed("svc.x.v1", body, nil, good),
		"not a signature": !Signed("svc.x.v1", body, testKey.Public(), "?"),
	} {
		check.That(t, ok, "%s: wrong answer", name)
	}
}

func TestHashesAreThoseOfTheSpecification(t *testing.T) {
	genesis := sha256.Sum256([]byte("svc.audit-genesis.v1\x00" + `{"log_id":"tenant/t","tenant_id":"t"}`))
	check.Equal(t, Genesis("t", "tenant/t"), genesis, "genesis")
	link := Link{Sequence: 258, Previous: Hash{1}, Skip: Hash{2}, Body: Hash{3}}
	preimage := slices.Concat([]byte("svc.audit-link.v1\x00\x00\x00\x00\x00\x00\x00\x01\x02"), link.Previous[:],
		link.Skip[:], link.Body[:])
	check.Equal(t, link.Hash(), sha256.Sum256(preimage), "link")
}

func TestParseHash(t *testing.T) {
	want := Genesis("t", "l")
	got, err := ParseHash(want.String())
	check.That(t, err == nil && got == want, "got %s, %v", got, err)
	for _, s := range []string{"", "zz", want.String() + "00", "g" + want.String()[1:]} {
		check.That(t, check.Err(ParseHash(s)) != nil, "%q was taken for a hash", s)
	}
}
