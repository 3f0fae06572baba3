package second_test

import (
	"bytes"
	"slices"
)

// The object identifiers of extensions, in DER.
const (
	idKeyUsage      = "0603551d0f"
	idNames         = "0603551d11"
	idConstraints   = "0603551d13"
	idUsages        = "0603551d25"
	idWithLongArc   = "06146983ffffffffffffffffffffffffffffffffff7f"
	critical        = "0101ff"
	clientAndServer = "06082b0601050507030206082b06010505070301"
)

// value sets the content of an extension.
func value(id, digits string) func(*draft) {
	return func(d *draft) { d.at(id).value = raw(digits) }
}

// block puts something in the place of the extensions with their tag.
func block(build func(list []byte) []byte) func(*draft) {
	return func(d *draft) { d.block = build(d.list()) }
}

// extensionForms are deviations of the list of extensions, and of some extensions.
func extensionForms() []formDeviation {
	return []formDeviation{
		{"issuerUniqueID", form, form, block(func(l []byte) []byte { return slices.Concat(raw("81020001"), der(0xa3, l)) })},
		{"subjectUniqueID", form, form, block(func(l []byte) []byte { return slices.Concat(raw("82020001"), der(0xa3, l)) })},
		{"a member behind the extensions", form, form,
			block(func(l []byte) []byte { return slices.Concat(der(0xa3, l), raw("0500")) })},
		{"extensions twice", form, form, block(func(l []byte) []byte { return slices.Concat(der(0xa3, l), der(0xa3, l)) })},
		{"two lists of extensions", form, form, block(func(l []byte) []byte { return der(0xa3, l, l) })},
		{"an empty list of extensions", form, form, block(func([]byte) []byte { return raw("a3023000") })},
		{"no list of extensions", form, form, block(func([]byte) []byte { return raw("a300") })},
		{"extensions a SET", form, form, block(func(l []byte) []byte { return der(0xa3, der(0x31, content(l))) })},
		{"extensions without their tag", form, form, block(func(l []byte) []byte { return l })},
		{"extensions with an implicit tag", form, form, block(func(l []byte) []byte { return der(0xa3, content(l)) })},
		{"an explicit critical FALSE on a known extension", form, form,
			func(d *draft) { d.at(idConstraints).critical = raw("010100") }},
		{"extensions in reverse order", nothing, nothing, func(d *draft) { slices.Reverse(d.extensions) }},
		{"basicConstraints not critical", nothing, nothing, func(d *draft) { d.at(idConstraints).critical = nil }},
		{"extKeyUsage with an identifier of 264 octets that begins as serverAuth", constrained, nothing, func(d *draft) {
			long := slices.Concat(raw("2b06010505070301"), bytes.Repeat([]byte{1}, 256))
			d.at(idUsages).value = sequence(raw("06082b06010505070302"), der(0x06, long))
		}},
		{"subjectAltName critical", nothing, nothing,
			func(d *draft) { d.set("names", nil); d.at(idNames).critical = raw(critical) }},
	}
}
