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
	idNameBounds    = "0603551d1e"
	idPolicies      = "0603551d20"
	idAuthority     = "0603551d23"
	idUsages        = "0603551d25"
	idPrivate       = "06092b0601040186b50f01"
	idWithLongArc   = "06146983ffffffffffffffffffffffffffffffffff7f"
	critical        = "0101ff"
	clientAndServer = "06082b0601050507030206082b06010505070301"
)

// value sets the content of an extension.
func value(id, digits string) func(*draft) {
	return func(d *draft) { d.at(id).value = raw(digits) }
}

// without removes extensions.
func without(ids ...string) func(*draft) {
	return func(d *draft) {
		for _, id := range ids {
			d.drop(id)
		}
	}
}

// block puts something in the place of the extensions with their tag.
func block(build func(list []byte) []byte) func(*draft) {
	return func(d *draft) { d.block = build(d.list()) }
}

// further adds an extension, given in DER, behind the others.
func further(digits string) func(*draft) {
	return block(func(list []byte) []byte { return der(0xa3, sequence(content(list), raw(digits))) })
}

// extensionForms are deviations of the list of extensions, and of extensions
// that are opaque.
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
		{"an empty extension", form, form, further("3000")},
		{"an extension that is a SET", form, form, further("310f" + idPrivate + "04020500")},
		{"an extension without content", form, form, further("300b" + idPrivate)},
		{"an extension with a BIT STRING", form, form, further("300f" + idPrivate + "03020500")},
		{"an extension with a constructed OCTET STRING", form, form, further("3011" + idPrivate + "240404020500")},
		{"an extension with a fourth member", form, form, further("3014" + idPrivate + critical + "040205000500")},
		{"an extension with critical FALSE", form, form, further("3012" + idPrivate + "010100" + "04020500")},
		{"an extension with critical 1", form, form, further("3012" + idPrivate + "010101" + "04020500")},
		{"an extension with critical of two octets", form, form, further("3013" + idPrivate + "0102ffff" + "04020500")},
		{"an extension with critical twice", form, form, further("3015" + idPrivate + critical + critical + "04020500")},
		{"an extension with critical behind", form, form, further("3012" + idPrivate + "04020500" + critical)},
		{"an extension with critical an INTEGER", form, form, further("3012" + idPrivate + "020101" + "04020500")},
		{"an extension with a relative identifier", form, form, further("3008" + "0d022a03" + "04020500")},
		{"an opaque extension twice", form, form, further("300f" + idPrivate + "04020500" + "300f" + idPrivate + "04020500")},
		{"basicConstraints twice", form, form, further("3009" + idConstraints + "04023000")},
		{"an explicit critical FALSE on a known extension", form, form,
			func(d *draft) { d.at(idConstraints).critical = raw("010100") }},
		{"an extension that nobody knows", constrained, nothing, value(idPrivate, "0500")},
		{"a critical extension that nobody knows", constrained, nothing,
			func(d *draft) { *d.at(idPrivate) = extension{raw(idPrivate), raw(critical), raw("0500")} }},
		{"an extension with an arc of 128 bits", constrained, nothing, value(idWithLongArc, "0500")},
		{"an extension with an arc above 2^31", constrained, nothing, value("06062a9080808000", "0500")},
		{"authorityKeyIdentifier that is none", nothing, nothing, value(idAuthority, "3003ffffff")},
		{"authorityKeyIdentifier of no DER at all", nothing, nothing, value(idAuthority, "ffffff")},
		{"authorityKeyIdentifier of no octets", nothing, nothing, value(idAuthority, "")},
		{"authorityKeyIdentifier with an octet behind", nothing, nothing, value(idAuthority, "300000")},
		{"critical authorityKeyIdentifier", constrained, nothing, func(d *draft) {
			*d.at(idAuthority) = extension{raw(idAuthority), raw(critical), raw("3000")}
		}},
		{"certificatePolicies that are none", nothing, nothing, value(idPolicies, "3000")},
		{"nameConstraints against every name", constrained, nothing, value(idNameBounds, "300aa1083006820474657374")},
		{"critical certificatePolicies", constrained, nothing,
			func(d *draft) { *d.at(idPolicies) = extension{raw(idPolicies), raw(critical), raw("3000")} }},
		{"subjectKeyIdentifier that is none", nothing, nothing, value("0603551d0e", "00")},
		{"an identifier that begins as subjectKeyIdentifier", constrained, nothing, value("0604551d0e01", "0500")},
		{"cRLDistributionPoints that are none", nothing, nothing, value("0603551d1f", "0500")},
		{"freshestCRL", constrained, nothing, value("0603551d2e", "3000")},
		{"authorityInfoAccess that is none", nothing, nothing, value("06082b06010505070101", "0500")},
		{"subjectInfoAccess", constrained, nothing, value("06082b0601050507010b", "3000")},
		{"certificate timestamps that are none", nothing, nothing, value("060a2b06010401d679020402", "0500")},
		{"precertificate poison, not critical", constrained, nothing, value("060a2b06010401d679020403", "0500")},
		{"Microsoft's application policies", constrained, nothing, value("06092b060104018237150a", "300830060604551d2500")},
		{"Microsoft's account SID", constrained, nothing, value("06092b0601040182371902", "3000")},
		{"nsCertType", constrained, nothing, value("06096086480186f8420101", "03020007")},
		{"proxyCertInfo", constrained, nothing, value("06082b0601050507010e", "300c300a06082b06010505071501")},
		{"DelegationUsage", constrained, nothing, value("06092b0601040182da4b2c", "0500")},
		{"issuerAltName", constrained, nothing, value("0603551d12", "3003820161")},
		{"policyMappings", constrained, nothing, value("0603551d21", "3000")},
		{"extensions in reverse order", nothing, nothing, func(d *draft) { slices.Reverse(d.extensions) }},
	}
}

// basicConstraints are deviations of that extension.
func basicConstraints() []formDeviation {
	set := func(digits string) func(*draft) { return value(idConstraints, digits) }
	return []formDeviation{
		{"basicConstraints of no octets", form, form, set("")},
		{"basicConstraints of no DER", form, form, set("ff")},
		{"basicConstraints a SET", form, form, set("31030101ff")},
		{"basicConstraints with an octet behind", form, form, set("30030101ff00")},
		{"basicConstraints with cA 1", form, form, set("3003010101")},
		{"basicConstraints with cA of no octets", form, form, set("30020100")},
		{"basicConstraints with cA twice", form, form, set("30060101ff0101ff")},
		{"basicConstraints with the length first", form, form, set("30060201000101ff")},
		{"basicConstraints with a negative length", form, form, set("30060101ff0201ff")},
		{"basicConstraints with a length that is not minimal", form, form, set("30070101ff02020001")},
		{"basicConstraints with a length of no octets", form, form, set("30050101ff0200")},
		{"basicConstraints with a third member", form, form, set("30090101ff020100020100")},
		{"basicConstraints with NULL", form, form, set("30050101ff0500")},
		{"basicConstraints empty", nothing, issued, set("3000")},
		{"basicConstraints with cA FALSE", nothing, issued, set("3003010100")},
		{"basicConstraints with cA FALSE and a length", nothing, issued, set("3006010100020100")},
		{"basicConstraints with a length alone", nothing, issued, set("3003020100")},
		{"basicConstraints with cA TRUE", constrained, nothing, set("30030101ff")},
		{"basicConstraints with a length of 2^64", constrained, nothing, set("300e0101ff0209010000000000000000")},
		{"basicConstraints missing", nothing, issued, without(idConstraints)},
		{"basicConstraints not critical", nothing, nothing, func(d *draft) { d.at(idConstraints).critical = nil }},
	}
}

// keyUsages are deviations of keyUsage.
func keyUsages() []formDeviation {
	set := func(digits string) func(*draft) { return value(idKeyUsage, digits) }
	return []formDeviation{
		{"keyUsage of no octets", form, form, set("")},
		{"keyUsage an OCTET STRING", form, form, set("04020106")},
		{"keyUsage constructed", form, form, set("230403020106")},
		{"keyUsage without its count of unused bits", form, form, set("0300")},
		{"keyUsage of no bits", form, form, set("030100")},
		{"keyUsage of no bits, one unused", form, form, set("030101")},
		{"keyUsage with a last bit of 0", form, form, set("03020006")},
		{"keyUsage with a last bit of 0, and unused ones", form, form, set("03020580")},
		{"keyUsage with an unused bit of 1", form, form, set("030202a6")},
		{"keyUsage with eight unused bits", form, form, set("0303080600")},
		{"keyUsage of ten bits", form, form, set("0303060640")},
		{"keyUsage of sixteen bits", form, form, set("0303000601")},
		{"keyUsage of seventeen bits", form, form, set("030407060080")},
		{"keyUsage with an octet behind", form, form, set("0302010600")},
		{"keyUsage with nine bits", constrained, issued, set("0303078080")},
		{"keyUsage with all nine bits", constrained, nothing, set("030307ff80")},
		{"keyUsage keyCertSign", constrained, nothing, set("03020204")},
		{"keyUsage cRLSign", constrained, issued, set("03020102")},
		{"keyUsage digitalSignature", nothing, issued, set("03020780")},
		{"keyUsage nonRepudiation", constrained, issued, set("03020640")},
		{"keyUsage keyEncipherment", constrained, issued, set("03020520")},
		{"keyUsage dataEncipherment", constrained, issued, set("03020410")},
		{"keyUsage keyAgreement", nothing, issued, set("03020308")},
		{"keyUsage encipherOnly", constrained, issued, set("03020001")},
		{"keyUsage decipherOnly", constrained, issued, set("0303070080")},
		{"keyUsage missing", nothing, nothing, without(idKeyUsage)},
	}
}

// extendedKeyUsages are deviations of extKeyUsage. An issuer's must be read but
// is not judged.
func extendedKeyUsages() []formDeviation {
	set := func(digits string) func(*draft) { return value(idUsages, digits) }
	return []formDeviation{
		{"extKeyUsage empty", form, form, set("3000")},
		{"extKeyUsage of no octets", form, form, set("")},
		{"extKeyUsage a SET", form, form, set("3114" + clientAndServer)},
		{"extKeyUsage a bare identifier", form, form, set("06082b06010505070301")},
		{"extKeyUsage with NULL", form, form, set("3016" + clientAndServer + "0500")},
		{"extKeyUsage with an octet behind", form, form, set("3014" + clientAndServer + "00")},
		{"extKeyUsage with an identifier of no octets", form, form, set("3016" + clientAndServer + "0600")},
		{"extKeyUsage with an identifier that breaks off", form, form, set("3017" + clientAndServer + "060186")},
		{"extKeyUsage with a usage twice", constrained, nothing, set("301e" + clientAndServer + "06082b06010505070301")},
		{"extKeyUsage with a further usage", constrained, nothing, set("301e" + clientAndServer + "06082b06010505070303")},
		{"extKeyUsage with anyExtendedKeyUsage", constrained, nothing, set("301a" + clientAndServer + "0604551d2500")},
		{"extKeyUsage with an arc of 128 bits", constrained, nothing, set("302a" + clientAndServer + idWithLongArc)},
		{"extKeyUsage with an identifier of 264 octets that begins as serverAuth", constrained, nothing, func(d *draft) {
			long := slices.Concat(raw("2b06010505070301"), bytes.Repeat([]byte{1}, 256))
			d.at(idUsages).value = sequence(raw("06082b06010505070302"), der(0x06, long))
		}},
		{"extKeyUsage with one usage", constrained, nothing, set("300a06082b06010505070301")},
		{"extKeyUsage in another order", nothing, nothing, set("301406082b0601050507030106082b06010505070302")},
		{"extKeyUsage missing", constrained, nothing, without(idUsages)},
		{"extKeyUsage critical", nothing, nothing, func(d *draft) {
			*d.at(idUsages) = extension{raw(idUsages), raw(critical), raw("3014" + clientAndServer)}
		}},
	}
}

// entries sets subjectAltName to the honest names, which are in DER, and
// further entries.
func entries(digits string) func(*draft) {
	return func(d *draft) {
		honest := slices.Concat(der(0x82, []byte("payments.acme.example")),
			der(0x86, []byte("spiffe://acme.example/payments-api")))
		d.at(idNames).value = sequence(honest, raw(digits))
	}
}

// alternativeNames are deviations of subjectAltName. An issuer's entries are
// not judged.
func alternativeNames() []formDeviation {
	return []formDeviation{
		{"subjectAltName empty", form, form, value(idNames, "3000")},
		{"subjectAltName of no octets", form, form, value(idNames, "")},
		{"subjectAltName a SET", form, form, value(idNames, "3103820161")},
		{"subjectAltName with an octet behind", form, form, value(idNames, "300382016100")},
		{"entry that breaks off", form, form, entries("8205")},
		{"entry with a long length", form, form, entries("82810161")},
		{"entry with an indefinite length", form, form, entries("a2800000")},
		{"entry with a tag number of 31", form, form, entries("9f1f0161")},
		{"otherName", constrained, nothing, entries("a00906032a0304a0020500")},
		{"x400Address", constrained, nothing, entries("a300")},
		{"directoryName", constrained, nothing, entries("a4023000")},
		{"ediPartyName", constrained, nothing, entries("a500")},
		{"registeredID", constrained, nothing, entries("88022a03")},
		{"context tag 9", constrained, nothing, entries("890161")},
		{"dNSName constructed", constrained, nothing, entries("a203820161")},
		{"dNSName constructed, of no octets", constrained, nothing, entries("a200")},
		{"iPAddress constructed", constrained, nothing, entries("a70401020304")},
		{"dNSName with a universal tag", constrained, nothing, entries("020161")},
		{"dNSName with an application tag", constrained, nothing, entries("420161")},
		{"dNSName with a private tag", constrained, nothing, entries("c20161")},
		{"IA5String", constrained, nothing, entries("160161")},
		{"dNSName of no octets", constrained, nothing, entries("8200")},
		{"dNSName with NUL", constrained, nothing, entries("8203610062")},
		{"dNSName beyond ASCII", constrained, nothing, entries("8202c3a4")},
		{"dNSName of invalid UTF-8", constrained, nothing, entries("8201ff")},
		{"honest dNSName twice", constrained, nothing, entries("82157061796d656e74732e61636d652e6578616d706c65")},
		{"iPAddress of no octets", constrained, nothing, entries("8700")},
		{"iPAddress of 5 octets", constrained, nothing, entries("87050102030405")},
		{"iPAddress of 8 octets", constrained, nothing, entries("87080102030405060708")},
		{"iPAddress of 4 octets, mapped", constrained, nothing, entries("871000000000000000000000ffff01020304")},
		{"iPAddress that was not agreed", constrained, nothing, entries("870401020304")},
		{"further rfc822Name", constrained, nothing, entries("8103614062")},
		{"subjectAltName critical", nothing, nothing,
			func(d *draft) { entries("")(d); d.at(idNames).critical = raw(critical) }},
		{"subjectAltName missing", constrained, nothing, without(idNames)},
	}
}
