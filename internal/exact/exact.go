// Package exact decodes the values that the formats write as text: digests,
// keys and signatures, times, identifiers, serials and generations (SPEC 1).
//
// Each kind of value has exactly one right spelling, and every function here
// accepts that one and no other. Libraries for such encodings are more lenient
// than that: they skip newlines in base64 and ignore its spare bits, take
// upper-case hex, or cut the digits of a time. Two spellings of one value would
// let two documents differ and yet say the same; so what is decoded here is
// encoded again and compared, or its characters are all looked at.
//
// The functions are pure and take text of any length.
package exact

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"
)

// Lengths and bounds of SPEC 1.
const (
	maxIdentifier = 128
	maxSubject    = 100
	maxSerial     = 40 // hex digits of 20 octets (RFC 5280, section 4.1.2.2)
	maxGeneration = 1<<53 - 1
)

// Base64URL decodes base64url without padding (RFC 4648, section 5), and
// reports whether s is the one encoding of those bytes.
func Base64URL(s string) ([]byte, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || EncodeBase64URL(b) != s {
		return nil, false
	}
	return b, true
}

// EncodeBase64URL encodes bytes as base64url without padding.
func EncodeBase64URL(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Digest decodes a SHA-256 digest: exactly 64 lower-case hex digits.
func Digest(s string) ([32]byte, bool) {
	var digest [32]byte
	if len(s) != hex.EncodedLen(len(digest)) || !all(s, isLowerHex) {
		return digest, false
	}
	_, err := hex.Decode(digest[:], []byte(s))
	return digest, err == nil
}

// EncodeHex encodes bytes as lower-case hex digits.
func EncodeHex(b []byte) string { return hex.EncodeToString(b) }

// timeLayout is UTC to the millisecond. The Z is not optional, and no offset
// may stand in its place.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time decodes a time written exactly as 2006-01-02T15:04:05.000Z, on a date
// that exists, in UTC. There is no leap second and no hour 24.
func Time(s string) (time.Time, bool) {
	t, err := time.Parse(timeLayout, s)
	if err != nil || FormatTime(t) != s {
		return time.Time{}, false
	}
	return t, true
}

// FormatTime writes a time in the form that Time reads. What is finer than a
// millisecond is cut off. Time reads it back if the year has four digits.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// Identifier reports whether s is an identifier: 1 to 128 characters out of
// A-Z a-z 0-9 . _ : @ / and -.
func Identifier(s string) bool {
	return s != "" && len(s) <= maxIdentifier && all(s, isIdentifier)
}

// Subject reports whether s can be the id of a node, tenant or transaction: an
// identifier without a slash, of at most 100 characters, so that log ids, which
// put a word and a slash before it, and keys, which put a slash and a
// generation after it, stay unambiguous and are identifiers too.
func Subject(s string) bool {
	return s != "" && len(s) <= maxSubject && all(s, isSubject)
}

// Serial reports whether s is the serial of a certificate: lower-case hex of a
// positive integer of at most 20 octets, without leading zeros.
func Serial(s string) bool {
	return s != "" && len(s) <= maxSerial && s[0] != '0' && all(s, isLowerHex)
}

// Generation decodes the generation of a registry or key: a decimal from 1 to
// 2^53-1 without leading zeros.
func Generation(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > maxGeneration || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return n, true
}

// all reports whether every byte of s is in the class.
func all(s string, class func(byte) bool) bool {
	for i := range len(s) {
		if !class(s[i]) {
			return false
		}
	}
	return true
}

func isLowerHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

func isSubject(c byte) bool {
	switch {
	case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return true
	case c == '.', c == '_', c == ':', c == '@', c == '-':
		return true
	}
	return false
}

func isIdentifier(c byte) bool { return c == '/' || isSubject(c) }
