package main

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// bagFiles are the files of a bag.
type bagFiles map[string][]byte

// writeTo writes the bag into a folder, with manifests that fit its files.
func (b bagFiles) writeTo(t testing.TB, dir string) {
	t.Helper()
	var payload, tags bytes.Buffer
	files, octets := 0, 0
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if strings.HasPrefix(name, "data/") {
			fmt.Fprintf(&payload, "%x  %s\n", sha512.Sum512(b[name]), name)
			files, octets = files+1, octets+len(b[name])
		}
	}
	b["manifest-sha512.txt"] = payload.Bytes()
	info, _, _ := strings.Cut(string(b["bag-info.txt"]), "Payload-Oxum")
	b["bag-info.txt"] = fmt.Appendf(nil, "%sPayload-Oxum: %d.%d\n", info, octets, files)
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !strings.HasPrefix(name, "data/") && name != "tagmanifest-sha512.txt" {
			fmt.Fprintf(&tags, "%x  %s\n", sha512.Sum512(b[name]), name)
		}
	}
	b["tagmanifest-sha512.txt"] = tags.Bytes()
	must.WriteFiles(t, dir, b)
}

// editText replaces the first occurrence of a text in a file.
func (b bagFiles) editText(t *testing.T, name, old, text string) {
	t.Helper()
	must.That(t, bytes.Contains(b[name], []byte(old)), "%s has no %q:\n%.2000s", name, old, b[name])
	b[name] = bytes.Replace(bytes.Clone(b[name]), []byte(old), []byte(text), 1)
}

// cutLine removes a line of a file, from 0.
func (b bagFiles) cutLine(name string, n int) {
	lines := bytes.SplitAfter(bytes.Clone(b[name]), []byte("\n"))
	b[name] = bytes.Join(slices.Delete(lines, n, n+1), nil)
}

// flipHex changes the hexadecimal digit behind a text.
func (b bagFiles) flipHex(t *testing.T, name, after string) {
	t.Helper()
	i := bytes.Index(b[name], []byte(after))
	must.That(t, i >= 0, "%s has no %q:\n%.2000s", name, after, b[name])
	b[name] = bytes.Clone(b[name])
	if at := i + len(after); b[name][at] == '0' {
		b[name][at] = '1'
	} else {
		b[name][at] = '0'
	}
}

const (
	bagRuns    = "svc-verify/runs.jsonl"
	bagObjects = "svc-verify/objects.jsonl"
	bagChanges = "svc-verify/changes.jsonl"
	bagPremis  = "svc-verify/premis.xml"
	bagSeal    = "svc-verify/seals/s.seal"
	bagProof   = "svc-verify/seals/a.proof"
	bagHistory = "svc-verify/trust/history.ndjson"
)

// contradictions are bags in which two parts cannot both be right, with the answer.
var contradictions = []struct {
	name, said string
	exit       int
	do         func(t *testing.T, b bagFiles)
}{
	{"object and list of objects", "history.contradiction: svc-verify/objects.jsonl: .*b/c.txt: expected an object", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, "data/b/c.txt", "notes", "Notes") }},
	{"list of objects and object", "history.contradiction: svc-verify/objects.jsonl: .*b/c.txt: expected", 1,
		func(t *testing.T, b bagFiles) {
			b.flipHex(t, bagObjects, `"path":"b/c.txt","read":"2026-02-05T00:00:00.000Z","sha256":"`)
		}},
	{"verdict and record", "history.contradiction: svc-verify/objects.jsonl: .*record 2: expected 3 objects", 1,
		func(t *testing.T, b bagFiles) {
			b.editText(t, bagObjects, `"verdict":"verified"`, `"verdict":"rejected"`)
		}},
	{"object that is not listed", "history.contradiction: svc-verify/objects.jsonl: .*d.txt: expected a line", 1,
		func(_ *testing.T, b bagFiles) { b["data/d.txt"] = []byte("more") }},
	{"line less and object", "history.contradiction: svc-verify/objects.jsonl: .*a.json: expected a line", 1,
		func(_ *testing.T, b bagFiles) { b.cutLine(bagObjects, 0) }},
	{"listed and not there", "history.contradiction: svc-verify/objects.jsonl: .*b/c.txt: expected an object", 1,
		func(_ *testing.T, b bagFiles) { delete(b, "data/b/c.txt") }},
	{"change and record", "history.contradiction: svc-verify/changes.jsonl: .*record 1: expected the root", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagChanges, `"class":"added"`, `"class":"moved"`) }},
	{"change less and record", "history.contradiction: svc-verify/changes.jsonl: ", 1,
		func(_ *testing.T, b bagFiles) { b.cutLine(bagChanges, 2) }},
	{"record less and bag-info", "history.contradiction: bag-info.txt: .*Archive-Run", 1,
		func(_ *testing.T, b bagFiles) { b.cutLine(bagRuns, 1) }},
	{"record and the one before", "file.malformed: svc-verify/runs.jsonl: .*does not continue the one before", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagRuns, `"exit":0`, `"exit":1`) }},
	{"record and objects", "history.contradiction: svc-verify/objects.jsonl: .*record 2: expected 4 objects", 1,
		func(t *testing.T, b bagFiles) {
			b.editText(t, bagRuns, `"number":2,"objects":3`, `"number":2,"objects":4`)
		}},
	{"bag-info and newest record", "history.contradiction: bag-info.txt: .*Archive-Run: expected 2", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, "bag-info.txt", "Archive-Run: 2", "Archive-Run: 3") }},
	{"bag-info and first record", "history.contradiction: bag-info.txt: .*External-Identifier", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, "bag-info.txt", "External-Identifier: ") }},
	{"bag-info in small letters and newest record", "history.contradiction: bag-info.txt: .*Archive-Run: expected 2", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, "bag-info.txt", "Archive-Run: 2", "archive-run: 3") }},
	{"bag-info with two newest records", "history.contradiction: bag-info.txt: .*Archive-Run: expected 2", 1,
		func(t *testing.T, b bagFiles) {
			b.editText(t, "bag-info.txt", "Archive-Run: 2", "Archive-Run: 2\nArchive-Run: 3")
		}},
	{"bag-info with the identifier of a receiver", "VERIFIED", 0, func(t *testing.T, b bagFiles) {
		b.editText(t, "bag-info.txt", "External-", "External-Identifier: 2026/17\nExternal-")
	}},
	{"PREMIS and verdict", "history.contradiction: svc-verify/premis.xml: .*a.json: expected verified", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagPremis, "Value>verified<", "Value>rejected<") }},
	{"PREMIS and time", "history.contradiction: svc-verify/premis.xml: .*a.json: expected 2026-01-05T", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagPremis, "Value>2026-01-05T", "Value>2026-01-04T") }},
	{"PREMIS and object", "history.contradiction: svc-verify/premis.xml: .*a.json: expected [0-9a-f]{128}", 1,
		func(t *testing.T, b bagFiles) {
			b.flipHex(t, bagPremis, "<messageDigestAlgorithm>SHA-512</messageDigestAlgorithm>\n        <messageDigest>")
		}},
	{"PREMIS and list of objects", "history.contradiction: svc-verify/premis.xml: .*a.json: expected [0-9a-f]{64},", 1,
		func(t *testing.T, b bagFiles) {
			b.flipHex(t, bagPremis, "<messageDigestAlgorithm>SHA-256</messageDigestAlgorithm>\n        <messageDigest>")
		}},
	{"PREMIS in another namespace", `svc-verify/premis.xml: .*found the element "http://a premis"`, 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagPremis, "http://www.loc.gov/premis/v3", "http://a") }},
	{"PREMIS of another version", `svc-verify/premis.xml: .*found the element premis version="3.1"`, 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagPremis, `version="3.0"`, `version="3.1"`) }},
	{"PREMIS with a type of documents", "file.malformed: svc-verify/premis.xml: .*document type declaration", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagPremis, "<premis", "<!DOCTYPE premis [ ]><premis") }},
	{"PREMIS with other prefixes, spaces and comments", "VERIFIED", 0,
		func(t *testing.T, b bagFiles) {
			whole := strings.ReplaceAll(string(b[bagPremis]), "<", "<p:")
			whole = strings.NewReplacer("<p:/", "</p:", "<p:?", "<?", "xmlns=", "xmlns:p=", "xsi", "x").Replace(whole)
			b[bagPremis] = []byte(strings.Replace(whole, "<p:object ", "<!-- the archive --><p:object\n", 1))
		}},
	{"seal and run", "history.contradiction: svc-verify/seals/s.seal: .*expected 3 objects", 1,
		func(t *testing.T, b bagFiles) { b.editText(t, bagSeal, `"objects":2`, `"objects":3`) }},
	{"seal of another history", "history.another: svc-verify/seals/s.seal: ", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagSeal, `"run_sha256":"`) }},
	{"seal and trust file", "history.contradiction: svc-verify/seals/s.seal: .*its trust files", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagSeal, `"trust_sha512":["`) }},
	{"leaves and seal", "seal.root: svc-verify/seals/s.seal.leaves: ", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagSeal+".leaves", `"digest":"`) }},
	{"leaves and object", "history.contradiction: svc-verify/seals/: .*a.json: expected it as in run 1", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagSeal+".leaves", `"digest":"`) }},
	{"leaves of the second chain and record", "seal.root: svc-verify/seals/s.seal.leaves: ", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagSeal+".leaves-2", `"digest":"`) }},
	{"record and seal", "object.altered: svc-verify/seals/s.seal.er: ", 1,
		func(_ *testing.T, b bagFiles) { b[bagSeal+".er"] = b[bagProof+".er"] }},
	{"record and object of a proof", "object.altered: svc-verify/seals/a.proof.er: ", 1,
		func(_ *testing.T, b bagFiles) { b[bagProof+".er"] = b[bagSeal+".er"] }},
	{"record and seal of a proof", "object.altered: svc-verify/seals/a.proof.seal.er: ", 1,
		func(_ *testing.T, b bagFiles) { b[bagProof+".seal.er"] = b[bagProof+".er"] }},
	{"proof and its seal", "seal.root: svc-verify/seals/a.proof: ", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagProof, `"leaf":{"digest":"`) }},
	{"proof and object", "history.contradiction: svc-verify/seals/: .*a.json: expected it as in run 1", 1,
		func(t *testing.T, b bagFiles) { b.flipHex(t, bagProof, `"leaf":{"digest":"`) }},
	{"trust file and its name", "history.contradiction: svc-verify/trust/trust-.*its SHA-256", 1,
		func(t *testing.T, b bagFiles) {
			for name := range b {
				if strings.HasPrefix(name, "svc-verify/trust/trust-") {
					b[name] = append(bytes.Clone(b[name]), '\n')
				}
			}
		}},
	{"entries of the history", "history.order: svc-verify/trust/history.ndjson: ", 1,
		func(_ *testing.T, b bagFiles) { b.cutLine(bagHistory, 0) }},
	{"history and run", "history.cut: svc-verify/trust/history.ndjson: ", 1,
		func(t *testing.T, b bagFiles) {
			b.cutLine(bagHistory, 1)
			b.flipHex(t, bagHistory, `"trust_sha256":"`)
		}},
}

// wholeBag exports a sealed archive, and returns copies of the bag.
func wholeBag(t testing.TB) func() bagFiles {
	t.Helper()
	s := newSealedScene(t)
	must.Do(t, os.WriteFile("data/c", []byte("later"), 0o600))
	s.must(t, "archive check data --ledger l.db --trust trust.json --at 2026-02-05T00:00:00Z")
	versions := must.Get(filepath.Glob("trust.history/*.*"))(t)
	s.must(t, "archive export --ledger l.db --trust trust.json --trust "+strings.Join(versions, " --trust ")+
		" --seal s.seal --seal a.proof --out whole data")
	all := must.FilesBelow(t, ".")
	return func() bagFiles {
		b := bagFiles{}
		for name, content := range all {
			if inner, ok := strings.CutPrefix(name, "whole/"); ok {
				b[inner] = content
			}
		}
		return b
	}
}

// TestContradictions: parts of a bag that contradict each other are noticed, also if every manifest fits. A bag
// whose history explains a difference is verified, and so is one that lacks a part, which is said first.
func TestContradictions(t *testing.T) {
	whole := wholeBag(t)
	code, stdout, stderr := call(nil, "archive", "verify", "whole")
	must.That(t, code == 0 && !strings.Contains(stderr, "Nothing was compared"), "%d\n%s%s", code, stdout, stderr)
	for _, part := range []string{bagRuns, bagObjects, bagChanges, bagPremis, bagSeal + ".leaves", bagSeal + ".er",
		bagSeal, bagProof, bagProof + ".er", bagHistory} {
		b, dir := whole(), filepath.Join(t.TempDir(), "bag")
		delete(b, part)
		b.writeTo(t, dir)
		code, stdout, stderr := call(nil, "archive", "verify", dir)
		lacks := part == bagProof || strings.Contains(stderr, "svc-verify: not examined: Nothing was compared with ")
		check.That(t, code == 0 && lacks, "without %s: %d\n%s%s", part, code, stdout, stderr)
	}
	for _, c := range contradictions {
		b, dir := whole(), filepath.Join(t.TempDir(), "bag")
		c.do(t, b)
		b.writeTo(t, dir)
		code, stdout, _ := call(nil, "archive", "verify", dir, "--full")
		flat := strings.Join(strings.Fields(stdout), " ")
		check.That(t, code == c.exit && regexp.MustCompile(c.said).MatchString(flat), "%s: %d\n%s", c.name, code, stdout)
	}
}
