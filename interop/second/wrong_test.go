package second_test

import (
	_ "embed" // the list of mistakes
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
	return slices.Concat(all, listedMistakes())
}

// wrongList has a block for each mistake: its name; the case, the level and the file; and the change
// of the file.
//
//go:embed wrong.txt
var wrongList string

// listedMistakes returns mistakes in reading, in trust, in quorums and in the demands of the caller.
func listedMistakes() (all []wrongVerifier) {
	for block := range strings.SplitSeq(strings.TrimSpace(wrongList), "\n\n") {
		lines := strings.Split(block, "\n")
		words := strings.Fields(lines[1])
		w := wrongVerifier{mistake: lines[0], caught: words[0], level: kit.Level(words[1]), file: words[2]}
		for _, line := range lines[2:] {
			part := map[byte]*string{'-': &w.right, '+': &w.wrong}[line[0]]
			*part += "\n" + line[1:]
		}
		w.right, w.wrong = strings.TrimPrefix(w.right, "\n"), strings.TrimPrefix(w.wrong, "\n")
		all = append(all, w)
	}
	return all
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
