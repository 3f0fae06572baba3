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

// signature puts a value in the place of the signature.
func signature(digits string) func(*draft) {
	return func(d *draft) { d.signature = raw(digits) }
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
		{"signature with an unused bit", form, form, signature("03020100")},
		{"signature without its count of unused bits", form, form, signature("0300")},
		{"signature with eight unused bits", form, form, signature("03020800")},
		{"signature constructed", form, form, signature("230403020000")},
		{"signature an OCTET STRING", form, form, signature("04020000")},
		{"signature of no octets", issued, nothing, signature("030100")},
		{"signature of zero", issued, nothing, signature("03020000")},
	}
}

// algorithms sets the signature algorithm inside and outside.
func algorithms(digits string) func(*draft) {
	return func(d *draft) { d.algorithm(raw(digits)) }
}

// algorithmForms are deviations of the signature algorithm. Of an issuer it is
// not judged.
func algorithmForms() []formDeviation {
	return []formDeviation{
		{"another algorithm outside", form, form, func(d *draft) { d.outer = raw("300a06082a8648ce3d040303") }},
		{"another algorithm inside", form, form, func(d *draft) { d.inner = raw("300a06082a8648ce3d040303") }},
		{"NULL outside only", form, form, func(d *draft) { d.outer = raw("300c06082a8648ce3d0403020500") }},
		{"algorithm with two parameters", form, form, algorithms("300e06082a8648ce3d04030205000500")},
		{"algorithm without an identifier", form, form, algorithms("3000")},
		{"algorithm a SET", form, form, algorithms("310a06082a8648ce3d040302")},
		{"algorithm with a relative identifier", form, form, algorithms("300a0d082a8648ce3d040302")},
		{"identifier of no octets", form, form, algorithms("30020600")},
		{"identifier that breaks off", form, form, algorithms("300406022a86")},
		{"identifier with a leading 0x80", form, form, algorithms("300506032a8001")},
		{"identifier that begins with 0x80", form, form, algorithms("30040602802a")},
		{"parameter with a tag number of 31", form, form, algorithms("300e06082a8648ce3d0403021f1f0100")},
		{"parameter that breaks off", form, form, algorithms("300d06082a8648ce3d0403020402ff")},
		{"parameter with a long length", form, form, algorithms("300d06082a8648ce3d040302048100")},
		{"parameter with octets that are no DER", issued, nothing, algorithms("300e06082a8648ce3d0403023002ffff")},
		{"parameter that is no BOOLEAN of DER", issued, nothing, algorithms("300d06082a8648ce3d040302010107")},
		{"algorithm with NULL", issued, nothing, algorithms("300c06082a8648ce3d0403020500")},
		{"algorithm that nobody knows", issued, nothing, algorithms("300506032a0304")},
		{"identifier with an arc above 2^31", issued, nothing, algorithms("300806062a9080808000")},
		{"identifier with an arc of 128 bits", issued, nothing,
			algorithms("301606146983ffffffffffffffffffffffffffffffffff7f")},
	}
}

// version sets the version, which may be no bytes at all.
func version(digits string) func(*draft) {
	return func(d *draft) { d.version = raw(digits) }
}

// versionForms are deviations of the version.
func versionForms() []formDeviation {
	bare := func(digits string) func(*draft) {
		return func(d *draft) { d.version, d.block = raw(digits), []byte{} }
	}
	return []formDeviation{
		{"version 1, written", form, form, version("a003020100")},
		{"version 1, written, without extensions", form, form, bare("a003020100")},
		{"version 4", form, form, version("a003020103")},
		{"version -1", form, form, version("a0030201ff")},
		{"version with a leading zero", form, form, version("a00402020002")},
		{"version of five octets", form, form, version("a00702050100000002")},
		{"version twice", form, form, version("a006020102020102")},
		{"version without a number", form, form, version("a000")},
		{"version an ENUMERATED", form, form, version("a0030a0102")},
		{"version with an implicit tag", form, form, version("800102")},
		{"version without its wrapper", form, form, version("020102")},
		{"version 1 with extensions", form, form, version("")},
		{"version 2 with extensions", form, form, version("a003020101")},
		{"version 1 without extensions", constrained, issued, bare("")},
		{"version 2 without extensions", constrained, issued, bare("a003020101")},
		{"version 3 without extensions", constrained, issued, bare("a003020102")},
	}
}

// number sets the serial number.
func number(digits string) func(*draft) {
	return func(d *draft) { d.serial = raw(digits) }
}

// serialForms are deviations of the serial number, with a receipt that does not
// follow.
func serialForms() []formDeviation {
	return []formDeviation{
		{"no serial", form, form, number("")},
		{"serial an ENUMERATED", form, form, number("0a0101")},
		{"serial constructed", form, form, number("2203020101")},
		{"serial of no octets", form, form, number("0200")},
		{"serial with a leading zero", form, form, number("02020001")},
		{"negative serial with a leading 0xff", form, form, number("0202ff80")},
		{"serial 0", identified, nothing, number("020100")},
		{"serial -1", identified, nothing, number("0201ff")},
		{"negative serial of 20 octets", identified, nothing,
			func(d *draft) { d.serial = der(0x02, bytes.Repeat([]byte{0x80}, 20)) }},
		{"serial of 2^160", identified, nothing, func(d *draft) { d.serial = der(0x02, []byte{1}, make([]byte, 20)) }},
		{"serial of 1000 octets", identified, nothing,
			func(d *draft) { d.serial = der(0x02, bytes.Repeat([]byte{0x55}, 1000)) }},
	}
}

// nameForms are deviations of the two names. Their content is opaque, but the issuer's must be
// alike in both certificates.
func nameForms() []formDeviation {
	return []formDeviation{
		{"issuer's name a SET", form, form, func(d *draft) { d.issuer = raw("3100") }},
		{"issuer's name a primitive SEQUENCE", form, form, func(d *draft) { d.issuer = raw("1000") }},
		{"issuer's name missing", form, form, func(d *draft) { d.issuer = nil }},
		{"issuer's name breaks off", form, form, func(d *draft) { d.issuer = raw("30820fff") }},
		{"issuer's name with octets that are no DER", issued, nothing, func(d *draft) { d.issuer = raw("3003ffffff") }},
		{"subject a SET", form, form, func(d *draft) { d.subject = raw("3100") }},
		{"subject an OCTET STRING", form, form, func(d *draft) { d.subject = raw("0400") }},
		{"subject missing", form, form, func(d *draft) { d.subject = nil }},
		{"subject with a long length", form, form, func(d *draft) { d.subject = raw("308100") }},
		{"subject with octets that are no DER", constrained, issued, func(d *draft) { d.subject = raw("3003ffffff") }},
		{"subject empty", nothing, issued, func(d *draft) { d.subject = raw("3000") }},
	}
}

func utc(digits string) []byte         { return der(0x17, []byte(digits)) }
func generalized(digits string) []byte { return der(0x18, []byte(digits)) }

// until sets the end of the validity.
func until(end []byte) func(*draft) {
	return func(d *draft) { d.validity = sequence(children(d.validity)[0], end) }
}

// timeForms are deviations of the validity. Of an issuer it need only be read.
func timeForms() []formDeviation {
	forms := []formDeviation{
		{"one time", form, form, func(d *draft) { d.validity = sequence(children(d.validity)[0]) }},
		{"three times", form, form, func(d *draft) { d.validity = sequence(content(d.validity), utc("260309090101Z")) }},
		{"validity a SET", form, form, func(d *draft) { d.validity = der(0x31, content(d.validity)) }},
		{"a time constructed", form, form, until(der(0x37, utc("260309090101Z")))},
		{"a time as PrintableString", form, form, until(der(0x13, []byte("260309090101Z")))},
	}
	for name, digits := range map[string]string{
		"UTCTime without seconds":            "2603090901Z",
		"UTCTime with an offset":             "260309090101+0000",
		"UTCTime without Z":                  "260309090101",
		"UTCTime with z":                     "260309090101z",
		"UTCTime with a fraction":            "260309090101.0Z",
		"UTCTime with a year of four digits": "20260309090101Z",
		"UTCTime with a sign":                "26030909010+1Z",
		"UTCTime with blanks":                "2603 9 9 1 1Z",
		"UTCTime of no octets":               "",
		"UTCTime, month 0":                   "260009090101Z",
		"UTCTime, month 13":                  "261309090101Z",
		"UTCTime, day 0":                     "260300090101Z",
		"UTCTime, 30 February":               "260230090101Z",
		"UTCTime, 29 February 2026":          "260229090101Z",
		"UTCTime, hour 24":                   "260309240000Z",
		"UTCTime, minute 60":                 "260309096001Z",
		"UTCTime, second 60":                 "260309090160Z",
		"UTCTime with a line feed":           "260309090101Z\n",
	} {
		forms = append(forms, formDeviation{name, form, form, until(utc(digits))})
	}
	for name, digits := range map[string]string{
		"GeneralizedTime of 2049":              "20491231235959Z",
		"GeneralizedTime of 2026":              "20260309090101Z",
		"GeneralizedTime of 1949":              "19491231235959Z",
		"GeneralizedTime of 0000":              "00000101000000Z",
		"GeneralizedTime without seconds":      "205103090901Z",
		"GeneralizedTime with a fraction":      "20510309090101.5Z",
		"GeneralizedTime with a fraction of 0": "20510309090101.000Z",
		"GeneralizedTime with an offset":       "20510309090101+0000",
		"GeneralizedTime without Z":            "20510309090101",
		"GeneralizedTime, 29 February 2100":    "21000229000000Z",
		"GeneralizedTime of 10000":             "100000101000000Z",
		"GeneralizedTime, second 60":           "20510309090160Z",
	} {
		forms = append(forms, formDeviation{name, form, form, until(generalized(digits))})
	}
	for name, end := range map[string][]byte{
		"UTCTime of 2049":                   utc("491231235959Z"),
		"UTCTime of 1950":                   utc("500101000000Z"),
		"UTCTime of 1999":                   utc("991231235959Z"),
		"UTCTime of 2000":                   utc("000101000000Z"),
		"UTCTime, 29 February 2028":         utc("280229000000Z"),
		"GeneralizedTime of 2050":           generalized("20500101000000Z"),
		"GeneralizedTime of 9999":           generalized("99991231235959Z"),
		"GeneralizedTime, 29 February 2400": generalized("24000229000000Z"),
	} {
		forms = append(forms, formDeviation{name, identified, nothing, until(end)})
	}
	slices.SortFunc(forms, func(a, b formDeviation) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return forms
}

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
		{"key info missing", form, form, func(d *draft) { d.keyInfo = nil }},
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
