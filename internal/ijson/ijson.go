// Package ijson reads JSON documents under the strict profile of the formats
// (SPEC 1). It also writes their canonical form.
//
// # The profile
//
// A document is I-JSON (RFC 7493) with a few rules more:
//
//   - It is UTF-8 without a byte order mark, and has one value, with nothing but
//     white space around it.
//   - Within an object no two names are equal. Names are compared as text, so
//     "a" and "\u0061" are equal, and "a" and "A" are not.
//   - Strings and names hold no unpaired surrogate and no noncharacter
//     (U+FDD0 to U+FDEF, and the last two code points of each plane), neither
//     raw nor escaped.
//   - A number is an integer from -(2^53-1) to 2^53-1 in plain decimal: no
//     fraction, exponent, leading zero, plus sign or minus zero.
//   - null does not occur.
//   - Arrays and objects nest at most [MaxDepth] deep. The outermost value is
//     level 1; an array or object within it is level 2; a string, number or
//     boolean is at the level of the array or object that holds it.
//
// [Parse] reads such a document into a tree of [Value], and refuses any other with a [Fault],
// which states the fault and its place.
//
// # The canonical form
//
// Hashes and signatures are over the canonical form of RFC 8785 (JCS).
// [IsCanonical] recognises it in one pass, so that a document that is
// canonical already, as nearly every one is, is hashed as it was read.
// [Value.Canonical] writes it for the others. Three parts of this package
// therefore know the profile, the parser, the recogniser and the writer; the
// tests hold them to the same answer.
package ijson

// Limits on a document, checked before the work that they bound.
const (
	// MaxDepth is how deep arrays and objects may nest. The formats need
	// about ten levels; the limit bounds every walk over a document.
	MaxDepth = 32

	// MaxSize is how many bytes a document may have. The largest document of
	// the formats, a bundle, has its own and lower limit of 16 MiB; this one
	// keeps positions in 32 bits and memory bounded for every caller.
	MaxSize = 64 << 20
)

// maxInteger is the largest integer that a double holds with all its
// neighbours (RFC 7493, section 2.2).
const maxInteger = 1<<53 - 1
