package second_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// serials are serial numbers that receipt and manifest have too.
func serials() []deviation {
	follow := func(name, digits, serial string) deviation {
		return deviation{"receipted " + name, nothing, func(e *evidence) { e.leaf.serial, e.serial = raw(digits), serial }}
	}
	return []deviation{
		follow("serial 1", "020101", "1"),
		follow("serial of an odd number of digits", "02020123", "123"),
		follow("serial of one octet and a leading zero", "02020080", "80"),
		follow("serial of 20 octets", "02147f"+strings.Repeat("ab", 19), "7f"+strings.Repeat("ab", 19)),
		follow("serial of 21 octets with a leading zero", "021500"+strings.Repeat("ff", 20), strings.Repeat("ff", 20)),
	}
}

// validities are ends of the validity that terms and receipt have too.
func validities() []deviation {
	until := func(name, breaks string, end []byte, at string, lifetime int64) deviation {
		return deviation{"receipted " + name, breaks, func(e *evidence) {
			e.leaf.validity = sequence(children(e.leaf.validity)[0], end)
			e.receipt["not_after"], e.terms["lifetime_seconds"] = at, lifetime
		}}
	}
	const start = "2026-03-02T09:01:01.000Z"
	seconds := func(at string) int64 {
		from, _ := seal.ParseTime(start)
		to, _ := seal.ParseTime(at)
		return to.Unix() - from.Unix()
	}
	last, first, far := "2049-12-31T23:59:59.000Z", "2050-01-01T00:00:00.000Z", "9999-12-31T23:59:59.000Z"
	return []deviation{
		until("end as the last UTCTime", nothing, utc("491231235959Z"), last, seconds(last)),
		until("end as the first GeneralizedTime", nothing, generalized("20500101000000Z"), first, seconds(first)),
		until("end as the last GeneralizedTime", nothing, generalized("99991231235959Z"), far, seconds(far)),
		until("end a second too far", identified, generalized("20500101000001Z"), first, seconds(first)),
		until("lifetime a second too short", identified, generalized("20500101000000Z"), first, seconds(first)-1),
	}
}

// subjects are subjects of the leaf (SPEC 8.17, sentence 6).
func subjects() []deviation {
	name := []byte("payments.acme.example")
	text := func(tag byte, octets []byte) []byte { return sequence(raw("0603550403"), der(tag, octets)) }
	one := func(attribute []byte) []byte { return sequence(der(0x31, attribute)) }
	subject := func(label, breaks string, value []byte) deviation {
		return deviation{"subject: " + label, breaks, func(e *evidence) { e.leaf.subject = value }}
	}
	good := text(0x13, name)
	return []deviation{
		subject("PrintableString", nothing, one(good)),
		subject("UTF8String", nothing, one(text(0x0c, name))),
		subject("BMPString", constrained, one(text(0x1e, wide(name)))),
		subject("IA5String", constrained, one(text(0x16, name))),
		subject("TeletexString", constrained, one(text(0x14, name))),
		subject("UTF8String, constructed", constrained, one(text(0x2c, der(0x0c, name)))),
		subject("UTF8String of no octets", constrained, one(text(0x0c, nil))),
		subject("PrintableString with an asterisk", constrained, one(text(0x13, []byte("*.acme.example")))),
		subject("name with NUL behind", constrained, one(text(0x0c, append(slices.Clone(name), 0)))),
		subject("name in capitals", constrained, one(text(0x13, bytes.ToUpper(name)))),
		subject("name of the URI", constrained, one(text(0x0c, []byte("spiffe://acme.example/payments-api")))),
		subject("two attributes in one SET", constrained, one(slices.Concat(good, good))),
		subject("two SETs", constrained, sequence(der(0x31, good), der(0x31, good))),
		subject("a SEQUENCE for the SET", constrained, sequence(sequence(good))),
		subject("an empty SET", constrained, raw("30023100")),
		subject("an empty attribute", constrained, one(raw("3000"))),
		subject("a SET for the attribute", constrained, one(der(0x31, content(good)))),
		subject("attribute with a third member", constrained, one(sequence(content(good), raw("0500")))),
		subject("attribute without value", constrained, one(sequence(raw("0603550403")))),
		subject("attribute that breaks off", constrained, raw("30043102300f")),
		subject("serialNumber", constrained, one(sequence(raw("0603550405"), der(0x13, name)))),
		subject("attribute with an arc of 128 bits", constrained, one(sequence(raw(idWithLongArc), der(0x13, name)))),
		{"subject: two attributes, and the name undefined agreed", constrained, func(e *evidence) {
			agree(e, "dns:undefined")
			e.leaf.subject = one(slices.Concat(good, good))
		}},
	}
}

func wide(text []byte) (pairs []byte) {
	for _, c := range text {
		pairs = append(pairs, 0, c)
	}
	return pairs
}

// agree makes terms and leaf agree on these names, and removes the subject.
func agree(e *evidence, names ...string) {
	var entries []byte
	for _, name := range names {
		kind, text, _ := strings.Cut(name, ":")
		octets := []byte(text)
		if kind == "ip" {
			octets = netip.MustParseAddr(text).WithZone("").AsSlice()
		}
		entries = append(entries, der(map[string]byte{"email": 0x81, "dns": 0x82, "uri": 0x86, "ip": 0x87}[kind], octets)...)
	}
	e.terms["names"] = seal.SortedStrings(names)
	e.leaf.at(idNames).value = sequence(entries)
	e.leaf.subject = raw("3000")
}

// agreedNames are names that everyone agreed to and the leaf has (SPEC 7.3).
func agreedNames() (all []deviation) {
	label := strings.Repeat("a", 63)
	good := []string{
		"dns:a", "dns:*.a", "dns:0a", "dns:0.a", "dns:1.2.3.4a", "dns:1-2", "dns:a.0xg", "dns:a--b.c", "dns:xn--a",
		"dns:" + label + ".b", "dns:" + strings.Repeat("a.", 126) + "a",
		"dns:*." + strings.Repeat("a.", 125) + "a", "dns:undefined",
		"ip:0.0.0.0", "ip:255.255.255.255", "ip:::", "ip:::1", "ip:::102:304", "ip:2001:db8::1:0:0:1",
		"ip:2001:db8:0:1:1:1:1:1", "ip:1::", "ip:1:0:0:2::",
		"ip:::fffe:102:304", "ip:64:ff9b::102:304", "email:a@b", "email:\"a\"@b", "email:!@!",
		"uri:a:b", "uri:A+.-1:/", "uri:a:%41%aF", "uri:a:[", "uri:a:]]", "uri:a://[::1]:x/", "uri:a:#?#",
		"uri:a:-._~:/?#[]@!$&'()*+,;=", "uri:a::",
		"uri:http://a:99999999/", "uri:" + strings.Repeat("a", 1018) + ":b",
	}
	bad := []string{
		"dns:*", "dns:*a.b", "dns:a.*.b", "dns:*.*.a", "dns:-a", "dns:a-", "dns:a..b", "dns:a.", "dns:.a", "dns:A",
		"dns:a_b", "dns:" + label + "a",
		"dns:" + strings.Repeat("a.", 126) + "aa", "dns:*." + strings.Repeat("a.", 125) + "aa", "dns:*.",
		"dns:0", "dns:1.2.3.4", "dns:*.42", "dns:a.0x", "dns:a.0x2a", "ip:2001:DB8::1", "ip:2001:db8:0:0:0:0:0:1",
		"ip:::1.2.3.4", "ip:::ffff:1.2.3.4", "ip:::ffff:102:304",
		"ip:fe80::1%eth0", "ip:2001:db8::1:1:1:1:1", "ip:1::2:0:0:0:0", "ip:00::", "email:a", "email:a@", "email:@b",
		"email:a@b@c",
		"email:a b@c", "email:a@b ", "email:a\tb@c", "email:a\x7f@b", "email:\u00e4@b",
		"uri:a", "uri:a:", "uri::b", "uri:1a:b", "uri:a:%", "uri:a:%4", "uri:a:%zz", "uri:a:b%4", "uri:a:\"", "uri:a:<b>",
		"uri:a:^", "uri:a:`", "uri:a:{}",
		"uri:a:|", "uri:a:\\", "uri:a_b:c", "uri:%41:b", "uri:" + strings.Repeat("a", 1019) + ":b",
	}
	for _, name := range good {
		all = append(all, deviation{"agreed " + name, nothing, func(e *evidence) { agree(e, name) }})
	}
	for _, name := range bad {
		all = append(all, deviation{"agreed " + name, form, func(e *evidence) { agree(e, name) }})
	}
	return append(all, deviation{"agreed names of every kind", nothing, func(e *evidence) {
		agree(e, "uri:a:b", "ip:1.2.3.4", "ip:2001:db8::1", "email:a@b", "dns:*.a.example", "dns:a.example")
	}})
}

// agreedUsages are extended key usages that everyone agreed to.
func agreedUsages() []deviation {
	return []deviation{
		{"agreed usages of every kind", nothing, func(e *evidence) {
			e.terms["extended_key_usages"] = seal.SortedStrings([]string{"clientAuth", "codeSigning", "emailProtection",
				"serverAuth", "timeStamping"})
			value(idUsages, "3032"+clientAndServer+"06082b0601050507030306082b0601050507030406082b06010505070308")(&e.leaf)
		}},
		{"agreed usages, and OCSPSigning", constrained, func(e *evidence) {
			value(idUsages, "301e"+clientAndServer+"06082b06010505070309")(&e.leaf)
		}},
	}
}

// agreedUses are all uses of a key, one at a time, for each kind of key and each
// extended key usage that was agreed. The tables have the bits of keyUsage that
// SPEC 8.17 gives to each.
func agreedUses() (all []deviation) {
	ofKey := map[string]string{"ecdsa-p256": "014", "rsa-2048": "012", "ed25519": "01"}
	ofUsage := map[string]string{"clientAuth": "04", "codeSigning": "0", "emailProtection": "0124",
		"serverAuth": "024", "timeStamping": "01"}
	keys := map[string][]byte{
		"ecdsa-p256": ellipticInfo(elliptic.P256()), "rsa-2048": newRSA("leaf", 2048, 65537).info(),
		"ed25519": sequence(raw(edwards), bits(edwardsLeaf())),
	}
	for i, usage := range []string{"serverAuth", "clientAuth", "codeSigning", "emailProtection", "timeStamping"} {
		arc := []byte{1, 2, 3, 4, 8}[i]
		for _, algorithm := range slices.Sorted(maps.Keys(keys)) {
			for bit := range 9 {
				breaks, digit := constrained, string(rune('0'+bit))
				if strings.Contains(ofKey[algorithm], digit) && strings.Contains(ofUsage[usage], digit) {
					breaks = nothing
				}
				asserted := append(make([]byte, bit/8), 0x80>>(bit%8))
				all = append(all, deviation{fmt.Sprintf("agreed %s for %s with bit %d", algorithm, usage, bit), breaks,
					func(e *evidence) {
						e.terms["extended_key_usages"], e.terms["algorithm"] = seal.Strings([]string{usage}), algorithm
						e.leaf.keyInfo = keys[algorithm]
						e.leaf.at(idUsages).value = sequence(der(0x06, raw("2b060105050703"), []byte{arc}))
						e.leaf.at(idKeyUsage).value = der(0x03, []byte{byte(7 - bit%8)}, asserted)
					}})
			}
		}
	}
	return all
}

// edwardsLeaf is a sound key of a leaf.
func edwardsLeaf() []byte {
	return chance.New(5).Stream("edwards leaf").Ed25519().Public().(ed25519.PublicKey)
}

// leafKeys are keys of the leaf, which the terms name by algorithm and digest
// (SPEC 7.2, 8.16).
func leafKeys() []deviation {
	key := func(label, breaks, algorithm string, keyInfo []byte) deviation {
		return deviation{"leaf key: " + label, breaks,
			func(e *evidence) { e.leaf.keyInfo, e.terms["algorithm"] = keyInfo, algorithm }}
	}
	n := newRSA("leaf", 2048, 65537).n
	good := sequence(integer(n), raw("0203010001"))
	changed := func(algorithm string, key []byte) []byte { return sequence(raw(algorithm), bits(key)) }
	ed := edwardsLeaf()
	return []deviation{
		key("P-384", nothing, "ecdsa-p384", ellipticInfo(elliptic.P384())),
		key("P-521 as P-384", identified, "ecdsa-p384", ellipticInfo(elliptic.P521())),
		key("P-224 as P-256", identified, "ecdsa-p256", ellipticInfo(elliptic.P224())),
		key("secp256k1", identified, "ecdsa-p256", koblitz()),
		key("RSA", nothing, "rsa-2048", changed(rsaNull, good)),
		key("RSA of 3072 bits", nothing, "rsa-3072", newRSA("leaf", 3072, 65537).info()),
		key("RSA of 4096 bits", nothing, "rsa-4096", newRSA("leaf", 4096, 65537).info()),
		key("RSA of 2049 bits", identified, "rsa-2048", newRSA("leaf", 2049, 65537).info()),
		key("RSA of 2047 bits", identified, "rsa-2048", newRSA("leaf", 2047, 65537).info()),
		key("RSA with an even modulus", identified, "rsa-2048", newEvenRSA("leaf", 2048).info()),
		key("RSA with exponent 3", identified, "rsa-2048", changed(rsaNull, sequence(integer(n), raw("020103")))),
		key("RSA with exponent 0", identified, "rsa-2048", changed(rsaNull, sequence(integer(n), raw("020100")))),
		key("RSA with exponent -65537", identified, "rsa-2048", changed(rsaNull, sequence(integer(n), raw("0203feffff")))),
		key("RSA with exponent 2^64+65537", identified, "rsa-2048",
			changed(rsaNull, sequence(integer(n), raw("0209010000000000010001")))),
		key("RSA with a negative modulus", identified, "rsa-2048",
			changed(rsaNull, sequence(der(0x02, n.Bytes()), raw("0203010001")))),
		key("RSA with a modulus that is not minimal", identified, "rsa-2048",
			changed(rsaNull, sequence(der(0x02, []byte{0, 0}, n.Bytes()), raw("0203010001")))),
		key("RSA with a third member", identified, "rsa-2048", changed(rsaNull, sequence(content(good), raw("020101")))),
		key("RSA with an octet behind", identified, "rsa-2048", changed(rsaNull, append(slices.Clone(good), 0))),
		key("RSA in a SET", identified, "rsa-2048", changed(rsaNull, der(0x31, content(good)))),
		key("RSA without parameters", identified, "rsa-2048", changed("300b06092a864886f70d010101", good)),
		key("RSA with a NULL of one octet", identified, "rsa-2048", changed("300e06092a864886f70d010101050100", good)),
		key("RSA with an empty SEQUENCE", identified, "rsa-2048", changed("300d06092a864886f70d0101013000", good)),
		key("RSASSA-PSS", identified, "rsa-2048", changed("300b06092a864886f70d01010a", good)),
		key("Ed25519", nothing, "ed25519", changed(edwards, ed)),
		key("Ed25519, not canonical", identified, "ed25519", changed(edwards, bytes.Repeat([]byte{0xff}, 32))),
		key("Ed25519, off the curve", identified, "ed25519", changed(edwards, append([]byte{2}, make([]byte, 31)...))),
		key("Ed25519, a point of small order", identified, "ed25519",
			changed(edwards, append([]byte{1}, make([]byte, 31)...))),
		key("Ed25519 of 31 octets", identified, "ed25519", changed(edwards, ed[:31])),
		key("Ed25519 of 33 octets", identified, "ed25519", changed(edwards, append(slices.Clone(ed), 0))),
		key("Ed25519 with NULL", identified, "ed25519", changed("300706032b65700500", ed)),
		key("X25519", identified, "ed25519", changed("300506032b656e", ed)),
		key("Ed448", identified, "ed25519", changed("300506032b6571", make([]byte, 57))),
	}
}

// The algorithms of keys, in DER.
const (
	rsaNull = "300d06092a864886f70d0101010500"
	edwards = "300506032b6570"
)

// koblitz is a key on secp256k1: the generator itself.
func koblitz() []byte {
	const generator = "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" +
		"483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
	return sequence(raw("301006072a8648ce3d020106052b8104000a"), bits(raw(generator)))
}

// curves are the object identifiers of curves, in DER.
var curves = map[elliptic.Curve]string{
	elliptic.P224(): "06052b81040021", elliptic.P256(): "06082a8648ce3d030107", elliptic.P384(): "06052b81040022",
	elliptic.P521(): "06052b81040023",
}

// ellipticInfo is the subjectPublicKeyInfo of the key on a curve.
func ellipticInfo(curve elliptic.Curve) []byte { return ellipticKeyInfo(ellipticKey(curve)) }

func ellipticKeyInfo(key *ecdsa.PrivateKey) []byte {
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err) // the key is on its curve
	}
	return sequence(sequence(raw("06072a8648ce3d0201"), raw(curves[key.Curve])), bits(point))
}
