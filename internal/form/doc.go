// Package form reads the closed objects of the formats into typed values.
//
// # Objects
//
// A [Reader] knows every member beforehand, optional ones with a "?", and each
// accessor decides exactly one value form (SPEC 1.2). Nothing stops at the first
// fault: the reader collects them all, with pointer and offset.
//
// # Values
//
// The formats write digests, keys, signatures, times, identifiers, serials and generations as
// text (SPEC 1). Each kind of value has exactly one right spelling, and every function here
// accepts that one and no other. Libraries for such encodings are more lenient than that: they
// skip newlines in base64 and ignore its spare bits, take upper-case hex, or cut the digits of
// a time. Two spellings of one value would let two documents differ and yet say the same. So a
// decoded value is encoded again and compared, or all its characters are checked. These
// functions are pure and take text of any length. Those that whole journals go through take
// bytes as well as strings, and allocate nothing.
//
// # Bounds
//
// Every bound on a document is a constant Max... with its reason (SPEC 1.6).
package form
