package second_test

import (
	"bytes"
	"slices"
)

// finished changes the whole DER of a certificate.
func finished(change func([]byte) []byte) func(*draft) {
	return func(d *draft) {
		build := d.build
		d.build = func(tbs, algorithm, signature []byte) []byte { return change(build(tbs, algorithm, signature)) }
	}
}

// built puts a certificate together in another way.
func built(build func(tbs, algorithm, signature []byte) []byte) func(*draft) {
	return func(d *draft) { d.build = build }
}

// outerForms are deviations of the outermost layer (SPEC 7.12, rules 1 and 2).
func outerForms() []formDeviation {
	return []formDeviation{
		{"an octet behind", form, form, finished(func(c []byte) []byte { return append(c, 0) })},
		{"an octet missing", form, form, finished(func(c []byte) []byte { return c[:len(c)-1] })},
		{"twice", form, form, finished(func(c []byte) []byte { return slices.Concat(c, c) })},
		{"a SET", form, form, finished(func(c []byte) []byte { return append([]byte{0x31}, c[1:]...) })},
		{"a primitive SEQUENCE", form, form, finished(func(c []byte) []byte { return append([]byte{0x10}, c[1:]...) })},
		{"an indefinite length", form, form,
			finished(func(c []byte) []byte { return slices.Concat(raw("3080"), content(c), raw("0000")) })},
		{"a length of three octets that needs two", form, form,
			finished(func(c []byte) []byte { return append([]byte{0x30, 0x83, 0}, c[2:]...) })},
		{"empty", form, form, finished(func([]byte) []byte { return raw("3000") })},
		{"text", form, form, finished(func([]byte) []byte { return []byte("-----BEGIN CERTIFICATE-----") })},
		{"a fourth member", form, form, built(func(t, a, s []byte) []byte { return sequence(t, a, s, raw("0500")) })},
		{"no signature", form, form, built(func(t, a, _ []byte) []byte { return sequence(t, a) })},
		{"members in another order", form, form, built(func(t, a, s []byte) []byte { return sequence(a, t, s) })},
		{"tbsCertificate a SET", form, form,
			built(func(t, a, s []byte) []byte { return sequence(append([]byte{0x31}, t[1:]...), a, s) })},
		{"tbsCertificate with a long length", form, form, built(func(t, a, s []byte) []byte {
			return sequence(append([]byte{0x30, 0x83, 0}, t[2:]...), a, s)
		})},
	}
}

// memberForms are deviations of the serial number, with a receipt that does not follow, and of the
// validity, which of an issuer need only be read.
func memberForms() []formDeviation {
	until := func(end []byte) func(*draft) { return func(d *draft) { d.set("until", end) } }
	return []formDeviation{
		{"negative serial of 20 octets", identified, nothing,
			func(d *draft) { d.serial = der(0x02, bytes.Repeat([]byte{0x80}, 20)) }},
		{"serial of 2^160", identified, nothing, func(d *draft) { d.serial = der(0x02, []byte{1}, make([]byte, 20)) }},
		{"serial of 1000 octets", identified, nothing,
			func(d *draft) { d.serial = der(0x02, bytes.Repeat([]byte{0x55}, 1000)) }},
		{"one time", form, form, func(d *draft) { d.validity = sequence(children(d.validity)[0]) }},
		{"three times", form, form, func(d *draft) { d.validity = sequence(content(d.validity), utc("260309090101Z")) }},
		{"validity a SET", form, form, func(d *draft) { d.validity = der(0x31, content(d.validity)) }},
		{"a time constructed", form, form, until(der(0x37, utc("260309090101Z")))},
		{"a time as PrintableString", form, form, until(der(0x13, []byte("260309090101Z")))},
	}
}

func utc(digits string) []byte         { return der(0x17, []byte(digits)) }
func generalized(digits string) []byte { return der(0x18, []byte(digits)) }

// spki puts a subjectPublicKeyInfo together from algorithm and key of another.
func spki(build func(algorithm, key []byte) []byte) func(*draft) {
	return func(d *draft) {
		members := children(d.keyInfo)
		d.keyInfo = build(members[0], members[1])
	}
}

// keyForms are deviations of the form of subjectPublicKeyInfo.
func keyForms() []formDeviation {
	return []formDeviation{
		{"key missing", form, form, spki(func(a, _ []byte) []byte { return sequence(a) })},
		{"key with a third member", form, form, spki(func(a, k []byte) []byte { return sequence(a, k, raw("0500")) })},
		{"key info a SET", form, form, spki(func(a, k []byte) []byte { return der(0x31, a, k) })},
		{"key an OCTET STRING", form, form, spki(func(a, k []byte) []byte { return sequence(a, der(0x04, content(k)[1:])) })},
		{"key without its count of unused bits", form, form,
			spki(func(a, _ []byte) []byte { return sequence(a, raw("0300")) })},
		{"key with an unused bit", form, form,
			spki(func(a, k []byte) []byte { return sequence(a, der(0x03, []byte{1}, content(k)[1:], []byte{0})) })},
		{"key of no octets", identified, issued, spki(func(a, _ []byte) []byte { return sequence(a, raw("030100")) })},
		{"key algorithm a SET", form, form, spki(func(a, k []byte) []byte { return sequence(der(0x31, content(a)), k) })},
		{"key algorithm with two parameters", form, form,
			spki(func(a, k []byte) []byte { return sequence(sequence(content(a), raw("0500")), k) })},
		{"key algorithm without identifier", form, form, spki(func(_, k []byte) []byte { return sequence(raw("3000"), k) })},
		{"key algorithm that nobody knows", identified, issued,
			spki(func(_, k []byte) []byte { return sequence(raw("300506032a0304"), k) })},
		{"key algorithm without parameters", identified, issued,
			spki(func(_, k []byte) []byte { return sequence(raw("300906072a8648ce3d0201"), k) })},
		{"key algorithm with NULL", identified, issued,
			spki(func(_, k []byte) []byte { return sequence(raw("300b06072a8648ce3d02010500"), k) })},
		{"key algorithm with another curve", identified, issued,
			spki(func(_, k []byte) []byte { return sequence(raw("301006072a8648ce3d020106052b81040022"), k) })},
		{"key algorithm id-ecDH", identified, issued,
			spki(func(_, k []byte) []byte { return sequence(raw("301106052b8104010c06082a8648ce3d030107"), k) })},
		{"point compressed", identified, issued,
			point(func(p []byte) []byte { return append([]byte{2 + p[64]&1}, p[1:33]...) })},
		{"point hybrid", identified, issued, point(func(p []byte) []byte { return append([]byte{6 + p[64]&1}, p[1:]...) })},
		{"point at infinity", identified, issued, point(func([]byte) []byte { return []byte{0} })},
		{"point off the curve", identified, issued, point(func(p []byte) []byte { return append(p[:64:64], p[64]^1) })},
		{"point with an octet behind", identified, issued, point(func(p []byte) []byte { return append(p, 0) })},
		{"point without its last octet", identified, issued, point(func(p []byte) []byte { return p[:64] })},
		{"point with a coordinate above the prime", identified, issued, point(func(p []byte) []byte {
			return slices.Concat(p[:1], bytes.Repeat([]byte{0xff}, 32), p[33:])
		})},
	}
}

// point changes the bytes of an elliptic-curve key.
func point(change func([]byte) []byte) func(*draft) {
	return spki(func(a, k []byte) []byte { return sequence(a, bits(change(slices.Clone(content(k)[1:])))) })
}
