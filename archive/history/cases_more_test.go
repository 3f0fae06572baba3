package history_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// set changes a member of the second statement before it is signed.
func set(name string, value any) func(*draft) {
	return func(d *draft) { d.statements[1][name] = value }
}

// swap changes text of the second line after it was signed.
func swap(old, now string) func(*draft) {
	return func(d *draft) {
		must.That(d.t, strings.Contains(d.lines[1], old), "no %s to change", old)
		d.lines[1] = strings.Replace(d.lines[1], old, now, 1)
	}
}

// planned3 are the cases of a history of three versions.
func planned3(t testing.TB) []planned {
	issued, rotated := files(t)
	kept := func(content []byte) string { return "trust-" + digest(string(content)) + ".json" }
	return slices.Concat([]planned{
		{"verified", "three versions, of which the third is the first again", "18.3", nil, nil, "verified", "", "", 3},
		{"cut-unnoticed", "the last entry was removed, which a history cannot show by itself", "18.5", nil,
			func(d *draft) { d.lines = d.lines[:2] }, "verified", "", "", 2},
		{"two-signers", "the second entry is by another key, which is pinned too", "18.3", func(d *draft) {
			d.signers[1] = key(t, 2)
			d.pins["office-2"] = pin(key(t, 2), "2026-02-01T00:00:00.000Z")
		}, nil, "verified", "", "", 3},
		{"longest-text", "a reason of 1,024 octets", "18.2", set("reason", strings.Repeat("é", 512)),
			nil, "verified", "", "", 3},
		{"empty", "no entry", "18.4", nil, func(d *draft) { d.lines = nil; d.files["history.ndjson"] = nil }, "inconclusive",
			"input.empty", "", 0},
		{"no-entries", "no file of entries", "18.4", nil, func(d *draft) { d.lines = nil }, "inconclusive",
			"input.empty", "", 0},
		{"file-altered", "a space more at the end of a kept trust file", "18.4", nil,
			func(d *draft) { d.files[kept(rotated)] = append(bytes.Clone(rotated), ' ') }, "rejected",
			"object.altered", kept(rotated), 3},
		{"file-missing", "a trust file is not kept", "18.4", nil, func(d *draft) { delete(d.files, kept(rotated)) },
			"inconclusive", "object.left-out", kept(rotated), 3},
		{"file-of-another-size", "the signed size is not that of the file", "18.4", set("trust_size", len(rotated)+1), nil,
			"rejected", "object.altered", kept(rotated), 3},
		{"file-with-faults", "what was put in force is no trust file", "18.4", func(d *draft) {
			content := append(bytes.Clone(issued), issued...)
			d.keep(content)
			set("trust_sha256", digest(string(content)))(d)
			set("trust_size", len(content))(d)
		}, nil, "rejected", "object.altered", kept(append(bytes.Clone(issued), issued...)), 3},
	}, chainCases(), signatureCases(t), formCases())
}

// chainCases are about how entries follow each other.
func chainCases() []planned {
	lines := func(change func([]string) []string) func(*draft) {
		return func(d *draft) { d.lines = change(d.lines) }
	}
	return []planned{
		{"entry-removed", "the second entry was removed", "18.3", nil,
			lines(func(l []string) []string { return slices.Delete(l, 1, 2) }),
			"rejected", "history.order", "/1/statement/number", 1},
		{"first-removed", "the first entry was removed", "18.3", nil, lines(func(l []string) []string { return l[1:] }),
			"rejected", "history.order", "/0/statement/number", 0},
		{"entry-twice", "the third entry is there twice", "18.3", nil,
			lines(func(l []string) []string { return append(l, l[2]) }),
			"rejected", "history.order", "/3/statement/in_force_from", 3},
		{"entries-exchanged", "the second and third entries changed places", "18.3", nil,
			lines(func(l []string) []string { return []string{l[0], l[2], l[1]} }), "rejected", "history.order",
			"/1/statement/number", 1},
		{"number-skipped", "the signer left out a number", "18.3", set("number", 3), nil, "rejected", "history.order",
			"/1/statement/number", 1},
		{"other-previous", "the signer named another entry before", "18.3", set("previous_sha256", strings.Repeat("ab", 32)),
			nil, "rejected", "history.order", "/1/statement/previous_sha256", 1},
		{"first-with-previous", "the first entry names one before it", "18.3",
			func(d *draft) { d.statements[0]["previous_sha256"] = strings.Repeat("ab", 32) }, nil, "rejected",
			"history.order", "/0/statement/previous_sha256", 0},
		{"same-time", "two versions from one time on", "18.3", set("in_force_from", "2026-01-01T00:00:00.000Z"), nil,
			"rejected", "history.order", "/1/statement/in_force_from", 1},
		{"near-miss-next-millisecond", "a version a millisecond after the one before", "18.3",
			set("in_force_from", "2026-01-01T00:00:00.001Z"), nil, "verified", "", "", 3},
	}
}

// signatureCases are about who signed.
func signatureCases(t testing.TB) []planned {
	member := func(line, name string) string {
		_, rest, _ := strings.Cut(line, `"`+name+`":"`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	other := func(name string) func(*draft) {
		return func(d *draft) { swap(member(d.lines[1], name), member(d.lines[0], name))(d) }
	}
	return []planned{
		{"name-changed", "a name was changed after signing", "18.3", nil, swap("Ada Example", "Bob Example"), "rejected",
			"seal-signature.invalid", "/1/signatures", 1},
		{"other-ed25519-signature", "the Ed25519 signature is that of another entry", "18.3", nil, other("ed25519"),
			"rejected", "seal-signature.invalid", "/1/signatures", 1},
		{"other-ml-dsa-signature", "the ML-DSA-65 signature is that of another entry", "18.3", nil, other("ml_dsa_65"),
			"rejected", "seal-signature.invalid", "/1/signatures", 1},
		{"other-protocol", "signed as a seal of an archive", "18.3", func(d *draft) { d.protocol = "svc.archive-seal.v1" },
			nil, "rejected", "seal-signature.invalid", "/0/signatures", 0},
		{"key-unknown", "signed by keys that are not pinned", "18.3", func(d *draft) { d.signers[1] = key(t, 2) }, nil,
			"rejected", "seal-key.unknown", "/1/statement/signer", 1},
		{"half-a-pair", "one pinned key and one other", "18.3",
			set("signer", doc{"ed25519": key(t, 1).Public().ID().Ed25519.String(),
				"ml_dsa_65": key(t, 2).Public().ID().MLDSA65.String()}), nil, "rejected", "seal-key.unknown",
			"/1/statement/signer", 1},
		{"key-too-late", "in force before the keys are trusted", "18.3",
			func(d *draft) { d.pins["office-1"] = pin(key(t, 1), "2026-01-01T00:00:00.001Z") }, nil, "rejected",
			"seal-key.not-valid", "/0/statement/signer", 0},
		{"key-ended", "in force from the moment at which the keys are no longer trusted", "18.3",
			func(d *draft) { d.pins["office-1"].(doc)["valid_until"] = "2026-03-01T00:00:00.000Z" }, nil, "rejected",
			"seal-key.not-valid", "/2/statement/signer", 2},
	}
}

// formCases are about the form of an entry. The signatures hold where that can be.
func formCases() []planned {
	bad := func(name, title, path string, before, after func(*draft)) planned {
		return planned{name, title, "18.2", before, after, "rejected", "file.malformed", "/1" + path, 1}
	}
	return []planned{
		bad("space", "a space that canonical JSON has not", "", nil, swap(`,"statement":`, `, "statement":`)),
		bad("unknown-member", "a member more", "/statement/note", set("note", "x"), nil),
		bad("control", "a line feed in the reason", "/statement/reason", set("reason", "a\nb"), nil),
		bad("text-too-long", "a reason of 1,025 octets", "/statement/reason", set("reason", strings.Repeat("a", 1025)), nil),
		bad("no-reason", "an empty reason", "/statement/reason", set("reason", ""), nil),
		bad("time-without-milliseconds", "a time in another form", "/statement/in_force_from",
			set("in_force_from", "2026-02-01T00:00:00Z"), nil),
		bad("number-too-large", "number 4,097", "/statement/number", set("number", 4097), nil),
		bad("size-too-large", "a trust file of more than 16 MiB", "/statement/trust_size", set("trust_size", 16<<20+1), nil),
		bad("statement-of-another-protocol", "a statement of another protocol", "/statement/protocol",
			set("protocol", "svc.trust-history.v2"), nil),
		bad("short-signature", "a signature of 63 octets", "/signatures/ed25519", nil, func(d *draft) {
			_, rest, _ := strings.Cut(d.lines[1], `"ed25519":"`)
			value, _, _ := strings.Cut(rest, `"`)
			swap(value, value[:84])(d)
		}),
		bad("empty-line", "an empty line", "", nil, func(d *draft) { d.lines = slices.Insert(d.lines, 1, "") }),
		bad("line-too-long", "a line of more than 16,384 octets", "", nil,
			func(d *draft) { d.lines[1] += strings.Repeat(" ", 16<<10) }),
	}
}
