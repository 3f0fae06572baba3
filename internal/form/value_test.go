package form

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// check runs one function over spellings that it must accept and near misses
// that it must refuse.
func check(t *testing.T, accepts func(string) bool, good, bad []string) {
	t.Helper()
	for _, s := range good {
		if !accepts(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range bad {
		if accepts(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

// damages returns s with one thing wrong, for encodings that have one length
// and no upper case.
func damages(s string) []string {
	return []string{
		"", s[1:], s[:len(s)-1], s + s[len(s)-1:], s + "\n", "\n" + s, s + " ", " " + s, s + "\x00", s + "=",
		s[:4] + "\n" + s[4:], s[:4] + "\r\n" + s[4:], s[:4] + "\n" + s[5:], s[:4] + "\u00a0" + s[4:],
		s[:4] + "\u200b" + s[4:],
		"\ufeff" + s, s[:4] + "é" + s[6:], s[:4] + "\xff" + s[5:],
	}
}

func TestBase64URL(t *testing.T) {
	accepts := func(s string) bool { _, ok := Base64URL(s); return ok }
	check(t, accepts,
		[]string{"", "AA", "AAA", "AAAA", "QUI", "_-8", "QUJDRA"},
		[]string{
			"A", "AAAAA", "A===", "AA==", "QUI=", "QUJDRA==", // lengths and padding
			"AB", "QUJ", "QR", "_-9", // spare bits that are not zero
			"+/8", "/w", "+A", // the other alphabet
			"QU\nJD", "QUJD\n", "\nQUJD", "Q\rUJD", "QU JD", "QUJD\x00", "\n", // skipped by Strict, and more
			"QUJ\u0414", "ＱＵＪＤ", "QU\xffD", "QU.D", "QU%2D",
		})
	check(t, accepts, nil, damages("QUJDREVGR0g")[4:]) // other lengths are other bytes

	if got, ok := Base64URL("-_8"); !ok || !bytes.Equal(got, []byte{0xfb, 0xff}) {
		t.Errorf("Base64URL(-_8) = %x, %v", got, ok)
	}
	if got, ok := Base64URL("QR"); ok || got != nil {
		t.Errorf("Base64URL(QR) = %x, %v, want nothing", got, ok)
	}
}

func TestDigest(t *testing.T) {
	good := strings.Repeat("0123456789abcdef", 4)
	accepts := func(s string) bool { _, ok := Digest(s); return ok }
	check(t, accepts, []string{good, strings.Repeat("0", 64), strings.Repeat("f", 64)}, damages(good))
	check(t, accepts, nil, []string{
		strings.ToUpper(good), good[:63] + "F", good[:63] + "g", good[:63] + "/", good[:63] + ":", good[:63] + "`",
		"0x" + good[2:], "sha256:" + good, good[:62], good + good, good[:62] + "\u0430", good[:62] + " 0", good[:62] + "+0",
	})
	digest, _ := Digest(good)
	if digest[0] != 0x01 || digest[31] != 0xef || EncodeHex(digest[:]) != good {
		t.Errorf("Digest(%s) = %x", good, digest)
	}
}

func TestTime(t *testing.T) {
	accepts := func(s string) bool { _, ok := Time(s); return ok }
	check(t, accepts,
		[]string{
			"2026-03-01T12:34:56.789Z", "2026-01-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z",
			"2024-02-29T00:00:00.000Z", "2000-02-29T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
		},
		[]string{
			"2026-02-30T00:00:00.000Z", "2026-02-29T00:00:00.000Z", "1900-02-29T00:00:00.000Z",
			"2026-04-31T00:00:00.000Z", // not real
			"2026-00-01T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-00T00:00:00.000Z", "2026-01-32T00:00:00.000Z",
			"2026-06-30T23:59:60.000Z", "2026-03-01T24:00:00.000Z", "2026-03-01T12:60:00.000Z", "2016-12-31T23:59:60.000Z",
			"2026-03-01T12:34:56Z", "2026-03-01T12:34:56.7Z", "2026-03-01T12:34:56.78Z", "2026-03-01T12:34:56.7890Z",
			"2026-03-01T12:34:56.789123Z", "2026-03-01T12:34:56.789000000Z", "2026-03-01T12:34:56.Z", "2026-03-01T12:34Z",
			"2026-03-01T12:34:56,789Z", "2026-03-01 12:34:56.789Z", "2026-03-01t12:34:56.789Z", "2026-03-01T12:34:56.789z",
			"2026-03-01T12:34:56.789", "2026-03-01T12:34:56.789+00:00", "2026-03-01T12:34:56.789-00:00",
			"2026-03-01T12:34:56.789+01:00",
			"2026-03-01T12:34:56.789Z+00:00", "2026-03-01T12:34:56.789 Z", "2026-03-01T12:34:56.789UTC",
			"2026-03-01T2:34:56.789Z", "2026-03-01T12:4:56.789Z", "2026-3-01T12:34:56.789Z", "2026-03-1T12:34:56.789Z",
			"26-03-01T12:34:56.789Z", "02026-03-01T12:34:56.789Z", "10000-01-01T00:00:00.000Z", "-2026-03-01T12:34:56.789Z",
			"+2026-03-01T12:34:56.789Z",
			"20260301T123456.789Z", "2026-03-01", "12:34:56.789Z", "1772368496789", "2026-03-01T12:34:56.-89Z",
			"2026-03-01T+2:34:56.789Z",
			"2026\u201103\u201101T12:34:56.789Z", "２026-03-01T12:34:56.789Z", "2026-03-01T12:34:56\u06F7.789Z",
			"2026-03-01T12\uff1a34:56.789Z",
		})
	check(t, accepts, nil, damages("2026-03-01T12:34:56.789Z"))

	got, _ := Time("2026-03-01T12:34:56.789Z")
	if want := time.Date(2026, 3, 1, 12, 34, 56, 789e6, time.UTC); !got.Equal(want) || got.Location() != time.UTC {
		t.Errorf("Time = %v, want %v", got, want)
	}
}

func TestFormatTime(t *testing.T) {
	paris := time.FixedZone("", 3600)
	for _, test := range []struct {
		time time.Time
		want string
	}{
		{time.Date(2026, 1, 1, 0, 30, 0, 0, paris), "2025-12-31T23:30:00.000Z"},
		{time.Date(2026, 1, 1, 0, 0, 0, 999_999_999, time.UTC), "2026-01-01T00:00:00.999Z"},
		{time.Date(987, 6, 5, 4, 3, 2, 1e6, time.UTC), "0987-06-05T04:03:02.001Z"},
	} {
		if got := FormatTime(test.time); got != test.want {
			t.Errorf("FormatTime(%v) = %s, want %s", test.time, got, test.want)
		}
	}
}

// lookalikes are characters that no identifier may hold, though several look
// like ones that it may.
var lookalikes = []string{
	"", "a b", " a", "a ", "a\t", "a\n", "\na", "a\x00", "a\x7f", "a\u00a0b", "a\u200bb", "\ufeffa", "\u202ea", "\u0430",
	"ｎode", "é", "e\u0301",
	"ſ", "\u212a", "a\u2010b", "a\u2011b", "a\u2012b", "a\u2044b", "a\u2215b", "a\u2024b", "a\u02d0b", "a\xff",
	"\xc0\xaf",
	"a\\b", "a+b", "a=b", "a~b", "a#b", "a?b", "a%b", "a,b", "a;b", "a!b", "a*b", "a'b", "a\"b", "a(b", "a[b", "a^b",
	"a`b", "a{b", "a|b", "a$b", "a&b", "a<b",
}

func TestIdentifier(t *testing.T) {
	every := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@/-"
	check(t, Identifier,
		[]string{every, "a", "/", "-", ".", "..", "0", "node/a", "tenant/t-1", "a@b:c/d_e-f", strings.Repeat("x", 128)},
		append([]string{strings.Repeat("x", 129), strings.Repeat("é", 64)}, lookalikes...))
}

func TestSubject(t *testing.T) {
	check(t, Subject,
		[]string{"a", "-", "node-eu-west-1a", "a@b:c_d.e", strings.Repeat("x", 100)},
		append([]string{"/", "a/b", "a/", "/a", "node/a", strings.Repeat("x", 101)}, lookalikes...))
}

// TestIdentifierBytes asks for every byte alone.
func TestIdentifierBytes(t *testing.T) {
	identifiers, subjects := 0, 0
	for c := range 256 {
		s := string([]byte{byte(c)})
		if Identifier(s) {
			identifiers++
		}
		if Subject(s) {
			subjects++
		}
	}
	if identifiers != 26+26+10+6 || subjects != identifiers-1 {
		t.Errorf("%d bytes in identifiers, %d in subjects, want 68 and 67", identifiers, subjects)
	}
}

func TestSerial(t *testing.T) {
	check(t, Serial,
		[]string{"1", "a", "f", "10", "7b", "7ba", "ff00", strings.Repeat("f", 40), "1" + strings.Repeat("0", 39)},
		[]string{
			"", "0", "00", "01", "0a", "-1", "+1", "A", "1F", "0x1", "1g", "1:2", "1 ", " 1", "1\n", "1\u00a0", "\uff11",
			"\u0661", "1\x00",
			strings.Repeat("f", 41), "1" + strings.Repeat("0", 40), "0" + strings.Repeat("f", 39),
		})
}

func TestGeneration(t *testing.T) {
	accepts := func(s string) bool { _, ok := Generation(s); return ok }
	check(t, accepts,
		[]string{"1", "2", "9", "10", "1000000000000000", "9007199254740991"},
		[]string{
			"", "0", "00", "01", "-1", "-0", "+1", "1.0", "1e3", "1_0", "0x1", "1 ", " 1", "1\n", "1,0", "one", "\uff11",
			"\u0661", "1\x00", "\u00a01",
			"9007199254740992", "9223372036854775807", "9223372036854775808", "18446744073709551617", strings.Repeat("9", 100),
		})
	if got, _ := Generation("9007199254740991"); got != 9007199254740991 {
		t.Errorf("Generation = %d", got)
	}
}

// TestRoundTrip: everything that is encoded decodes to itself.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "bytes")
		if got, ok := Base64URL(EncodeBase64URL(b)); !ok || !bytes.Equal(got, b) {
			t.Errorf("base64url of %x decodes to %x, %v", b, got, ok)
		}
		d := [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
		if got, ok := Digest(EncodeHex(d[:])); !ok || got != d {
			t.Errorf("hex of %x decodes to %x, %v", d, got, ok)
		}
		const lastSecond = 253402300799 // of the year 9999
		at := time.UnixMilli(rapid.Int64Range(0, lastSecond*1000+999).Draw(t, "time"))
		if got, ok := Time(FormatTime(at)); !ok || !got.Equal(at) {
			t.Errorf("%s decodes to %v, %v", FormatTime(at), got, ok)
		}
	})
}

// FuzzExact: of whatever is accepted there is one spelling, the encoder's.
func FuzzExact(f *testing.F) {
	for _, s := range []string{"", "QUJD", "QR", "2026-03-01T12:34:56.789Z", "1", "0a", "node/a",
		strings.Repeat("0f", 32)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if b, ok := Base64URL(s); ok && EncodeBase64URL(b) != s {
			t.Errorf("Base64URL accepts %q for %x", s, b)
		}
		if d, ok := Digest(s); ok && EncodeHex(d[:]) != s {
			t.Errorf("Digest accepts %q for %x", s, d)
		}
		if at, ok := Time(s); ok && (FormatTime(at) != s || len(s) != 24) {
			t.Errorf("Time accepts %q for %v", s, at)
		}
		if Subject(s) && !Identifier("node/"+s) {
			t.Errorf("%q is a subject, but its log has no identifier", s)
		}
		if n, ok := Generation(s); ok && (n < 1 || s[0] == '0' || len(s) > 16) {
			t.Errorf("Generation accepts %q for %d", s, n)
		}
	})
}

func TestSHA512(t *testing.T) {
	good := strings.Repeat("0123456789abcdef", 8)
	accepts := func(s string) bool { _, ok := SHA512(s); return ok }
	check(t, accepts, []string{good}, append(damages(good), strings.ToUpper(good), good[:64]))
}
