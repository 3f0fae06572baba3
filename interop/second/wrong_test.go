package second_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// wrongVerifier is the second verifier with one mistake: a text in one of its files that another
// one replaces. The case catches it at the level, and not below.
type wrongVerifier struct {
	mistake      string
	caught       string // the name of the case
	level        kit.Level
	file         string
	right, wrong string
}

// withoutCheck are cases that only the check that they are named after can catch.
var withoutCheck = []string{
	"bundle.one-subject/approval-of-another-tenant",
	"signatures.valid/approval-signature-on-decision",
	"checkpoint.witnessed/checkpoint-rewritten",
	"path.proven/head-of-another-log",
	"events.disclosed/issuance-not-disclosed",
	"manifest.committed/issuance-of-another-manifest",
	"manifest.complete/approval-missing",
	"terms.equal/approval-lifetime-seconds",
	"approvals.quorum/caller-demands-three",
	"decisions.agree/approval-not-named",
	"capability.bound/added",
	"registry.pinned/changed-and-sealed",
	"signer.authorised/issuer-of-a-stranger",
	"receipt.bound/decisions-exchanged",
	"certificate.identified/a-second-longer",
	"certificate.constrained/account-sid",
	"certificate.issued/algorithm-with-null",
	"status.bound/issued-kept-from-before",
	"revocation.complete/event-of-another-receipt",
	"times.ordered/approval-before-decision",
	"subject.wanted/certificate-not-asked-for",
	"status.fresh/below-the-year-zero",
	"status.wanted/before-the-revocation-and-revoked-wanted",
	"certificate.in-force/after-its-last-moment",
}

// wrongVerifiers returns every wrong verifier: one without each check, and those with another mistake.
func wrongVerifiers() (all []wrongVerifier) {
	for _, name := range withoutCheck {
		id, _, _ := strings.Cut(name, "/")
		all = append(all, wrongVerifier{"no " + id, name, kit.LevelVerdict, "checks.mjs",
			"DEMANDS[id]?.(policy) ?? true", fmt.Sprintf("id !== '%s' && (DEMANDS[id]?.(policy) ?? true)", id)})
	}
	return slices.Concat(all, mistakes)
}

// mistakes contains mistakes in reading, in trust, in quorums and in the demands of the
// caller.
var mistakes = []wrongVerifier{
	{"no bundle.well-formed", "bundle.well-formed/base64-line-feed", kit.LevelVerdict, "verify.mjs",
		`failed: faults.length > 0 ? [WELL_FORMED] : []`,
		`failed: []`},
	{"of two members of one name the first counts", "bundle.well-formed/member-twice", kit.LevelVerdict, "json.mjs",
		"if (name in object) this.fail(`member ${name} stands twice`, Ambiguous);\n      " +
			"this.expect(':');\n      object[name] = this.value(depth + 1);",
		`this.expect(':');
      const value = this.value(depth + 1);
      object[name] ??= value;`},
	{"of two members of one name the last counts",
		"bundle.well-formed/member-twice-escaped", kit.LevelVerdict, "json.mjs",
		"if (name in object) this.fail(`member ${name} stands twice`, Ambiguous);",
		``},
	{"text after the document is ignored", "bundle.well-formed/two-documents", kit.LevelVerdict, "json.mjs",
		`if (reader.at < text.length) reader.fail('more text after the document');`,
		``},
	{"a byte order mark is ignored", "bundle.well-formed/byte-order-mark", kit.LevelVerdict, "json.mjs",
		`ignoreBOM: true`,
		`ignoreBOM: false`},
	{"numbers are read in any spelling", "bundle.well-formed/number-fraction", kit.LevelVerdict, "json.mjs",
		`this.anySpelling ? ANY_NUMBER : NUMBER`,
		`ANY_NUMBER`},
	{"unknown members are ignored", "bundle.well-formed/closed-data", kit.LevelVerdict, "kinds.mjs",
		"report.soft.push(`${place}/${name}: unknown member`)",
		`undefined`},
	{"lists may have any order", "bundle.well-formed/names-unordered", kit.LevelVerdict, "kinds.mjs",
		"!(keys[i - 1] < current) && report.soft.push(`${place}/${i}: order`)",
		`false`},
	{"base64url may have spare bits", "bundle.well-formed/base64-spare-bits", kit.LevelVerdict, "kinds.mjs",
		`decoded.toString('base64url') === value`,
		`true`},
	{"the 30th of February is a day", "bundle.well-formed/time-no-such-day", kit.LevelCheck, "kinds.mjs",
		`toISOString() === value`,
		`toISOString() !== ''`},
	{"the signer's key is the one that the bundle has",
		"signatures.valid/key-of-the-registry", kit.LevelCheck, "evidence.mjs",
		`    const key = this.#key(section, id);`,
		`    const key = section === 'protected_signer_keys' ? this.signerOf({ statement, key_id: ` +
			`id })?.public_key : this.#key(section, id);`},
	{"a registry without a pin is taken from the bundle", "registry.pinned/not-pinned", kit.LevelVerdict, "checks.mjs",
		`e.trust.registries[registry.generation] === pin(registry)`,
		`(e.trust.registries[registry.generation] ?? pin(registry)) === pin(registry)`},
	{"a quorum counts the names of keys", "bundle.well-formed/two-keys-of-one-node", kit.LevelCheck, "evidence.mjs",
		`open.map((envelope) => envelope.statement.node_id)`,
		`open.map((envelope) => envelope.key_id)`},
	{"a quorum counts keys, of whichever node",
		"bundle.well-formed/two-keys-of-one-node", kit.LevelCheck, "evidence.mjs",
		`nodes.size >= quorum && keys.size >= quorum`,
		`keys.size >= quorum`},
	{"a quorum counts signatures", "bundle.well-formed/receipt-twice", kit.LevelCheck, "evidence.mjs",
		`nodes.size >= quorum && keys.size >= quorum`,
		`open.length >= quorum`},
	{"a quorum counts signatures that do not hold",
		"signatures.valid/another-deployment", kit.LevelCheck, "evidence.mjs",
		`nodes.size >= quorum && keys.size >= quorum`,
		`envelopes.length >= quorum`},
	{"a node may sign for another one", "signatures.valid/node-of-another-name", kit.LevelVerdict, "evidence.mjs",
		`return section === 'nodes' && statement.node_id !== nodeOf(id) ? undefined : key;`,
		`return key;`},
	{"any pinned key may sign anything", "signatures.valid/checkpoint-by-a-node", kit.LevelVerdict, "evidence.mjs",
		`return Object.hasOwn(this.trust[section], id) ? this.trust[section][id] : undefined;`,
		`return { ...this.trust.nodes, ...this.trust.audit_keys, ...this.trust.protected_signer_keys }[id];`},
	{"no signature of a statement is verified", "signatures.valid/bit-flipped", kit.LevelVerdict, "evidence.mjs",
		`if (!this.#holds(key, preAuthentication(statement.protocol, canonical(statement)), ` +
			`signature)) return undefined;`,
		``},
	{"no signature of an event is verified", "signatures.valid/event-signature", kit.LevelVerdict, "evidence.mjs",
		`return this.#holds(key, preAuthentication('svc.audit-event.v1', Buffer.from(linkHash({ ` +
			`event }), 'hex')), event.signature);`,
		`return true;`},
	{"signatures are over the bare statement", "verified/issued-tx-2026-0001", kit.LevelVerdict, "evidence.mjs",
		`preAuthentication(statement.protocol, canonical(statement))`,
		`canonical(statement)`},
	{"the trust file's number of witnesses is ignored",
		"checkpoint.witnessed/fewer-required-by-the-maker", kit.LevelVerdict, "checks.mjs",
		`Math.max(minimum, statement.required_witnesses)`,
		`statement.required_witnesses`},
	{"the checkpoint's number of witnesses is ignored",
		"checkpoint.witnessed/more-required-than-there-are", kit.LevelVerdict, "checks.mjs",
		`Math.max(minimum, statement.required_witnesses)`,
		`minimum`},
	{"without a number in the trust file no witness is needed",
		"checkpoint.witnessed/legacy-by-default", kit.LevelVerdict, "form.mjs",
		`{ minimum_audit_witnesses: 1, ...trust }`,
		`{ minimum_audit_witnesses: 0, ...trust }`},
	{"the caller's number of approvals is ignored",
		"approvals.quorum/caller-demands-three", kit.LevelVerdict, "checks.mjs",
		`Math.max(e.manifest.terms.required_approvals, e.policy.minimum_approvals ?? 1)`,
		`e.manifest.terms.required_approvals`},
	{"approvals that deny count", "approvals.quorum/denied", kit.LevelVerdict, "checks.mjs",
		`...every(1, statements(approvals), ({ decision }) => decision === 'allow'), [2`,
		`[2`},
	{"keys of small order are accepted", "trust/weak-key-identity", kit.LevelVerdict, "ed25519.mjs",
		`return !(x === 0n && y === z);`,
		`return true;`},
	{"unknown members of a trust file are ignored", "trust/unknown-member", kit.LevelVerdict, "form.mjs",
		`const [fault] = [...report.hard, ...report.soft];
  if (fault !== undefined) throw new Fault(fault);
  const keys`,
		`const [fault] = report.hard;
  if (fault !== undefined) throw new Fault(fault);
  const keys`},
	{"two nodes may have one key", "trust/two-nodes-with-one-key", kit.LevelVerdict, "form.mjs",
		`if (new Set(keys).size < keys.length) throw`,
		`if (false) throw`},
	{"a file without bytes is verified", "verdict/empty", kit.LevelVerdict, "verify.mjs",
		`{ verdict: 'inconclusive', failed: []`,
		`{ verdict: 'verified', failed: []`},
	{"a check that examined nothing has passed", "status.fresh/legacy", kit.LevelVerdict, "verify.mjs",
		`open ? 'inconclusive' : 'verified'`,
		`'verified'`},
	{"clocks must agree to the millisecond",
		"times.ordered/near-miss-approval-before-decision", kit.LevelVerdict, "checks.mjs",
		`const TOLERANCE = 300000;`,
		`const TOLERANCE = 0;`},
	{"clocks may differ by an hour", "times.ordered/approval-before-decision", kit.LevelVerdict, "checks.mjs",
		`const TOLERANCE = 300000;`,
		`const TOLERANCE = 3600000;`},
	{"an asterisk is for several labels", "subject.wanted/two-labels-for-an-asterisk", kit.LevelVerdict, "checks.mjs",
		`name === ['dns:*', ...rest].join('.')`,
		"`dns:${wanted}`.endsWith(name.slice(5))"},
	{"a revoked certificate stays in force", "certificate.in-force/revoked-before", kit.LevelVerdict, "checks.mjs",
		`if (revocation) sentences.push([2,`,
		`if (false) sentences.push([2,`},
	{"a revocation ages", "status.fresh/near-miss-revoked-long-ago", kit.LevelVerdict, "checks.mjs",
		`status.statement.status === 'revoked' || isFresh()`,
		`isFresh()`},
	{"a checkpoint may be later than the time that is asked about",
		"status.fresh/revoked-later", kit.LevelVerdict, "checks.mjs",
		`if (timeOf(checkpoint.created_at) > asked + TOLERANCE) return [];`,
		``},
}

// TestWrongVerifiers: the run of the conformance kit catches each wrong verifier, by the case that
// the table names, at the level that it names.
func TestWrongVerifiers(t *testing.T) {
	node := must.Program(t, "node")
	corpus := must.Get(kit.ReadCorpus(must.Get(kit.EmbeddedArchive())(t)))(t)
	all := wrongVerifiers()
	check.That(t, len(all) >= 30, "%d wrong verifiers only", len(all))
	for _, c := range corpus.Cases {
		id := c.Expect.Check
		check.That(t, id == "" || id == fixtures.TrustCheck ||
			slices.ContainsFunc(all, func(w wrongVerifier) bool { return w.mistake == "no "+id }), "no verifier lacks %s", id)
	}
	for _, w := range all {
		i := slices.IndexFunc(corpus.Cases, func(c fixtures.Case) bool { return c.Name == w.caught })
		must.That(t, i >= 0, "%s: there is no case %s", w.mistake, w.caught)
		verifier := []string{node, filepath.Join(w.write(t), "verify.mjs")}
		for _, level := range []kit.Level{kit.LevelVerdict, kit.LevelCheck} {
			tally := run(t, &kit.Corpus{Cases: corpus.Cases[i : i+1]}, level, verifier)
			caught := len(tally.Disagreements) == 1
			check.Equal(t, caught, level == w.level || w.level == kit.LevelVerdict,
				"%s: caught by %s at the level %s: %v", w.mistake, w.caught, level, tally.Disagreements)
			if caught {
				reason := tally.Disagreements[0].Reason
				check.That(t, !strings.Contains(reason, "standard output"), "%s does not run: %s", w.mistake, reason)
				break
			}
		}
	}
}

// write writes the files of a wrong verifier to a new folder, and returns it.
func (w wrongVerifier) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range sources(t) {
		if name == w.file {
			must.That(t, strings.Count(text, w.right) == 1, "%s: %s does not have %q once", w.mistake, name, w.right)
			text = strings.Replace(text, w.right, w.wrong, 1)
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// sources returns the files of the second verifier by their names.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range must.Get(filepath.Glob("*.mjs"))(t) {
		all[name] = string(must.Get(os.ReadFile(name))(t))
	}
	return all
}
