package form

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
	maxSerial     = 40 // hex digits of 20 bytes (RFC 5280, section 4.1.2.2)
)

// Text is text as a string or as bytes.
type Text interface{ ~string | ~[]byte }

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
func Digest[T Text](s T) (digest [32]byte, ok bool) {
	if len(s) != 2*len(digest) {
		return digest, false
	}
	var bad byte
	for i := range digest {
		high, low := nibble[s[2*i]], nibble[s[2*i+1]]
		bad |= high | low
		digest[i] = high<<4 | low&15
	}
	return digest, bad <= 15
}

// EncodeHex encodes bytes as lower-case hex digits.
func EncodeHex(b []byte) string { return hex.EncodeToString(b) }

// timeLayout is UTC to the millisecond. The Z is not optional, and no offset
// may stand in its place.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time decodes a time written exactly as 2006-01-02T15:04:05.000Z, on a date
// that exists, in UTC. There is no leap second and no hour 24.
func Time(s string) (time.Time, bool) {
	ms, ok := Millis(s)
	if !ok {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

// Millis is Time, in milliseconds since 1970.
func Millis[T Text](s T) (int64, bool) {
	if len(s) != len(timeLayout) {
		return 0, false
	}
	for i := range len(timeLayout) {
		if c := timeLayout[i]; isDigit(c) != isDigit(s[i]) || !isDigit(c) && c != s[i] {
			return 0, false
		}
	}
	year, month, day := parseDecimal(s[0:4]), parseDecimal(s[5:7]), parseDecimal(s[8:10])
	hour, minute, second := parseDecimal(s[11:13]), parseDecimal(s[14:16]), parseDecimal(s[17:19])
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	exists := int(t.Month()) == month && t.Day() == day && hour < 24 && minute < 60 && second < 60
	return t.UnixMilli() + int64(parseDecimal(s[20:23])), exists
}

// parseDecimal is the number that digits write.
func parseDecimal[T Text](s T) int {
	n := 0
	for i := range len(s) {
		n = 10*n + int(s[i]-'0')
	}
	return n
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// FormatTime writes a time in the form that Time reads. Anything finer than a millisecond is
// cut off. Time reads it back if the year has four digits.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// FormatMillis writes milliseconds since 1970 as FormatTime does.
func FormatMillis(ms int64) string { return FormatTime(time.UnixMilli(ms)) }

// MomentText is FormatMillis for a time that may be none: "" for 0.
func MomentText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return FormatMillis(ms)
}

// Identifier reports whether s is an identifier: 1 to 128 characters out of
// A-Z a-z 0-9 . _ : @ / and -.
func Identifier[T Text](s T) bool {
	return len(s) > 0 && len(s) <= maxIdentifier && allInClass(s, identifierClass)
}

// Subject reports whether s can be the id of a node, tenant or transaction: an
// identifier without a slash, of at most 100 characters, so that log ids, which
// put a word and a slash before it, and keys, which put a slash and a
// generation after it, stay unambiguous and are identifiers too.
func Subject[T Text](s T) bool {
	return len(s) > 0 && len(s) <= maxSubject && allInClass(s, subjectClass)
}

// Serial reports whether s is the serial of a certificate: lower-case hex of a
// positive integer of at most 20 bytes, without leading zeros.
func Serial(s string) bool {
	return s != "" && len(s) <= maxSerial && s[0] != '0' && allInClass(s, lowerHexClass)
}

// Generation decodes the generation of a registry or key: a decimal from 1 to
// 2^53-1 without leading zeros.
func Generation(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > MaxInt || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return n, true
}

// The classes of characters, as bits of the table class.
const (
	identifierClass = 1 << iota
	subjectClass
	lowerHexClass
)

// class and nibble know of each byte which classes it is in, and which hex
// digit it is; 16 and above is none.
var class, nibble = classTables()

func classTables() (class, nibble [256]byte) {
	for i := range nibble {
		nibble[i] = 0xff
	}
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-") {
		class[c] |= identifierClass | subjectClass
	}
	class['/'] |= identifierClass
	for i, c := range []byte("0123456789abcdef") {
		class[c] |= lowerHexClass
		nibble[c] = byte(i)
	}
	return class, nibble
}

// allInClass reports whether every byte of s is in the class.
func allInClass[T Text](s T, of byte) bool {
	for i := range len(s) {
		if class[s[i]]&of == 0 {
			return false
		}
	}
	return true
}
